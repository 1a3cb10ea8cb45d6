import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { statedVersions } from '../../../../scripts/version.ts';
import { readSourceFiles } from './source-files.ts';

const numbered = [
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

test('no two decisions have the same number', () => {
  // A decision that was withdrawn leaves a gap, because other texts name decisions by their number.
  const numbers = readSourceFiles('docs/decisions/*.md').map(({ path }) => basename(path).slice(0, 5));
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('the heading of each decision begins with the number in its file name', () => {
  const wrong = readSourceFiles('docs/decisions/*.md')
    .filter(({ path, text }) => !text.startsWith(`# ${basename(path).slice(0, 4)} `))
    .map(({ path }) => path);
  expect(wrong).toEqual([]);
});

test('every file that states the version of the service and the SDKs states the same one', () => {
  const stated = statedVersions();
  expect(stated.length).toBeGreaterThan(30);
  const [first] = stated;
  expect(stated.filter(({ version }) => version !== first?.version)).toEqual([]);
});

test('the changelog has a section of the version', () => {
  const [first] = statedVersions();
  const text = readFileSync(new URL('../../../../CHANGELOG.md', import.meta.url), 'utf8');
  expect(text).toMatch(new RegExp(`^## \\[${first?.version}\\] - \\d{4}-\\d{2}-\\d{2}$`, 'm'));
});
