import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { settled } from './support/demo.ts';
import { useDashboard } from './support/screen.ts';

const dashboard = useDashboard();
const dist = resolve(import.meta.dirname, '..', 'dist');
const budgetBytes = 180 * 1024;

/** The files that contain the code of charts. */
const chartFiles = readdirSync(join(dist, 'assets')).filter(
  (name) => name.endsWith('.js') && readFileSync(join(dist, 'assets', name), 'utf8').includes('recharts'),
);

test('the first screen loads at most 180 KB of compressed JavaScript, and no code of charts', async () => {
  const page = await dashboard.openWindow();
  const loaded = new Set<string>();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith('.js')) loaded.add(pathname.slice(1));
  });
  await page.goto('/login');
  await settled(page);
  const sizes = Object.fromEntries([...loaded].map((name) => [name, statSync(join(dist, `${name}.br`)).size]));
  const totalBytes = Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0);
  expect(totalBytes, JSON.stringify(sizes)).toBeLessThanOrEqual(budgetBytes);
  // Each file costs a slow network a turn, so the page asks for its code at once and in few files.
  expect(loaded.size).toBeLessThanOrEqual(8);
  expect(chartFiles.filter((name) => loaded.has(`assets/${name}`))).toEqual([]);
});

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

test('each screen has files of its own, and only the charts load the code of charts', () => {
  const manifest: Record<string, Chunk> = JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8'));
  const always = new Set<string>();
  const visit = (name: string) => {
    if (always.has(name)) return;
    always.add(name);
    for (const imported of manifest[name]?.imports ?? []) visit(imported);
  };
  visit('index.html');
  const screens = Object.keys(manifest).filter((name) => name.includes('tsr-split=component'));
  expect(screens.length).toBeGreaterThan(5);
  // The login is what visitors load first, in one file with what every screen needs.
  const first = screens.filter((name) => always.has(name));
  expect(first.filter((name) => !/login/.test(name))).toEqual([]);
  const importers = Object.entries(manifest).filter(([, { imports = [] }]) =>
    imports.some((name) => chartFiles.includes(manifest[name]?.file.replace('assets/', '') ?? '')),
  );
  // A screen loads a chart with `import()`; whoever imports its code at once is itself code of charts.
  expect(importers.filter(([, { file }]) => !/chart/i.test(file)).map(([name]) => name)).toEqual([]);
});

test('every asset is compressed, and the page loads nothing from another origin', () => {
  const names = readdirSync(join(dist, 'assets')).filter((name) => /\.(js|css|svg)$/.test(name));
  for (const name of names) {
    for (const encoding of ['br', 'gz'])
      expect(existsSync(join(dist, 'assets', `${name}.${encoding}`)), name).toBe(true);
  }
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  expect(page.match(/(?:src|href)="(?!\/)[^"]*"/g)).toBeNull();
});
