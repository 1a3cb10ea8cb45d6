import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { readSourceFiles } from './source-files.ts';

const numbered = [
  { name: 'decisions', pattern: 'docs/decisions/*.md' },
  { name: 'migrations of the platform database', pattern: 'packages/server/src/db/migrations/platform/[0-9]*.ts' },
  { name: 'migrations of a tenant database', pattern: 'packages/server/src/db/migrations/tenant/[0-9]*.ts' },
];

test.for(numbered)('the $name are numbered from 0001 without gaps or duplicates', ({ pattern }) => {
  const names = readSourceFiles(pattern).map(({ path }) => basename(path));
  expect(names.length).toBeGreaterThan(0);
  expect(names.map((name) => name.slice(0, 5))).toEqual(
    names.map((_, index) => `${String(index + 1).padStart(4, '0')}-`),
  );
});

test('the heading of each decision begins with the number in its file name', () => {
  const wrong = readSourceFiles('docs/decisions/*.md')
    .filter(({ path, text }) => !text.startsWith(`# ${basename(path).slice(0, 4)} `))
    .map(({ path }) => path);
  expect(wrong).toEqual([]);
});
