import { sql, type Transaction } from 'kysely';
import type { Database, Engine } from '../database.ts';
import { isLockedOut } from '../errors.ts';
import { type CopiedTable, captureTable, quoted } from './tables.ts';

// A capture records which rows of a database change while the database is served: triggers on each table insert the
// table's name and the primary key of each changed row into a log. The log is only a list of keys; a row's state is
// read from the row itself. The names of a capture contain its id, so that only the capture with that id is removed.
//
// On PostgreSQL a capture is a schema of its own, in which dropping it also drops the triggers. On SQLite it is a table
// and triggers beside the others.

const idPattern = /^[0-9a-f]{32}$/;
const schemaPrefix = 'captured_changes_';
const triggerPrefix = 'capture_';

function checkedId(captureId: string): string {
  if (idPattern.test(captureId)) return captureId;
  throw new Error(`"${captureId}" is not the id of a capture: it must have 32 hexadecimal digits.`);
}

/** Returns the quoted name of the log of a capture. Throws unless the id has 32 hexadecimal digits. */
export function captureLog(engine: Engine, captureId: string): string {
  const id = checkedId(captureId);
  return engine === 'postgres' ? `${quoted(schemaPrefix + id)}.changes` : quoted(captureTable(id));
}

/** Returns the statements that install a capture. Run them in one transaction while nothing else writes. */
export function captureStatements(engine: Engine, tables: readonly CopiedTable[], captureId: string): string[] {
  for (const { name, key } of tables) {
    if (key.length === 0) throw new Error(`The table ${name} has no primary key, so its changes cannot be captured.`);
  }
  return engine === 'postgres' ? postgresCapture(tables, captureId) : sqliteCapture(tables, captureId);
}

/** Returns SQL for the key of a row as the text of a JSON array; `row` is `old` or `new`. */
function keyText(engine: Engine, { key }: CopiedTable, row: 'old' | 'new'): string {
  const values = key.map(({ name }) => `${row}.${quoted(name)}`).join(', ');
  return engine === 'postgres' ? `json_build_array(${values})::text` : `json_array(${values})`;
}

function isKeyChanged({ key }: CopiedTable): string {
  return key.map(({ name }) => `old.${quoted(name)} <> new.${quoted(name)}`).join(' or ');
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Each entry has the id of its transaction, because commits are not in the order of a sequence. A row trigger also
 * fires for the rows that a foreign key deletes: https://www.postgresql.org/docs/current/trigger-definition.html
 */
function postgresCapture(tables: readonly CopiedTable[], captureId: string): string[] {
  const log = captureLog('postgres', captureId);
  const schema = quoted(schemaPrefix + captureId);
  const note = (table: CopiedTable, row: 'old' | 'new') =>
    `insert into ${log} (table_name, row_key) values (${literal(table.name)}, ${keyText('postgres', table, row)});`;
  return [
    `create schema ${schema}`,
    `create table ${log} (transaction_id xid8 not null default pg_current_xact_id(), table_name text not null, row_key text not null)`,
    `create index on ${log} (transaction_id)`,
    ...tables.flatMap((table, index) => [
      `create function ${schema}.note_${index}() returns trigger language plpgsql as $$ begin
        if tg_op = 'INSERT' then ${note(table, 'new')}
        elsif tg_op = 'DELETE' then ${note(table, 'old')}
        else
          ${note(table, 'old')}
          if ${isKeyChanged(table)} then ${note(table, 'new')} end if;
        end if;
        return null;
      end $$`,
      `create trigger ${quoted(triggerPrefix + captureId)} after insert or update or delete on ${quoted(table.name)} ` +
        `for each row execute function ${schema}.note_${index}()`,
    ]),
  ];
}

/** Transactions run one at a time, so the entries are in the order of the commits. */
function sqliteCapture(tables: readonly CopiedTable[], captureId: string): string[] {
  const log = captureLog('sqlite', captureId);
  const note = (table: CopiedTable, row: 'old' | 'new') =>
    `insert into ${log} (table_name, row_key) values (${literal(table.name)}, ${keyText('sqlite', table, row)})`;
  const trigger = (table: CopiedTable, event: string, row: 'old' | 'new', condition = '') => {
    const name = quoted(`${triggerPrefix}${captureId}_${table.name}_${event}_${row}`);
    return `create trigger ${name} after ${event} on ${quoted(table.name)} ${condition} begin ${note(table, row)}; end`;
  };
  return [
    `create table ${log} (sequence integer primary key, table_name text not null, row_key text not null)`,
    ...tables.flatMap((table) => [
      trigger(table, 'insert', 'new'),
      trigger(table, 'delete', 'old'),
      trigger(table, 'update', 'old'),
      trigger(table, 'update', 'new', `when ${isKeyChanged(table)}`),
    ]),
  ];
}

const capturesSql: Readonly<Record<Engine, string>> = {
  postgres: `select nspname as name from pg_namespace where nspname like 'captured\\_changes\\_%'`,
  sqlite: `select name from sqlite_schema where type = 'table' and name like 'captured\\_changes\\_%' escape '\\'`,
};

/** Returns the ids of a database's captures. */
export async function findCaptures<Tables>({ engine, query }: Database<Tables>): Promise<string[]> {
  const { rows } = await sql.raw<{ name: string }>(capturesSql[engine]).execute(query);
  return rows.map(({ name }) => name.slice(schemaPrefix.length)).filter((id) => idPattern.test(id));
}

/**
 * How long a removal waits for the lock of a table on PostgreSQL, in milliseconds: shorter than `deadlock_timeout`
 * (1 s), so that no writer is aborted by deadlock detection. Later statements on the table wait behind it.
 */
const removalLockMs = 700;
const removalAttempts = 5;

/** Removes the capture with this id: its triggers and its log. Does nothing if it was removed meanwhile. */
export async function removeCapture<Tables>(database: Database<Tables>, captureId: string): Promise<void> {
  checkedId(captureId);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await database.transaction((tx) => remove(tx, database.engine, captureId));
      return;
    } catch (error) {
      if (!isLockedOut(error) || attempt === removalAttempts) throw error;
    }
  }
}

async function remove<Tables>(tx: Transaction<Tables>, engine: Engine, captureId: string): Promise<void> {
  if (engine === 'postgres') {
    await sql.raw(`set local lock_timeout = ${removalLockMs}`).execute(tx);
    await sql.raw(`drop schema if exists ${quoted(schemaPrefix + captureId)} cascade`).execute(tx);
    return;
  }
  const triggersSql = `select name from sqlite_schema where type = 'trigger' and name like '${triggerPrefix}${captureId}%'`;
  const { rows } = await sql.raw<{ name: string }>(triggersSql).execute(tx);
  for (const { name } of rows) await sql.raw(`drop trigger ${quoted(name)}`).execute(tx);
  await sql.raw(`drop table if exists ${captureLog('sqlite', captureId)}`).execute(tx);
}
