import { isLockedOut } from '../errors.ts';
import { type HeldDatabase, type RowsQuery, rowsPerBatch, type Snapshot } from './copy.ts';
import { type CopyConnection, connectForCopy, copyLimits, postgresTables } from './postgres-catalogue.ts';
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
  const [newest] = await connection.query<{ name: string }>('select max(name) as name from kysely_migration');
  const tables = await postgresTables(connection.client);
  return createSnapshot(connection, String(newest?.name), tables);
}

/**
 * Reads a PostgreSQL database while all of its tables are locked against changes: readers continue and writers wait.
 * Waits up to 10 s for transactions that have already written.
 */
export async function holdPostgres(url: string): Promise<HeldDatabase> {
  const connection = await connectForCopy(url);
  try {
    const tables = await lockTables(connection);
    return {
      ...(await readSnapshot(connection)),
      seal: (sealId) => seal(connection, tables, sealId),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/**
 * How long each attempt waits for a lock, in milliseconds. The first attempts are shorter than PostgreSQL's
 * `deadlock_timeout` (1 s), so that no writer is aborted by deadlock detection. The later ones are longer, because an
 * autovacuum releases its lock only after that time.
 */
const attemptsMs = [700, 700, 700, 1_900, 1_900, 1_900, 1_900];

/** Begins a transaction in which all tables are locked against changes. Resolves with their names. */
async function lockTables(connection: CopyConnection): Promise<string[]> {
  for (const [attempt, lockMs] of attemptsMs.entries()) {
    // With read committed each statement sees all earlier commits; after the locks there can be no further ones.
    await connection.query(`begin isolation level read committed; ${copyLimits}; set local lock_timeout = ${lockMs}`);
    try {
      const tables = await allTables(connection);
      // SHARE conflicts with every change and with no read
      // (https://www.postgresql.org/docs/current/explicit-locking.html).
      await connection.query(`lock table ${tables.map(quoted).join(', ')} in share mode`);
      return tables;
    } catch (error) {
      if (!isLockedOut(error) || attempt === attemptsMs.length - 1) throw error;
      await connection.query('rollback');
    }
  }
  throw new Error('No attempt was made to lock the tables.');
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
    close: () => connection.close(),
  };
}
