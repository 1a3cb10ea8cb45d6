import pg from 'pg';
import { fromPostgresError } from '../errors.ts';
import { clientConfig, describeServer, localLimits } from '../postgres/client.ts';
import { type CatalogueColumn, type CatalogueReference, type CopiedTable, copiedTables } from './tables.ts';

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
