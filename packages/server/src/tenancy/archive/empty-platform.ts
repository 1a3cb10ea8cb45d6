import { sql } from 'kysely';
import type { Config } from '../../config/config.ts';
import type { ArchivedTable } from '../../db/archive/tables.ts';
import type { PlatformDb, PlatformTransaction } from '../../db/database.ts';
import { isMissingTable } from '../../db/errors.ts';
import { migrateTo } from '../../db/migrations/migrate.ts';
import { platformMigrations } from '../../db/migrations/platform/index.ts';
import { readPlatformSnapshot } from '../../db/platform.ts';

/**
 * Creates the schema as of the migration `schema` in an empty platform database. Throws when the database is not empty.
 */
export async function prepareEmptyPlatform(platform: PlatformDb, schema: string, config: Config): Promise<void> {
  const found = await readCatalogue(config);
  if (found.tables.length === 0) return await migrateTo(platform, platformMigrations, schema);
  if (found.schema === schema) return await platform.transaction(assertEmpty);
  throw new Error(
    'Data can be loaded only into an empty installation, and this one has another schema: set another DATA_DIR or DATABASE_URL.',
  );
}

/** Returns the tables and the last migration of a platform database; no tables when no migration ran yet. */
export async function readCatalogue(
  config: Config,
): Promise<{ tables: readonly ArchivedTable[]; schema: string | null }> {
  try {
    const { tables, schema, close } = await readPlatformSnapshot(config);
    await close();
    return { tables, schema };
  } catch (error) {
    if (isMissingTable(error)) return { tables: [], schema: null };
    throw error;
  }
}

/** Throws unless the installation is unused. One that was only started has plans and settings, and counts as empty. */
export async function assertEmpty(tx: PlatformTransaction): Promise<void> {
  const tables = ['tenants', 'users', 'admins', 'audit_logs', 'catalog_products', 'mails'] as const;
  for (const table of tables) {
    const row = await tx.selectFrom(table).select(sql`1`.as('there')).limit(1).executeTakeFirst();
    if (row === undefined) continue;
    throw new Error(
      `Data can be loaded only into an empty installation, and this one has ${table}: set another DATA_DIR or DATABASE_URL.`,
    );
  }
}
