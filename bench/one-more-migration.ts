import type { Migration, Migrations } from '../packages/server/src/db/migrations/migrate.ts';
import { tenantMigrations as present } from '../packages/server/src/db/migrations/tenant/index.ts';

const newColumn: Migration = { up: (db) => db.schema.alterTable('licenses').addColumn('bench', 'text').execute() };

/** The migrations with an additional typical one: a new column. */
export const tenantMigrations: Migrations = { ...present, '9999-bench': newColumn };
