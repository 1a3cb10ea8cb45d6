import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { iconFile } from './layout/icons.ts';
import { sitePath } from './layout/site.ts';

const client = join(import.meta.dirname, '..', 'client');
/** In the order of the cascade. */
const styleSheets = ['base', 'frame', 'text', 'code', 'start-page', 'reference', 'search', 'narrow', 'print'];
const scripts = ['theme', 'site', 'search'] as const;

/**
 * Writes scripts, styles, the font and the icon with a hash of their content in the name, so that a browser may keep
 * them for ever. Returns their URLs by their names without the hash.
 */
export async function buildAssets(folder: string): Promise<Record<string, string>> {
  mkdirSync(folder, { recursive: true });
  const urls: Record<string, string> = {};
  const add = (name: string, content: string | Buffer) => {
    const hash = createHash('sha256').update(content).digest('base64url').replace(/[-_]/g, '').slice(0, 10);
    const hashed = name.replace(/\.(\w+)$/, `-${hash}.$1`);
    writeFileSync(join(folder, hashed), content);
    urls[name] = `${sitePath}/assets/${hashed}`;
  };
  add(
    'inter.woff2',
    readFileSync(
      createRequire(import.meta.url).resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
    ),
  );
  add('icon.svg', iconFile);
  const styles = styleSheets.map((name) => readFileSync(join(client, 'styles', `${name}.css`), 'utf8')).join('\n');
  add('site.css', styles.replaceAll(`${sitePath}/assets/inter.woff2`, urls['inter.woff2'] ?? ''));
  for (const name of scripts) add(`${name}.js`, await bundleScript(name));
  return urls;
}

async function bundleScript(name: string): Promise<string> {
  const bundle = await rolldown({ input: join(client, `${name}.ts`), platform: 'browser' });
  const { output } = await bundle.generate({
    format: name === 'theme' ? 'iife' : 'esm',
    minify: true,
    codeSplitting: false,
  });
  await bundle.close();
  return output[0].code;
}

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
