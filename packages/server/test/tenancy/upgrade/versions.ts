import { type Kysely, sql } from 'kysely';
import type { Migrations } from '../../../src/db/migrations/migrate.ts';
import { platformMigrations } from '../../../src/db/migrations/platform/index.ts';
import { tenantMigrations } from '../../../src/db/migrations/tenant/index.ts';

/** The migrations of one version of the program. */
export interface Version {
  readonly platform: Migrations;
  readonly tenant: Migrations;
}

const newestOf = (migrations: Migrations) => Object.keys(migrations).sort().at(-1) ?? '';

const addColumn = (table: string, column: string) => (db: Kysely<unknown>) =>
  db.schema.alterTable(table).addColumn(column, 'text').execute();

/** The version under test. */
export const present: Version = { platform: platformMigrations, tenant: tenantMigrations };

/** The next version: it only adds columns and declares that the present version may still use the databases. */
export const next: Version = {
  platform: {
    ...present.platform,
    '9001-added': { up: addColumn('plans', 'added'), servedFrom: newestOf(present.platform) },
  },
  tenant: {
    ...present.tenant,
    '9001-added': { up: addColumn('licenses', 'added'), servedFrom: newestOf(present.tenant) },
  },
};

/** The version after the next: it removes a column that the present version uses and the next one does not. */
export const afterNext: Version = {
  platform: next.platform,
  tenant: {
    ...next.tenant,
    '9002-removed': {
      up: (db: Kysely<unknown>) => db.schema.alterTable('licenses').dropColumn('holder_name').execute(),
      servedFrom: '9001-added',
    },
  },
};

/** A version whose platform migration makes every older version refuse the platform. */
export const otherPlatform: Version = {
  platform: { ...next.platform, '9002-other': { up: addColumn('plans', 'other') } },
  tenant: next.tenant,
};

/** The code of a product for which the migration of `failing` fails. */
export const failsForCode = 'legacy';

/** The next version with a mistake: its migration fails for tenants that have a product with `failsForCode`. */
export const failing: Version = {
  platform: next.platform,
  tenant: {
    ...present.tenant,
    '9001-added': {
      async up(db: Kysely<unknown>) {
        await addColumn('licenses', 'added')(db);
        await sql`insert into products select * from products where code = ${failsForCode}`.execute(db);
      },
    },
  },
};
