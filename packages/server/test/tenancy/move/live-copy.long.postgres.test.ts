import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HeldDatabase } from '../../../src/db/copy/copy.ts';
import { tenantMigrations } from '../../../src/db/migrations/tenant/index.ts';
import { newMoveId } from '../../../src/features/accounts/tenants/move-claim-service.ts';
import { newId } from '../../../src/lib/ids.ts';
import { silentProgress } from '../../../src/tenancy/archive/progress.ts';
import { LiveCopy } from '../../../src/tenancy/move/live-copy.ts';
import { openTenantDatabases } from '../../../src/tenancy/open-tenant-databases.ts';
import type { Placement } from '../../../src/tenancy/placement.ts';
import { rowsOf, useOtherApp } from '../archive/sites.ts';
import { firstServer, onServers, secondServer } from './places.ts';
import { type Change, makeChange, randomChanges } from './random-changes.ts';

const suite = useOtherApp('sqlite', onServers);
const schema = Object.keys(tenantMigrations).sort().at(-1) ?? '';
const directions = [
  ['embedded', firstServer],
  [firstServer, secondServer],
  [secondServer, 'embedded'],
] as const;

/** Runs `work` on two new databases, which are dropped afterwards. */
async function withDatabases(
  [from, to]: readonly [string, string],
  work: (databases: ReturnType<typeof openTenantDatabases>, source: Placement, target: Placement) => Promise<void>,
): Promise<void> {
  const databases = openTenantDatabases(suite.app.config, suite.app.services);
  const source = await databases.createBeside(newId(), schema, from);
  const target = await databases.createBeside(newId(), schema, to);
  try {
    await work(databases, source, target);
  } finally {
    await databases.drop(source);
    await databases.drop(target);
  }
}

/** Copies with these changes before and during each step, and compares all rows of both databases at the end. */
async function copyWhileChanging(direction: readonly [string, string], changes: readonly Change[]): Promise<void> {
  await withDatabases(direction, async (databases, source, target) => {
    const database = databases.connect(source);
    let next = 0;
    const change = async (part: number) => {
      const end = Math.min(changes.length, next + Math.ceil(changes.length * part));
      for (; next < end; next += 1) {
        const each = changes[next];
        if (each !== undefined) await makeChange(database, each);
      }
    };
    await change(0.2);
    const assertMayContinue = () => change(0.05);
    const captureId = newMoveId();
    const progress = silentProgress;
    const copy = new LiveCopy({ databases, source, target, schema, captureId, progress, assertMayContinue });
    await Promise.all([copy.copy(), change(0.2)]);
    await Promise.all([copy.catchUp(), change(0.2)]);
    await Promise.all([copy.check(), change(0.1)]);
    await Promise.all([copy.catchUp(), change(0.1)]);
    await change(1);
    const holder = await databases.openHolder(source);
    const held = await holder.hold(5_000);
    const pending = await copy.countChanges(held);
    const counted = countingRows(held);
    expect(await copy.complete(counted.held)).toBe(pending);
    // Each changed row is looked up at most twice, and nothing else is read.
    expect(counted.read.keys).toBeLessThanOrEqual(2 * pending);
    expect(counted.read.tables).toEqual([]);
    const after = await databases.readSnapshot(target);
    expect(await rowsOf(after)).toEqual(await rowsOf(held));
    for (const opened of [after, held, holder, copy, database]) await opened.close();
  });
}

/** Counts what is read of a database: keys that are looked up, and tables that are read as a whole. */
function countingRows(held: HeldDatabase) {
  const read = { keys: 0, tables: [] as string[] };
  const counting: HeldDatabase = {
    ...held,
    rows(query) {
      if (!query.from.startsWith('(')) read.tables.push(query.from);
      return held.rows(query);
    },
    rowsWithKeys(table, keys) {
      read.keys += keys.length;
      return held.rowsWithKeys(table, keys);
    },
  };
  return { held: counting, read };
}

test.for(directions)(
  'a copy from %s to %s has every row of a database that changes at random meanwhile, and its last step reads only changed rows',
  async ([from, to]) => {
    const numRuns = Number(process.env['MOVE_RUNS'] ?? 1);
    await fc.assert(
      fc.asyncProperty(randomChanges, (changes) => copyWhileChanging([from, to], changes)),
      { numRuns, endOnFailure: true },
    );
  },
);
