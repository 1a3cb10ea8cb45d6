import { DatabaseSync } from 'node:sqlite';
import { type Dialect, Kysely, PostgresDialect, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { Pool } from 'pg';
import type { Migrations } from '../../src/db/migrations/migrate.ts';

/** Returns Kysely's dialect for a database. `location` is the path of a file or a PostgreSQL URL. */
function dialectOf(location: string): Dialect {
  if (location.startsWith('postgres'))
    return new PostgresDialect({ pool: new Pool({ connectionString: location, max: 1 }) });
  const database = new DatabaseSync(location);
  return new SqliteDialect({
    database: {
      close: () => database.close(),
      prepare(statement) {
        const prepared = database.prepare(statement);
        return {
          reader: prepared.columns().length > 0,
          all: (parameters) => prepared.all(...(parameters as string[])),
          run: (parameters) => prepared.run(...(parameters as string[])),
          iterate: (parameters) => prepared.iterate(...(parameters as string[])) as IterableIterator<unknown>,
        };
      },
    },
  });
}

/** Migrates a database with Kysely's own Migrator and dialects. Only the migrations come from this repository. */
export async function migrateByKysely(location: string, migrations: Migrations): Promise<void> {
  const db = new Kysely<unknown>({ dialect: dialectOf(location) });
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve({ ...migrations }) } });
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
  } finally {
    await db.destroy();
  }
}
