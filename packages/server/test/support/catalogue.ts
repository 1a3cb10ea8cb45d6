import { type Kysely, sql } from 'kysely';
import type { Engine } from '../../src/db/database.ts';
import { isPostgres } from '../../src/db/dialect.ts';
import { ledgerTables } from '../../src/db/migrations/ledger.ts';

type Row = Record<string, unknown>;

const postgresParts: Readonly<Record<string, string>> = {
  columns: `
    select c.relname, c.relkind, pg_get_userbyid(c.relowner) = current_user as is_own, a.attname, a.attnum,
      format_type(a.atttypid, a.atttypmod) as type, a.attnotnull, a.attidentity, a.attgenerated, l.collname,
      pg_get_expr(d.adbin, d.adrelid) as default_value
    from pg_class c join pg_attribute a on a.attrelid = c.oid
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      left join pg_collation l on l.oid = a.attcollation
    where c.relnamespace = current_schema()::regnamespace and a.attnum > 0 and not a.attisdropped`,
  indexes: 'select tablename, indexname, indexdef from pg_indexes where schemaname = current_schema()',
  constraints: `
    select conrelid::regclass::text as table_name, conname, contype, convalidated, pg_get_constraintdef(oid) as definition
    from pg_constraint where connamespace = current_schema()::regnamespace`,
  others: `
    select relkind, relname from pg_class where relnamespace = current_schema()::regnamespace and relkind not in ('r', 'i')
    union all select 'T', tgname from pg_trigger where not tgisinternal
    union all select 'F', proname from pg_proc where pronamespace = current_schema()::regnamespace
    union all select 'S', nspname from pg_namespace where nspname !~ '^pg_'`,
};

const sqliteParts: Readonly<Record<string, string>> = {
  objects: 'select type, name, tbl_name, sql from sqlite_schema',
};

/** Returns the database's catalogue as sorted lines, without `schema_compatibility`, which Kysely does not create. */
export async function readCatalogueOf<Tables>(db: Kysely<Tables>, engine: Engine): Promise<string[]> {
  const parts = engine === 'postgres' ? postgresParts : sqliteParts;
  const lines: string[] = [];
  for (const [part, statement] of Object.entries(parts)) {
    const { rows } = await sql.raw<Row>(statement).execute(db);
    lines.push(...rows.map((row) => `${part} ${JSON.stringify(row)}`));
  }
  return lines.filter((line) => !line.includes('schema_compatibility')).sort();
}

/** Returns the rows of every table as sorted lines, without the times at which migrations ran. */
export async function readRowsOf<Tables>(db: Kysely<Tables>): Promise<string[]> {
  const lines: string[] = [];
  const names = (await listTables(db)).map((table) => table.name);
  for (const name of ['kysely_migration', 'kysely_migration_lock', ...names]) {
    const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(db);
    lines.push(...rows.map(({ timestamp: _when, ...row }) => `${name} ${JSON.stringify(row)}`));
  }
  return lines.sort();
}

/** Lists the tables in the database's catalogue, except the migration ledger. */
export async function listTables<Tables>(
  db: Kysely<Tables>,
): Promise<{ readonly name: string; readonly columns: readonly string[] }[]> {
  const columns = isPostgres(db)
    ? sql<Column>`select table_name as name, column_name as "column" from information_schema.columns
        where table_schema = current_schema()`
    : sql<Column>`select s.name, c.name as "column" from sqlite_schema s, pragma_table_info(s.name) c
        where s.type = 'table' and s.name not like 'sqlite\\_%' escape '\\'`;
  const { rows } = await columns.execute(db);
  const tables = Map.groupBy(
    rows.filter(({ name }) => !ledgerTables.has(name)),
    ({ name }) => name,
  );
  return Array.from(tables, ([name, ofTable]) => ({ name, columns: ofTable.map(({ column }) => column) }));
}

interface Column {
  readonly name: string;
  readonly column: string;
}
