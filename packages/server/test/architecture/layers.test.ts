import { describe, expect, test } from 'vitest';
import { findCycles } from './cycles.ts';
import { featureGroups, featureOf, groupOf, pointsUpward } from './feature-groups.ts';
import { importsOf, readSourceFiles } from './source-files.ts';

const imports = readSourceFiles('packages/server/src/**/*.ts')
  .filter((file) => !file.path.endsWith('.test.ts'))
  .flatMap((file) => importsOf(file));

const cycleText = (cycle: readonly string[]) => cycle.join(' → ');

/** Returns the imports between two features, as edges between their names. */
const featureEdges = imports.flatMap(({ from, to }) => {
  const [fromFeature, toFeature] = [featureOf(from), featureOf(to)];
  return fromFeature === undefined || toFeature === undefined ? [] : [{ from: fromFeature, to: toFeature }];
});

/** Returns the folder or file directly below `src/`; each group of features counts as one folder. */
function topLevelOf(path: string): string {
  const group = groupOf(path);
  return group === undefined ? (path.split('/')[0] ?? path) : `features/${group}`;
}

test('every feature lies in a folder of a known group', () => {
  const groups = new Set(imports.map(({ from }) => groupOf(from)).filter((group) => group !== undefined));
  expect([...groups].sort()).toEqual([...featureGroups].sort());
});

test('no features import each other in a cycle, not even types', () => {
  expect(findCycles(featureEdges).map(cycleText)).toEqual([]);
});

test('no folders of src import values from each other in a cycle', () => {
  const edges = imports
    .filter(({ isTypeOnly }) => !isTypeOnly)
    .map(({ from, to }) => ({ from: topLevelOf(from), to: topLevelOf(to) }));
  expect(findCycles(edges).map(cycleText)).toEqual([]);
});

test.for([
  'packages/server',
  'packages/dashboard',
  'packages/portal',
  'packages/guides',
  'packages/sdk',
  'packages/keygen-import',
  'bench',
  'examples',
  'scripts',
])('no files of %s import each other in a cycle, not even types', (folder) => {
  const edges = readSourceFiles(`${folder}/**/*.{ts,tsx,js,mjs}`).flatMap((file) => importsOf(file, folder));
  expect(edges).not.toEqual([]);
  expect(findCycles(edges).map(cycleText)).toEqual([]);
});

describe('the search for cycles', () => {
  test('the search finds the shortest cycle through a node, and reports each cycle once', () => {
    const edges = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'c', to: 'a' },
      { from: 'c', to: 'd' },
    ];
    expect(findCycles(edges)).toEqual([['a', 'b', 'c', 'a']]);
  });

  test('the search finds no cycle in an acyclic graph, or in a node with an edge to itself', () => {
    expect(
      findCycles([
        { from: 'a', to: 'b' },
        { from: 'a', to: 'c' },
        { from: 'b', to: 'c' },
        { from: 'c', to: 'c' },
      ]),
    ).toEqual([]);
  });
});

describe('the order of the groups', () => {
  test.for([
    ['features/tenant-core/settings/service.ts', 'features/accounts/tenants/service.ts', true],
    ['features/licensing/licenses/import/service.ts', 'features/commerce/plans/service.ts', true],
    ['features/commerce/billing/sync-service.ts', 'features/accounts/tenants/service.ts', false],
    ['features/webhooks/delivery/run.ts', 'features/webhooks/endpoints/secrets.ts', false],
    ['surfaces/tenant.ts', 'features/licensing/licenses/routes.ts', false],
  ] as const)('an import from %s to %s points upward: %s', ([from, to, expected]) => {
    expect(pointsUpward(from, to)).toBe(expected);
  });
});

describe('the reader of imports', () => {
  test.for([
    ["import { a } from './b.ts';", false],
    ["import { type A, b } from './b.ts';", false],
    ["import { type A, type B } from './b.ts';", true],
    ["import type { A } from './b.ts';", true],
    ["export type { A } from './b.ts';", true],
    ["export { a } from './b.ts';", false],
    ["import {\n  type A,\n  type B,\n} from './b.ts';", true],
    ["import './b.ts';", false],
    ["const late = await import('./b.ts');", false],
  ] as const)('the reader reads %j as an import whose types-only flag is %s', ([text, isTypeOnly]) => {
    const file = { path: 'packages/server/src/lib/a.ts', text };
    expect(importsOf(file)).toEqual([{ from: 'lib/a.ts', to: 'lib/b.ts', isTypeOnly }]);
  });
});
