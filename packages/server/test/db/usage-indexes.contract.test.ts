import { CompiledQuery, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { tenantMigrations } from '../../src/db/migrations/tenant/index.ts';
import type { TenantTables } from '../../src/db/tables/tenant-tables.ts';
import { selectTotals, type UsageFilters } from '../../src/features/licensing/usage/queries.ts';
import { newId } from '../../src/lib/ids.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';

let fresh: FreshDatabase;
let db: Database<TenantTables>;

beforeAll(async () => {
  fresh = await freshDatabase();
  db = fresh.open<TenantTables>();
  await migrate(db, tenantMigrations);
  await fill();
  // PostgreSQL does this automatically when a table grows. SQLite chooses by the columns of an index alone.
  if (db.engine === 'postgres') await sql`analyze usage_totals`.execute(db.query);
});

afterAll(() => fresh.remove());

/** 20 licenses with five entitlements each, over 100 days. */
async function fill(): Promise<void> {
  // The licenses are not inserted, so the foreign key must be disabled.
  await sql`${sql.raw(db.engine === 'sqlite' ? 'pragma foreign_keys = off' : 'alter table usage_totals drop constraint usage_totals_license_id_fkey')}`.execute(
    db.query,
  );
  const days = Array.from({ length: 100 }, (_, index) => new Date(Date.UTC(2026, 7, 1 + index)).toISOString());
  for (let count = 0; count < 20; count += 1) {
    const license_id = newId();
    const rows = days.flatMap((day) =>
      ['calls', 'pages', 'seats', 'exports', 'scans'].map((entitlement_code) => ({
        license_id,
        entitlement_code,
        interval: 'day' as const,
        period: day.slice(0, 10),
        quantity: 1,
      })),
    );
    await db.query.insertInto('usage_totals').values(rows).execute();
  }
}

/** Returns the query plan of a list, one step per line. */
async function planOf(filters: UsageFilters): Promise<string> {
  return await db.transaction(async (tx) => {
    const { sql: text, parameters } = selectTotals(tx, filters).compile();
    if (db.engine === 'sqlite') {
      const { rows } = await tx.executeQuery<{ detail: string }>(
        CompiledQuery.raw(`explain query plan ${text}`, [...parameters]),
      );
      return rows.map((row) => row.detail).join('\n');
    }
    const { rows } = await tx.executeQuery<Record<string, string>>(
      CompiledQuery.raw(`explain ${text}`, [...parameters]),
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

const license = { license_id: newId() };
const entitlement = { entitlement: 'calls' };
const range = {
  from: { period: '2026-09-01', isIncluded: true },
  to: { period: '2026-10-20', isIncluded: false },
};
const after = { after: ['2026-10-10', newId(), 'calls'] as const };

test.each<[string, Omit<UsageFilters, 'interval'>, string]>([
  ['nothing', {}, 'usage_totals_interval_period_license_id_entitlement_code'],
  ['a license', license, 'usage_totals_license_id_interval_period_entitlement_code'],
  ['an entitlement', entitlement, 'usage_totals_entitlement_code_interval_period_license_id'],
  // The primary key.
  ['both', { ...license, ...entitlement }, 'sqlite_autoindex_usage_totals_1'],
])(
  'a list of usage filtered by %s is read from one index in its order, with any range and cursor',
  async (_name, filters, index) => {
    for (const extra of [{}, range, after, { ...range, ...after }]) {
      const plan = await planOf({ interval: 'day', ...filters, ...extra });
      expect(plan).not.toMatch(/temp b-tree|sort|seq scan|bitmap/i);
      // PostgreSQL chooses one of them by its statistics.
      if (db.engine === 'sqlite') expect(plan, JSON.stringify(extra)).toMatch(new RegExp(`USING INDEX ${index} `));
      else expect(plan).toMatch(/Index Scan Backward using usage_totals_/);
    }
  },
);
