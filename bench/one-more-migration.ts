import { type Migration, type Migrations, newestMigration } from '../packages/server/src/db/migrations/migrate.ts';
import { tenantMigrations as present } from '../packages/server/src/db/migrations/tenant/index.ts';

/** Adds a typical migration, a new column, beside which the present version can serve. */
function newColumn(number: number): [name: string, Migration] {
  const up: Migration['up'] = (db) => db.schema.alterTable('licenses').addColumn(`bench_${number}`, 'text').execute();
  return [`9999-bench-${number}`, { up, servedFrom: newestMigration(present) }];
}

const count = Number(process.env['BENCH_MIGRATIONS'] ?? 1);

/** The migrations with additional typical ones: one, or `BENCH_MIGRATIONS` (at most 9). */
export const tenantMigrations: Migrations = {
  ...present,
  ...Object.fromEntries(Array.from({ length: count }, (_, index) => newColumn(index + 1))),
};
