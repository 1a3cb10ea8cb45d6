import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testFiles } from '../../../../vitest.config.ts';
import { readSourceFiles, repositoryRoot } from './source-files.ts';

test('every test file belongs to a project of Vitest, and so to one lane on each engine', () => {
  const ofProjects = new Set(globSync(Object.values(testFiles).flat(), { cwd: repositoryRoot }));
  const orphans = readSourceFiles('{packages,sdks,examples,bench,scripts,tools}/**/*.test.ts')
    .map(({ path }) => path)
    .filter((path) => !ofProjects.has(path));
  expect(orphans).toEqual([]);
});

test('both lanes run every project', () => {
  const [script] = readSourceFiles('scripts/test.mjs');
  const [root] = readSourceFiles('package.json');
  const { scripts } = JSON.parse(root?.text ?? '');
  const [, list = ''] = /const testSuites = \[(.*)\]/.exec(script?.text ?? '') ?? [];
  const commands = [...list.matchAll(/'([\w-]+)'/g)].map(([, name]) => scripts[`test:${name}`]).join(' ');
  const missing = Object.keys(testFiles).filter((name) => !`${commands} `.includes(`--project ${name} `));
  // Only the long lane runs these: `native` builds the SDKs first, `lighthouse` comes after the other suites.
  expect(missing).toEqual(['native', 'lighthouse']);
});
