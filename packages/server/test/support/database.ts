import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { createTenantDatabase, dropTenantDatabase } from '../../src/db/postgres/admin.ts';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';
import { newId } from '../../src/lib/ids.ts';

const isPostgres = process.env['ENGINE'] === 'postgres';

/** An empty database of the engine under test, for one suite or one test. */
export interface FreshDatabase {
  /** The path of its file, or its URL. */
  readonly location: string;
  /** Opens another handle, as another process would have. `remove` closes it. */
  open<Tables>(): Database<Tables>;
  remove(): Promise<void>;
}

/** The databases that a test opened; they are closed before their storage is removed. */
function tracked(
  location: string,
  openOne: <Tables>() => Database<Tables>,
  removeStorage: () => Promise<void> | void,
): FreshDatabase {
  const opened: Pick<Database<unknown>, 'close'>[] = [];
  return {
    location,
    open<Tables>() {
      const db = openOne<Tables>();
      opened.push(db);
      return db;
    },
    async remove() {
      for (const db of opened) await db.close();
      await removeStorage();
    },
  };
}

function freshSqlite(): FreshDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'licensing-db-'));
  const file = join(folder, 'test.db');
  return tracked(
    file,
    <Tables>() => openSqlite<Tables>(file, { create: true }),
    () => rmSync(folder, { recursive: true, force: true }),
  );
}

async function freshPostgres(): Promise<FreshDatabase> {
  const serverUrl = inject('postgresUrl');
  const databaseName = `test_${newId().replaceAll('-', '')}`;
  const password = newId();
  await createTenantDatabase(serverUrl, { databaseName, password });
  const url = new URL(serverUrl);
  url.username = databaseName;
  url.password = password;
  url.pathname = `/${databaseName}`;
  return tracked(
    url.href,
    <Tables>() => openPostgres<Tables>({ url: url.href }),
    () => dropTenantDatabase(serverUrl, databaseName),
  );
}

/** Creates an empty database: a file in a temporary folder, or a database of the private PostgreSQL of the run. */
export async function freshDatabase(): Promise<FreshDatabase> {
  return isPostgres ? await freshPostgres() : freshSqlite();
}
