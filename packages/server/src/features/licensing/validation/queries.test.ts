import { DummyDriver, Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { dialectOf } from '../../../db/sqlite/connection.ts';
import { assertWatched } from '../../../db/sqlite/watched-changes.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { watchedTenantChanges } from '../../../tenancy/sqlite-tenant-databases.ts';
import { findUsageTotal } from '../usage/queries.ts';
import { findForValidation, findLastActivation } from './queries.ts';

const db = new Kysely<TenantTables>({ dialect: dialectOf(new DummyDriver()) });

test.each([findForValidation, findLastActivation, findUsageTotal])(
  'no verdict is read from a table whose changes leave known verdicts as they are: $name',
  ({ build }) => {
    const { sql } = build(db, (index) => `argument ${index}`).compile();
    expect(() => assertWatched(sql, { ...watchedTenantChanges, unwatchedColumns: [] })).not.toThrow();
    const watched = ['licenses', 'activations', 'usage_totals'];
    expect(() => assertWatched(sql, { unwatchedTables: watched, unwatchedColumns: [] })).toThrow();
  },
);
