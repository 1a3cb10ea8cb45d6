import pg from 'pg';
import { fromPostgresError } from '../errors.ts';
import { clientConfig, describeServer, localLimits } from '../postgres/client.ts';
import { type CatalogueColumn, type CatalogueReference, type CopiedTable, copiedTables, quoted } from './tables.ts';

const columnsSql = `
  select c.relname as "table", a.attname as "column", format_type(a.atttypid, null) as type,
    coalesce(array_position(i.indkey::int2[], a.attnum), -1) + 1 as "keyPosition"
  from pg_class c join pg_attribute a on a.attrelid = c.oid
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
    and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`;

const referencesSql = `
  select c.relname as "table", t.relname as target
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class t on t.oid = k.confrelid
  where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace`;

/** Reads the tables of the connection's schema from the server's catalogue. */
export async function postgresTables(client: pg.Client): Promise<CopiedTable[]> {
  const columns = await client.query<CatalogueColumn>(columnsSql);
  const references = await client.query<CatalogueReference>(referencesSql);
  return copiedTables(columns.rows, references.rows);
}

/** A connection without timeouts, because a copy may take longer than any statement of a request. */
export interface CopyConnection {
  readonly client: pg.Client;
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** The SQL that follows BEGIN in a copy: it disables the role's timeouts for statements and idle transactions. */
export const copyLimits = localLimits({
  statement_timeout: 0,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 0,
});

/** Opens the connection of a copy. Outages reject with a `DatabaseUnavailableError`. */
export async function connectForCopy(url: string): Promise<CopyConnection> {
  const server = describeServer({ url });
  // Statements that do not wait for each other are sent at once.
  const client = new pg.Client({ ...clientConfig({ url }, {}), pipeline: true });
  // An error outside a statement closes the connection; the next statement reports it.
  client.on('error', () => undefined);
  const guarded = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw fromPostgresError(error, server);
    }
  };
  await guarded(() => client.connect());
  return {
    client,
    query: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
      (await guarded(() => client.query<Row>(text, [...values]))).rows,
    close: () => client.end().catch(() => undefined),
  };
}

const castTypes = { text: 'text', integer: 'bigint' } as const;

function isSameKey({ key }: CopiedTable): string {
  return key
    .map(({ name, type }, index) => `found.${quoted(name)} = (k.value ->> ${index})::${castTypes[type]}`)
    .join(' and ');
}

/** Finds rows by keys (`Snapshot.rowsWithKeys`). */
export async function postgresRowsWithKeys(
  connection: CopyConnection,
  table: CopiedTable,
  keys: readonly string[],
): Promise<string[]> {
  const columns = table.columns.map(({ name }) => `found.${quoted(name)}`).join(', ');
  const rows = await connection.query<{ row: string }>(
    `select json_build_array(${columns})::text as row
      from json_array_elements($1::json) k(value) join ${quoted(table.name)} found on ${isSameKey(table)}`,
    [keysText(keys)],
  );
  return rows.map(({ row }) => row);
}

/** Deletes rows by keys. */
export async function postgresDeleteWithKeys(
  connection: CopyConnection,
  table: CopiedTable,
  keys: readonly string[],
): Promise<void> {
  await connection.query(
    `delete from ${quoted(table.name)} found using json_array_elements($1::json) k(value) where ${isSameKey(table)}`,
    [keysText(keys)],
  );
}

/** Returns a JSON array of keys, each of which is the text of a JSON array. */
function keysText(keys: readonly string[]): string {
  return `[${keys.join(',')}]`;
}

/** The statements that remove a part of the schema and that restore it. */
interface Removable {
  readonly remove: string;
  readonly restore: string;
}

const foreignKeysSql = `
  select format('alter table %s drop constraint %I', conrelid::regclass, conname) as remove,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as restore
  from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace order by conname`;

const indexesSql = `
  select format('drop index %s', i.indexrelid::regclass) as remove, pg_get_indexdef(i.indexrelid) as restore
  from pg_index i join pg_class c on c.oid = i.indrelid
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
    and not exists (select from pg_constraint k where k.conindid = i.indexrelid) order by i.indexrelid`;

/**
 * Removes the foreign keys and all indexes except those of primary keys, in the caller's transaction: rows with random
 * keys change pages all over an index, and building the index at the end costs a fraction of that. Resolves with a
 * function that restores them and throws if rows violate one of them.
 */
export async function removeIndexes(connection: CopyConnection): Promise<() => Promise<void>> {
  const indexes = await connection.query<Removable & Record<string, unknown>>(indexesSql);
  const foreignKeys = await connection.query<Removable & Record<string, unknown>>(foreignKeysSql);
  for (const { remove } of [...foreignKeys, ...indexes]) await connection.query(remove);
  return async () => {
    await connection.query("set local maintenance_work_mem = '128MB'");
    for (const { restore } of [...indexes, ...foreignKeys]) await connection.query(restore);
  };
}
