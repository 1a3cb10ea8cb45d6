import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { buildDownloads } from '../src/downloads/downloads.ts';
import { repositoryRoot } from './support/service.ts';

const guides = join(import.meta.dirname, '..');
const built = join(guides, 'dist', 'downloads');
const downloads = await buildDownloads();
const versionOf = (path: string): string => JSON.parse(readFileSync(join(repositoryRoot, path), 'utf8')).version;

const sourceOf = (path: string) => readFileSync(join(repositoryRoot, 'sdks', path));

test('the same sources give the same bytes', () => {
  for (const { name, content, companions = [] } of downloads) {
    for (const [path, data] of [[name, content] as const, ...companions]) {
      expect(readFileSync(join(built, path)).equals(Buffer.from(data)), `${path}: run node scripts/guides.mjs`).toBe(
        true,
      );
    }
  }
});

test('the Go module has the layout that the proxy protocol describes, its sources, and no tests', () => {
  const module = 'licensing.example.com/sdk';
  const file = (name: string) => readFileSync(join(built, 'go', module, name));
  const tag = `v${versionOf('packages/server/package.json')}`;
  expect(String(file('@v/list'))).toBe(`${tag}\n`);
  expect(JSON.parse(String(file(`@v/${tag}.info`)))).toEqual({ Version: tag });
  expect(file('@latest')).toEqual(file(`@v/${tag}.info`));
  expect(file(`@v/${tag}.mod`)).toEqual(sourceOf('go/go.mod'));
  const files = Object.entries(unzipSync(file(`@v/${tag}.zip`)));
  const names = files.map(([name]) => name.replace(`${module}@${tag}/`, ''));
  expect(names).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'go.mod', 'client.go', 'guard.go']));
  expect(names.filter((name) => /_test\.go$|^internal\/driver|:|@/.test(name))).toEqual([]);
  for (const [i, [, content]] of files.entries()) {
    expect(Buffer.from(content).equals(sourceOf(`go/${names[i]}`)), names[i]).toBe(true);
  }
});

test('the archive of C has the sources, the headers, the examples and what CMake reads', () => {
  const archive = downloads.find(({ name }) => name.endsWith('.tar.gz'));
  const blocks = gunzipSync(archive?.content ?? '');
  const texts = new Map<string, Buffer>();
  for (let at = 0; blocks[at] !== 0; ) {
    const name = blocks.toString('latin1', at, at + 100).replace(/\0.*/s, '');
    const size = Number.parseInt(blocks.toString('latin1', at + 124, at + 135), 8);
    texts.set(name, blocks.subarray(at + 512, at + 512 + size));
    at += 512 * (1 + Math.ceil(size / 512));
  }
  const sources = globSync(['*.{txt,md,in}', 'LICENSE', '{src,include,examples}/**/*.*'], {
    cwd: join(repositoryRoot, 'sdks/c'),
  });
  expect(sources.length).toBeGreaterThan(40);
  const top = archive?.name.replace('.tar.gz', '');
  expect([...texts.keys()].sort()).toEqual(sources.map((name) => `${top}/${name.replaceAll('\\', '/')}`).sort());
  for (const name of sources) expect(texts.get(`${top}/${name}`)?.equals(sourceOf(`c/${name}`)), name).toBe(true);
  const version = /LICENSING_VERSION "(.+)"/.exec(String(sourceOf('c/include/licensing/licensing.h')))?.[1];
  expect(version).toBe(archive?.version);
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
  const names = new Set(downloads.map(({ name }) => name.split('/', 1)[0]));
  const files = [
    'packages/guides/pages/**/*.md',
    'packages/sdk/README.md',
    'sdks/*/README.md',
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
