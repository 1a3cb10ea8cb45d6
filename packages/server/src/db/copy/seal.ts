import { sql } from 'kysely';
import type { Database, Engine } from '../database.ts';
import { postgresSealed } from '../errors.ts';
import { quoted } from './tables.ts';

// A sealed database has a trigger on each of its tables that refuses every change, whoever makes it. The name of a
// trigger tells whose the seal is, so that nobody takes away a seal that is not the one he means.

const prefix = 'sealed_';
const sealIdPattern = /^sealed_([0-9a-f]{32})/;
const sealFunction = 'licensing_sealed';

function triggerName(sealId: string): string {
  const name = prefix + sealId;
  if (!sealIdPattern.test(name)) throw new Error(`"${sealId}" is no id of a seal: 32 hexadecimal digits are.`);
  return name;
}

/** The statements that seal a database; they belong into one transaction, with those that remove an older seal. */
export function sealStatements(engine: Engine, tables: readonly string[], sealId: string): string[] {
  const name = triggerName(sealId);
  return engine === 'postgres' ? postgresSeal(tables, name) : sqliteSeal(tables, name);
}

/** Before each statement: https://www.postgresql.org/docs/current/sql-createtrigger.html */
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

/** Before each row, and per kind of change: https://sqlite.org/lang_createtrigger.html */
function sqliteSeal(tables: readonly string[], name: string): string[] {
  return tables.flatMap((table) =>
    ['insert', 'update', 'delete'].map(
      (change) =>
        `create trigger ${quoted(`${name}_${table}_${change}`)} before ${change} on ${quoted(table)} ` +
        "begin select raise(abort, 'sealed'); end",
    ),
  );
}

/** A trigger of a seal; on SQLite, where names are unique in a database, `on` is of no use. */
export interface SealTrigger {
  readonly name: string;
  readonly on: string;
}

/** Reads the triggers of seals, as `SealTrigger`s. */
export const sealTriggersSql: Readonly<Record<Engine, string>> = {
  postgres: `select t.tgname as name, c.relname as "on" from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where t.tgname like 'sealed\\_%' and c.relnamespace = current_schema()::regnamespace`,
  sqlite: `select name, tbl_name as "on" from sqlite_schema where type = 'trigger' and name like 'sealed\\_%' escape '\\'`,
};

/** The statement that takes a trigger away. */
export function dropTriggerSql(engine: Engine, { name, on }: SealTrigger): string {
  return `drop trigger ${quoted(name)}${engine === 'postgres' ? ` on ${quoted(on)}` : ''}`;
}

/** Whose seal a database has; undefined when it has none. */
export async function findSeal<Tables>({ engine, query }: Database<Tables>): Promise<string | undefined> {
  const { rows } = await sql.raw<SealTrigger>(sealTriggersSql[engine]).execute(query);
  return rows[0] && sealIdPattern.exec(rows[0].name)?.[1];
}

/** Takes a seal away, and no other one: it may be gone, or be replaced, since it was looked for. */
export async function removeSeal<Tables>(database: Database<Tables>, sealId: string): Promise<void> {
  const { engine } = database;
  await database.transaction(async (tx) => {
    const { rows } = await sql.raw<SealTrigger>(sealTriggersSql[engine]).execute(tx);
    for (const trigger of rows.filter(({ name }) => name.startsWith(triggerName(sealId)))) {
      await sql.raw(dropTriggerSql(engine, trigger)).execute(tx);
    }
  });
}
