import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildDownloads } from '../src/downloads/downloads.ts';
import { repositoryRoot } from './support/service.ts';

const guides = join(import.meta.dirname, '..');
const built = join(guides, 'dist', 'downloads');
const downloads = await buildDownloads();
const versionOf = (path: string): string => JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8')).version;

test('the same sources give the same bytes', () => {
  for (const { name, content } of downloads) {
    expect(content.equals(readFileSync(join(built, name))), `${name}: run node scripts/guides.mjs`).toBe(true);
  }
});

test('every download has the version of the service', () => {
  for (const { name, version } of downloads) expect(version, name).toBe(versionOf('packages/server/package.json'));
});

test('the page of downloads shows each file with its checksum', () => {
  const page = readFileSync(join(built, 'index.html'), 'utf8').replaceAll('<wbr>', '');
  for (const { name, content } of downloads) {
    expect(page).toContain(`href="/docs/downloads/${name}"`);
    expect(page).toContain(`<code>${createHash('sha256').update(content).digest('hex')}</code>`);
  }
});

test('guides, READMEs and examples name only downloads that exist, and no package of a registry', () => {
  const names = new Set(downloads.map(({ name }) => name));
  const files = [
    'packages/guides/pages/**/*.md',
    'packages/sdk/README.md',
    'sdks/python/README.md',
    'examples/**/README.md',
  ];
  const texts = globSync(files, { cwd: repositoryRoot, exclude: (path) => path.includes('node_modules') }).map(
    (path) => ({
      path,
      text: readFileSync(join(repositoryRoot, path), 'utf8'),
    }),
  );
  const linked = texts.flatMap(({ path, text }) =>
    [...text.matchAll(/\/docs\/downloads\/([\w.-]+\w)/g)].map(([, name = '']) => ({ path, name })),
  );
  expect(linked.length).toBeGreaterThan(10);
  expect(linked.filter(({ name }) => !names.has(name))).toEqual([]);
  const ofRegistry = /npm install (?:--[\w-]+ )*@licensing\/sdk|pip install licensing-sdk/;
  expect(texts.filter(({ text }) => ofRegistry.test(text)).map(({ path }) => path)).toEqual([]);
});
