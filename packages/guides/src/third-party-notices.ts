import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const modules = resolve(import.meta.dirname, '..', '..', '..', 'node_modules');

/** What the site contains of other projects, and the file with its licence. */
const parts = [
  { name: 'Inter, the font', licence: '@fontsource-variable/inter/LICENSE' },
  { name: 'MiniSearch, the search', licence: 'minisearch/LICENSE.txt' },
];

/** Returns the licences of everything in the site that other projects made, as their licences require. */
export function thirdPartyNotices(): string {
  const texts = parts.map(({ name, licence }) => `${name}\n\n${readFileSync(join(modules, licence), 'utf8').trim()}\n`);
  return `These docs contain:\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
