import { type Kysely, sql, type Transaction } from 'kysely';
import { quoted } from './archive/tables.ts';
import type { Database, Engine } from './database.ts';
import { postgresSealed } from './errors.ts';
import { executeScript } from './statements.ts';

// A sealed database has a trigger on each of its tables that refuses every change by any process. The name of a trigger
// contains the id of its seal, so that only the seal with that id is removed. On PostgreSQL so does the name of the
// function that the triggers call.

const prefix = 'sealed_';
const sealIdPattern = /^sealed_([0-9a-f]{32})/;

function triggerName(sealId: string): string {
  const name = prefix + sealId;
  if (!sealIdPattern.test(name))
    throw new Error(`"${sealId}" is not the id of a seal: it must have 32 hexadecimal digits.`);
  return name;
}

const tablesSql: Readonly<Record<Engine, string>> = {
  postgres: `select relname as name from pg_class
    where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace order by 1`,
  sqlite: `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`,
};

/**
 * Makes a database refuse every change by any process with a `TenantMovingError`, until `removeSeal`. The ledger of
 * migrations is sealed too. Transactions that have already written end first: if they take longer than `lockWaitMs` on
 * PostgreSQL, or 5 s on SQLite, throws a `DatabaseUnavailableError` (`isLockedOut`, `isSqliteBusy`). `assertMaySeal` runs
 * right before the commit. Throws unless `sealId` has 32 hexadecimal digits.
 */
export async function seal<Tables>(
  database: Database<Tables>,
  sealId: string,
  lockWaitMs: number,
  assertMaySeal: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { engine } = database;
  const name = triggerName(sealId);
  await database.transaction(async (tx) => {
    const tables = await namesOf(tx, tablesSql[engine]);
    if (engine === 'postgres') {
      // This mode conflicts with every change and with no read:
      // https://www.postgresql.org/docs/current/explicit-locking.html
      const lock = `lock table ${tables.map(quoted).join(', ')} in share row exclusive mode`;
      await executeScript(tx, `set local lock_timeout = ${lockWaitMs}; ${lock}`);
    }
    const statements = engine === 'postgres' ? postgresSeal(tables, name) : sqliteSeal(tables, name);
    await executeScript(tx, statements.join('; '));
    await assertMaySeal();
  });
}

/** The trigger runs before each statement: https://www.postgresql.org/docs/current/sql-createtrigger.html */
function postgresSeal(tables: readonly string[], name: string): string[] {
  return [
    functionSql(name, `raise exception 'sealed' using errcode = '${postgresSealed}'`),
    ...tables.map(
      (table) =>
        `create trigger ${name} before insert or update or delete or truncate on ${quoted(table)} ` +
        `for each statement execute function ${name}()`,
    ),
  ];
}

function functionSql(name: string, statement: string): string {
  return `create or replace function ${name}() returns trigger language plpgsql as $$ begin ${statement}; end $$`;
}

/** A trigger runs before each row, and needs one per kind of change: https://sqlite.org/lang_createtrigger.html */
function sqliteSeal(tables: readonly string[], name: string): string[] {
  return tables.flatMap((table) =>
    ['insert', 'update', 'delete'].map(
      (change) =>
        `create trigger ${quoted(`${name}_${table}_${change}`)} before ${change} on ${quoted(table)} ` +
        "begin select raise(abort, 'sealed'); end",
    ),
  );
}

const triggersSql: Readonly<Record<Engine, string>> = {
  postgres: `select tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where t.tgname like 'sealed\\_%' and c.relnamespace = current_schema()::regnamespace`,
  sqlite: `select name from sqlite_schema where type = 'trigger' and name like 'sealed\\_%' escape '\\'`,
};

async function namesOf<Tables>(database: Kysely<Tables>, query: string): Promise<string[]> {
  const { rows } = await sql.raw<{ name: string }>(query).execute(database);
  return rows.map(({ name }) => name);
}

/** Returns the id of a database's seal; undefined if it has none. */
export async function findSeal<Tables>({ engine, query }: Database<Tables>): Promise<string | undefined> {
  const [name = ''] = await namesOf(query, triggersSql[engine]);
  return sealIdPattern.exec(name)?.[1];
}

/**
 * How long removing a trigger waits for the lock of its table on PostgreSQL, in milliseconds: shorter than
 * `deadlock_timeout` (1 s), so that no writer is aborted by deadlock detection. Later statements on the table wait behind
 * it.
 */
const removalLockMs = 700;

/**
 * Removes the seal with this id, after `work` in the same transaction, so that no other change comes before `work`. Does
 * nothing if the seal was removed or replaced meanwhile. On PostgreSQL the database accepts changes although a
 * transaction still reads it, such as that of a mover whose machine died: the triggers do nothing from then on. Then it
 * throws, and a later call removes them.
 */
export async function removeSeal<Tables>(
  database: Database<Tables>,
  sealId: string,
  work: (tx: Transaction<Tables>) => Promise<void>,
): Promise<void> {
  const { engine } = database;
  const name = triggerName(sealId);
  await database.transaction(async (tx) => {
    const own = (await namesOf(tx, triggersSql[engine])).filter((trigger) => trigger.startsWith(name));
    if (own.length === 0) return;
    const disarm = own.map((trigger) => `drop trigger ${quoted(trigger)}`).join('; ');
    await executeScript(tx, engine === 'postgres' ? functionSql(name, 'return null') : disarm);
    await work(tx);
  });
  if (engine === 'sqlite') return;
  await database.transaction((tx) =>
    executeScript(tx, `set local lock_timeout = ${removalLockMs}; drop function if exists ${name} cascade`),
  );
}
