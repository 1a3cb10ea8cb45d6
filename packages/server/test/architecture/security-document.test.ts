import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSourceFiles, repositoryRoot } from './source-files.ts';

const [document = { text: '' }] = readSourceFiles('docs/security.md');

interface NamedTest {
  /** Relative to `packages/server`. */
  readonly file: string;
  readonly title: string;
}

/** Returns the tests that a text names: the path of a file as code, a colon, and titles in italics. */
function testsNamedIn(text: string): NamedTest[] {
  const files = text.matchAll(/`([\w./-]+\.test\.ts)`: ((?:\*[^*]+\*(?:, )?)+)/g);
  return [...files].flatMap(([, file = '', titles = '']) =>
    [...titles.matchAll(/\*([^*]+)\*/g)].map(([, title = '']) => ({ file, title })),
  );
}

/** Returns the cells of each threat: the rows of the tables whose last column names tests. */
function threats(): string[][] {
  const tables = document.text.matchAll(/^\| threat \|.*\| proven by \|\n\|[-|]+\n((?:\|.*\n)+)/gm);
  return [...tables].flatMap(([, rows = '']) =>
    rows
      .trimEnd()
      .split('\n')
      .map((row) => row.slice(1, -1).split(' | ')),
  );
}

function hasTest({ file, title }: NamedTest): boolean {
  const path = join(repositoryRoot, 'packages/server', file);
  // The title is the first argument of `test`, or of the function that `test.each` returns.
  const call = new RegExp(`\\(\\s*(['"\`])${RegExp.escape(title)}\\1,`);
  return existsSync(path) && call.test(readFileSync(path, 'utf8'));
}

test('docs/security.md names at least one test for each threat', () => {
  expect(threats().length).toBeGreaterThan(40);
  const unproven = threats().filter((cells) => cells.length !== 3 || testsNamedIn(cells[2] ?? '').length === 0);
  expect(unproven).toEqual([]);
});

test('each test that docs/security.md names exists under that title', () => {
  const named = testsNamedIn(document.text);
  expect(named.length).toBeGreaterThan(80);
  expect(named.filter((one) => !hasTest(one))).toEqual([]);
});
