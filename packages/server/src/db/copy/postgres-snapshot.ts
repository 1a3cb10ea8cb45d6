import { isLockedOut } from '../errors.ts';
import { captureLog, captureStatements } from './capture.ts';
import {
  changedRowsQuery,
  groupChanges,
  type HeldDatabase,
  type Holder,
  type RowsQuery,
  rowsPerBatch,
  type Snapshot,
} from './copy.ts';
import {
  type CopyConnection,
  connectForCopy,
  copyLimits,
  postgresRowsWithKeys,
  postgresTables,
} from './postgres-catalogue.ts';
import { dropTriggerSql, type SealTrigger, sealStatements, sealTriggersSql } from './seal.ts';
import { quoted } from './tables.ts';

function condition({ where }: Pick<RowsQuery, 'where'>): { readonly text: string; readonly values: string[] } {
  return where === undefined
    ? { text: '', values: [] }
    : { text: ` where ${where.column} = $1`, values: [where.value] };
}

/** Reads a PostgreSQL database in one transaction that does not see later commits. */
export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const connection = await connectForCopy(url);
  try {
    await connection.query(`begin isolation level repeatable read read only; ${copyLimits}`);
    return await readSnapshot(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function readSnapshot(connection: CopyConnection): Promise<Snapshot> {
  const schema = await newestMigration(connection);
  return createSnapshot(connection, schema, await postgresTables(connection.client));
}

async function newestMigration(connection: CopyConnection): Promise<string> {
  const [newest] = await connection.query<{ name: string }>('select max(name) as name from kysely_migration');
  return String(newest?.name);
}

/**
 * Connects to a PostgreSQL database to lock all of its tables against changes: readers continue and writers wait. The
 * error after `waitMs` is one that `isLockedOut` recognises.
 */
export async function openPostgresHolder(url: string): Promise<Holder> {
  const connection = await connectForCopy(url);
  try {
    const tables = await postgresTables(connection.client);
    return {
      hold: (waitMs) => hold(connection, tables, waitMs),
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** `tables` cannot be outdated: the caller compares the schema that is read under the lock. */
async function hold(connection: CopyConnection, tables: Snapshot['tables'], waitMs: number): Promise<HeldDatabase> {
  const end = async () => {
    await connection.query('rollback');
  };
  try {
    // SHARE conflicts with every change and with no read
    // (https://www.postgresql.org/docs/current/explicit-locking.html).
    const locked = await lockTables(connection, 'share', waitMs);
    return {
      ...createSnapshot(connection, await newestMigration(connection), tables),
      seal: (sealId) => seal(connection, locked, sealId),
      close: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Begins a transaction in which all tables are locked. Resolves with their names. */
async function lockTables(connection: CopyConnection, mode: string, waitMs: number): Promise<string[]> {
  // With read committed each statement sees all earlier commits; after the locks there can be no further ones.
  await connection.query(`begin isolation level read committed; ${copyLimits}; set local lock_timeout = ${waitMs}`);
  const tables = await allTables(connection);
  await connection.query(`lock table ${tables.map(quoted).join(', ')} in ${mode} mode`);
  return tables;
}

/**
 * How long each attempt to install a capture waits for a lock, in milliseconds. The first attempts are shorter than
 * PostgreSQL's `deadlock_timeout` (1 s), so that no writer is aborted by deadlock detection. The later ones are longer,
 * because an autovacuum releases its lock only after that time.
 */
const captureAttemptsMs = [700, 700, 700, 1_900, 1_900, 1_900, 1_900];

/**
 * Installs a capture (capture.ts) in a PostgreSQL database. Writers wait until the transactions that have already
 * written end, so that the capture misses no change that a later snapshot does not contain.
 */
export async function capturePostgres(url: string, captureId: string): Promise<void> {
  const connection = await connectForCopy(url);
  try {
    for (const [attempt, waitMs] of captureAttemptsMs.entries()) {
      try {
        await lockTables(connection, 'share row exclusive', waitMs);
        break;
      } catch (error) {
        if (!isLockedOut(error) || attempt === captureAttemptsMs.length - 1) throw error;
        await connection.query('rollback');
      }
    }
    const statements = captureStatements('postgres', await postgresTables(connection.client), captureId);
    await connection.query(`${statements.join('; ')}; commit`);
  } finally {
    await connection.close();
  }
}

/** Includes the ledger of migrations: a schema that changes during the copy would be lost. */
async function allTables(connection: CopyConnection): Promise<string[]> {
  const rows = await connection.query<{ name: string }>(
    "select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace order by 1",
  );
  return rows.map(({ name }) => name);
}

async function seal(connection: CopyConnection, tables: readonly string[], sealId: string): Promise<void> {
  const former = await connection.query<SealTrigger & Record<string, unknown>>(sealTriggersSql.postgres);
  const statements = [
    ...former.map((trigger) => dropTriggerSql('postgres', trigger)),
    ...sealStatements('postgres', tables, sealId),
  ];
  await connection.query(statements.join('; '));
  await connection.query('commit');
}

/** Returns the query for the entries of the log that a snapshot did not contain. */
function changesQuery(captureId: string, since: string): RowsQuery {
  if (!/^\d+:\d+:[\d,]*$/.test(since)) throw new Error(`"${since}" is not a position in a capture.`);
  const snapshot = `'${since}'::pg_snapshot`;
  const isNew = `transaction_id >= pg_snapshot_xmin(${snapshot}) and not pg_visible_in_snapshot(transaction_id, ${snapshot})`;
  return changedRowsQuery(captureLog('postgres', captureId), isNew);
}

function createSnapshot(connection: CopyConnection, schema: string, tables: Snapshot['tables']): Snapshot {
  return {
    schema,
    tables,
    async count(query) {
      const { text, values } = condition(query);
      const [row] = await connection.query<{ rows: number }>(
        `select count(*) as rows from ${query.from}${text}`,
        values,
      );
      return Number(row?.rows);
    },
    async *rows(query) {
      const { text, values } = condition(query);
      const select = `select json_build_array(${query.columns.join(', ')})::text as row from ${query.from}${text}`;
      await connection.query(`declare copied no scroll cursor for ${select}`, values);
      for (;;) {
        const rows = await connection.query<{ row: string }>(`fetch ${rowsPerBatch} from copied`);
        if (rows.length > 0) yield rows.map(({ row }) => row);
        if (rows.length < rowsPerBatch) break;
      }
      await connection.query('close copied');
    },
    rowsWithKeys: (table, keys) => postgresRowsWithKeys(connection, table, keys),
    async position() {
      const [row] = await connection.query<{ position: string }>('select pg_current_snapshot()::text as position');
      return String(row?.position);
    },
    countChanges(captureId, since) {
      return this.count(changesQuery(captureId, since));
    },
    changes(captureId, since) {
      return groupChanges(this.rows(changesQuery(captureId, since)));
    },
    close: () => connection.close(),
  };
}
