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

/** Reads a PostgreSQL database in one transaction that sees nothing of what is committed after its beginning. */
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
 * Reads a PostgreSQL database while every table of it is locked against changes: readers go on, and writers wait. It
 * waits for those who write already, ten seconds at most.
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
 * How long each attempt waits for a lock: at first shorter than PostgreSQL looks for deadlocks (1 s), so that it is never
 * a writer who is ended for one, then longer, because only after that a vacuum gives way.
 */
const attemptsMs = [700, 700, 700, 1_900, 1_900, 1_900, 1_900];

/** Begins a transaction with all tables locked against changes. Answers their names. */
async function lockTables(connection: CopyConnection): Promise<string[]> {
  for (const [attempt, lockMs] of attemptsMs.entries()) {
    // Each statement sees what was committed before it: after the locks that is all there will be.
    await connection.query(`begin isolation level read committed; ${copyLimits}; set local lock_timeout = ${lockMs}`);
    try {
      const tables = await allTables(connection);
      // SHARE conflicts with every change and with no read (https://www.postgresql.org/docs/current/explicit-locking.html).
      await connection.query(`lock table ${tables.map(quoted).join(', ')} in share mode`);
      return tables;
    } catch (error) {
      if (!isLockedOut(error) || attempt === attemptsMs.length - 1) throw error;
      await connection.query('rollback');
    }
  }
  throw new Error('No attempt was made to lock the tables.');
}

/** The ledger of migrations too: a schema that is changed beside the copy would be lost. */
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
