import { describe, expect, test } from 'vitest';
import { featureOf } from './feature-groups.ts';
import { readSourceFiles, type SourceFile } from './source-files.ts';

const serverSource = 'packages/server/src/';

const writePatterns = [
  /\b(?:insertInto|updateTable|deleteFrom|replaceInto)\(\s*'(\w+)'/g,
  /\b(?:insertRows?|updateRows|deleteRows)(?:<[^>]*>)?\(\s*[\w.]+,\s*'(\w+)'/g,
  // Expired rows, which `deleteAllExpired` deletes.
  /\btable: '(\w+)',\s*order:/g,
  /\b(?:insert into|update|delete from)\s+([a-z_]+)\b(?=\s*(?:\(|set\b|where\b|as\b))/g,
];

/** Lists the tables that a file's queries write. */
function writtenTables({ text }: SourceFile): string[] {
  return writePatterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, table = '']) => table));
}

/** Returns the owner of a file: its feature, or outside `features/` its folder below `src/`. */
function writerOf(path: string): string {
  const relative = path.slice(serverSource.length);
  return featureOf(relative) ?? relative.split('/')[0] ?? relative;
}

function writersByTable(files: readonly SourceFile[]): Map<string, Set<string>> {
  const writers = new Map<string, Set<string>>();
  for (const file of files) {
    for (const table of writtenTables(file)) {
      const known = writers.get(table) ?? new Set();
      writers.set(table, known.add(writerOf(file.path)));
    }
  }
  return writers;
}

/** False for migrations, which write the tables that they define, and for tests. */
const isOwner = ({ path }: SourceFile) => !path.endsWith('.test.ts') && !path.includes('/db/migrations/');
const writers = writersByTable(readSourceFiles(`${serverSource}**/*.ts`).filter(isOwner));

/** Tables with a second writer, and the reason. */
const agreed: Readonly<Record<string, { readonly owners: readonly string[]; readonly reason: string }>> = {
  webhook_deliveries: {
    owners: ['tenant-core/events', 'webhooks/delivery'],
    reason: 'events creates the deliveries in the transaction of the event; delivery sends, changes and deletes them',
  },
};

test('each table is written by one owner', () => {
  const shared = [...writers]
    .filter(([table, owners]) => owners.size > 1 && agreed[table]?.owners.join() !== [...owners].sort().join())
    .map(([table, owners]) => `${table} is written by ${[...owners].sort().join(' and ')}: call the owner's service`);
  expect(shared).toEqual([]);
});

test('every agreed second writer still writes its table', () => {
  for (const [table, { owners }] of Object.entries(agreed))
    expect([...(writers.get(table) ?? [])].sort()).toEqual(owners);
});

test('the writers of known tables are found', () => {
  expect(writers.get('licenses')).toEqual(new Set(['licensing/licenses']));
  expect(writers.get('jobs')).toEqual(new Set(['jobs']));
  expect(writers.get('plan_use')).toEqual(new Set(['tenant-core/plan-limits']));
});

describe('the search for written tables', () => {
  test.for([
    "tx.insertInto('licenses').values(row)",
    "tx\n    .updateTable('licenses')\n    .set(changes)",
    "tx.deleteFrom('licenses')",
    "insertRows(tx, 'licenses', rows)",
    "insertRow(tx, 'licenses', row)",
    "updateRows(\n  tenant.db.query,\n  'licenses', id, changes)",
    "deleteRows(platform.query, 'licenses', { id })",
    "deleteAllExpired(tx, [{ table: 'licenses', order: ['created_at'], before }], limit)",
    'sql`update licenses set status = 1`',
    'sql`insert into licenses (id) values (1)`',
    'sql`delete from licenses where id = 1`',
  ])('the test finds the table that %j writes', (text) => {
    expect(writtenTables({ path: 'a.ts', text })).toEqual(['licenses']);
  });
});
