import { sql, type Transaction } from 'kysely';
import type { Database, Engine } from '../database.ts';
import { isPostgres } from '../dialect.ts';
import { postgresSealed } from '../errors.ts';
import { quoted } from './tables.ts';

// A sealed database has a trigger on each of its tables that refuses every change by any process. The name of a trigger
// contains the id of its seal, so that only the seal with that id is removed.

const prefix = 'sealed_';
const sealIdPattern = /^sealed_([0-9a-f]{32})/;
const sealFunction = 'licensing_sealed';

function triggerName(sealId: string): string {
  const name = prefix + sealId;
  if (!sealIdPattern.test(name))
    throw new Error(`"${sealId}" is not the id of a seal: it must have 32 hexadecimal digits.`);
  return name;
}

/**
 * Returns the statements that seal a database. Run them in one transaction with the statements that remove an older
 * seal. Throws unless `sealId` has 32 hexadecimal digits.
 */
export function sealStatements(engine: Engine, tables: readonly string[], sealId: string): string[] {
  const name = triggerName(sealId);
  return engine === 'postgres' ? postgresSeal(tables, name) : sqliteSeal(tables, name);
}

/** The trigger runs before each statement: https://www.postgresql.org/docs/current/sql-createtrigger.html */
function postgresSeal(tables: readonly string[], name: string): string[] {
  const body = `begin raise exception 'sealed' using errcode = '${postgresSealed}'; end`;
  return [
    `create or replace function ${sealFunction}() returns trigger language plpgsql as $$ ${body} $$`,
    ...tables.map(
      (table) =>
        `create trigger ${name} before insert or update or delete or truncate on ${quoted(table)} ` +
        `for each statement execute function ${sealFunction}()`,
    ),
  ];
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

/** A trigger of a seal, and its table. SQLite does not need the table, because names are unique in a database. */
export interface SealTrigger {
  readonly name: string;
  readonly on: string;
}

/** Queries for the triggers of seals; the rows are `SealTrigger`s. */
export const sealTriggersSql: Readonly<Record<Engine, string>> = {
  postgres: `select t.tgname as name, c.relname as "on" from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where t.tgname like 'sealed\\_%' and c.relnamespace = current_schema()::regnamespace`,
  sqlite: `select name, tbl_name as "on" from sqlite_schema where type = 'trigger' and name like 'sealed\\_%' escape '\\'`,
};

/** Returns the statement that removes a trigger. */
export function dropTriggerSql(engine: Engine, { name, on }: SealTrigger): string {
  return `drop trigger ${quoted(name)}${engine === 'postgres' ? ` on ${quoted(on)}` : ''}`;
}

/** Returns the id of a database's seal; undefined if it has none. */
export async function findSeal<Tables>({ engine, query }: Database<Tables>): Promise<string | undefined> {
  const { rows } = await sql.raw<SealTrigger>(sealTriggersSql[engine]).execute(query);
  return rows[0] && sealIdPattern.exec(rows[0].name)?.[1];
}

/** Removes the seal with this id. Does nothing if it was removed or replaced meanwhile. */
export async function removeSeal<Tables>(tx: Transaction<Tables>, sealId: string): Promise<void> {
  const engine = isPostgres(tx) ? 'postgres' : 'sqlite';
  const { rows } = await sql.raw<SealTrigger>(sealTriggersSql[engine]).execute(tx);
  for (const trigger of rows.filter(({ name }) => name.startsWith(triggerName(sealId)))) {
    await sql.raw(dropTriggerSql(engine, trigger)).execute(tx);
  }
}
