import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const dist = join(import.meta.dirname, '..', 'dist');

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
