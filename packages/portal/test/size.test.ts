import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settled, usePortal } from './support/portal.ts';

const suite = usePortal();
const dist = join(import.meta.dirname, '..', 'dist');
const budgetBytes = 90 * 1024;

test('the first load in a foreign language has at most 90 KB of compressed JavaScript', async () => {
  const { handle } = await suite.newVendor();
  const page = await suite.openWindow({ locale: 'de' });
  const loaded = new Set<string>();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith('.js')) loaded.add(pathname);
  });
  await page.goto(`/portal/${handle}`);
  await settled(page);
  const sizes = Object.fromEntries([...loaded].map((name) => [name, statSync(join(dist, `${name}.br`)).size]));
  const totalBytes = Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0);
  expect(totalBytes, JSON.stringify(sizes)).toBeLessThanOrEqual(budgetBytes);
  // The page and the texts in German.
  expect(loaded.size).toBe(2);
});

test('every file of the page is compressed and has a hash in its name, and none comes from another origin', () => {
  const names = globSync('portal-assets/*.{js,css}', { cwd: dist });
  expect(names.length).toBeGreaterThan(3);
  for (const name of names) {
    expect(name).toMatch(/-[\w-]{8}\.(js|css)$/);
    for (const encoding of ['br', 'gz']) expect(existsSync(join(dist, `${name}.${encoding}`)), name).toBe(true);
  }
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  const loaded = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
  expect(loaded.filter((address) => !address?.startsWith('/portal-assets/'))).toEqual(['data:,']);
});
