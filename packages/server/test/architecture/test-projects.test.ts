import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testFiles } from '../../../../vitest.config.ts';
import { readSourceFiles, repositoryRoot } from './source-files.ts';

test('every test file belongs to a project of Vitest, and so to the quick or the long tests of each engine', () => {
  const ofProjects = new Set(globSync(Object.values(testFiles).flat(), { cwd: repositoryRoot }));
  const orphans = readSourceFiles('{packages,sdks,examples,bench,scripts,tools}/**/*.test.ts')
    .map(({ path }) => path)
    .filter((path) => !ofProjects.has(path));
  expect(orphans).toEqual([]);
});

test('the quick tests and the long tests run every project', () => {
  const [script] = readSourceFiles('scripts/test.mjs');
  const [root] = readSourceFiles('package.json');
  const { scripts } = JSON.parse(root?.text ?? '');
  const lists = script?.text.match(/^const (?:large|small)Suites = \[.*\]/gm)?.join('\n') ?? '';
  const commands = [...lists.matchAll(/'([\w-]+)'/g)].map(([, name]) => scripts[`test:${name}`]).join(' ');
  const missing = Object.keys(testFiles).filter((name) => !`${commands} `.includes(`--project ${name} `));
  // Only the long tests run these: the examples and `native` build what they run, `lighthouse` comes after the others.
  expect(missing).toEqual(['examples', 'native', 'lighthouse']);
});
