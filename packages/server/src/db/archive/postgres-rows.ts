import pg from 'pg';
import type { SqlValue } from '../database.ts';
import { migrationLockId } from '../dialect.ts';
import { fromPostgresError } from '../errors.ts';
import { clientConfig, describeServer, localLimits } from '../postgres/client.ts';
import {
  type ArchivedTable,
  archivedTables,
  type CatalogueColumn,
  type CatalogueReference,
  conditionOf,
  type Loader,
  type MigrationGuard,
  quoted,
  rowsPerBatch,
  type Snapshot,
} from './tables.ts';

/** A connection without timeouts, because a copy may take longer than any statement of a request. */
interface Connection {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** The SQL that follows BEGIN: it disables the role's timeouts for statements and idle transactions. */
const limits = localLimits({
  statement_timeout: 0,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 0,
});

/** Runs `create` on a new connection and closes it if that fails. Outages reject with a `DatabaseUnavailableError`. */
async function withConnection<Created>(
  url: string,
  create: (connection: Connection) => Promise<Created>,
): Promise<Created> {
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
  const connection: Connection = {
    query: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
      (await guarded(() => client.query<Row>(text, [...values]))).rows,
    close: () => client.end().catch(() => undefined),
  };
  try {
    return await create(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

const columnsSql = `
  select c.relname as "table", a.attname as "column", format_type(a.atttypid, null) as type
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
    and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`;

const referencesSql = `
  select c.relname as "table", t.relname as target
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class t on t.oid = k.confrelid
  where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace`;

/** Reads the tables of the connection's schema from the server's catalogue. */
async function postgresTables(connection: Connection): Promise<ArchivedTable[]> {
  const columns = await connection.query<CatalogueColumn & pg.QueryResultRow>(columnsSql);
  const references = await connection.query<CatalogueReference & pg.QueryResultRow>(referencesSql);
  return archivedTables(columns, references);
}

/** Reads a PostgreSQL database in one transaction that does not see later commits. */
export function openPostgresSnapshot(url: string): Promise<Snapshot> {
  return withConnection(url, async (connection) => {
    await connection.query(`begin isolation level repeatable read read only; ${limits}`);
    const [newest] = await connection.query<{ name: string }>('select max(name) as name from kysely_migration');
    return createSnapshot(connection, String(newest?.name), await postgresTables(connection));
  });
}

function createSnapshot(connection: Connection, schema: string, tables: Snapshot['tables']): Snapshot {
  return {
    schema,
    tables,
    async count(query) {
      const { text, values } = conditionOf(query, '$1');
      const [row] = await connection.query<{ rows: number }>(
        `select count(*) as rows from ${query.from}${text}`,
        values,
      );
      return Number(row?.rows);
    },
    async *rows(query) {
      const { text, values } = conditionOf(query, '$1');
      const select = `select json_build_array(${query.columns.join(', ')})::text as row from ${query.from}${text}`;
      await connection.query(`declare copied no scroll cursor for ${select}`, values);
      for (;;) {
        const rows = await connection.query<{ row: string }>(`fetch ${rowsPerBatch} from copied`);
        if (rows.length > 0) yield rows.map(({ row }) => row);
        if (rows.length < rowsPerBatch) break;
      }
      await connection.query('close copied');
    },
    close: () => connection.close(),
  };
}

const arrayTypes = { text: 'text[]', integer: 'bigint[]' } as const;

/** The arrays of columns give a statement one parameter per column for any number of rows. */
function insertSql({ name, columns }: ArchivedTable): string {
  const names = columns.map((column) => quoted(column.name)).join(', ');
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${arrayTypes[type]}`).join(', ');
  return `insert into ${quoted(name)} (${names}) select * from unnest(${arrays})`;
}

/** Empties the tables of a PostgreSQL database and fills them in one transaction, which `finish` commits. */
export function openPostgresLoader(url: string): Promise<Loader> {
  return withConnection(url, async (connection) => {
    await connection.query(`begin; ${limits}`);
    const tables = await postgresTables(connection);
    await connection.query(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`);
    return createLoader(connection, tables, await removeIndexes(connection));
  });
}

function createLoader(
  connection: Connection,
  tables: readonly ArchivedTable[],
  restoreIndexes: () => Promise<void>,
): Loader {
  return {
    tables,
    async insert(table, rows) {
      if (rows.length === 0) return;
      const arrays = table.columns.map((_column, index): (SqlValue | undefined)[] => rows.map((row) => row[index]));
      await connection.query(insertSql(table), arrays);
    },
    async finish() {
      await restoreIndexes();
      const counts = new Map<string, number>();
      for (const { name } of tables) {
        const [row] = await connection.query<{ rows: number }>(`select count(*) as rows from ${quoted(name)}`);
        counts.set(name, Number(row?.rows));
      }
      await connection.query('commit');
      await connection.query(`begin; ${limits}; analyze; commit`);
      return counts;
    },
    close: () => connection.close(),
  };
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
async function removeIndexes(connection: Connection): Promise<() => Promise<void>> {
  const indexes = await connection.query<Removable & pg.QueryResultRow>(indexesSql);
  const foreignKeys = await connection.query<Removable & pg.QueryResultRow>(foreignKeysSql);
  for (const { remove } of [...foreignKeys, ...indexes]) await connection.query(remove);
  return async () => {
    await connection.query("set local maintenance_work_mem = '128MB'");
    for (const { restore } of [...indexes, ...foreignKeys]) await connection.query(restore);
  };
}

// https://www.postgresql.org/docs/current/view-pg-locks.html: the key is split into two columns of 32 bits.
const awaitedSql = `select from pg_locks
  where locktype = 'advisory' and not granted and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32) | objid::bigint = ${migrationLockId}`;

/**
 * Holds the lock that migrations of any version of the program take first. A migration that changes a table would
 * otherwise wait for a snapshot of it, and every statement on that table would wait behind the migration.
 */
export function guardPostgres(url: string): Promise<MigrationGuard> {
  return withConnection(url, async (connection) => {
    await connection.query(`begin; ${limits}`);
    await connection.query(`select pg_advisory_xact_lock(${migrationLockId})`);
    return {
      isAwaited: async () => (await connection.query(awaitedSql)).length > 0,
      close: () => connection.close(),
    };
  });
}
