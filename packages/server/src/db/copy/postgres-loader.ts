import type { SqlValue } from '../database.ts';
import type { AppliedChanges, Applier, Loader } from './copy.ts';
import {
  type CopyConnection,
  connectForCopy,
  copyLimits,
  postgresDeleteWithKeys,
  postgresRowsWithKeys,
  postgresTables,
  removeIndexes,
} from './postgres-catalogue.ts';
import { type CopiedTable, quoted } from './tables.ts';

const arrayTypes = { text: 'text[]', integer: 'bigint[]' } as const;

/** Returns the statement that inserts the rows of `columnArrays`. */
function insertSql({ name, columns }: CopiedTable): string {
  const names = columns.map((column) => quoted(column.name)).join(', ');
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${arrayTypes[type]}`).join(', ');
  return `insert into ${quoted(name)} (${names}) select * from unnest(${arrays})`;
}

/** Returns one array per column, so that a statement has one parameter per column for any number of rows. */
function columnArrays({ columns }: CopiedTable, rows: readonly (readonly SqlValue[])[]): unknown[][] {
  return columns.map((_column, index) => rows.map((row) => row[index]));
}

/** Empties the tables of a PostgreSQL database and fills them in one transaction, which `finish` commits. */
export async function openPostgresLoader(url: string): Promise<Loader> {
  const connection = await connectForCopy(url);
  try {
    await connection.query(`begin; ${copyLimits}`);
    const tables = await postgresTables(connection.client);
    await connection.query(`truncate ${tables.map(({ name }) => quoted(name)).join(', ')}`);
    return createLoader(connection, tables, await removeIndexes(connection));
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function createLoader(
  connection: CopyConnection,
  tables: readonly CopiedTable[],
  restoreIndexes: () => Promise<void>,
): Loader {
  return {
    tables,
    async insert(table, rows) {
      if (rows.length > 0) await connection.query(insertSql(table), columnArrays(table, rows));
    },
    async finish() {
      await restoreIndexes();
      const counts = new Map<string, number>();
      for (const { name } of tables) {
        const [row] = await connection.query<{ rows: number }>(`select count(*) as rows from ${quoted(name)}`);
        counts.set(name, Number(row?.rows));
      }
      await connection.query('commit');
      await connection.query(`begin; ${copyLimits}; analyze; commit`);
      return counts;
    },
    close: () => connection.close(),
  };
}

interface ForeignKey {
  /** The quoted names of its table and of itself. */
  readonly table: string;
  readonly name: string;
  readonly target: string;
  /** False if the deletion of a referenced row deletes or changes further rows, or is refused at once. */
  readonly isPlain: boolean;
}

const foreignKeysSql = `
  select conrelid::regclass::text as "table", format('%I', conname) as name, t.relname as target,
    confdeltype = 'a' as "isPlain"
  from pg_constraint join pg_class t on t.oid = confrelid
  where contype = 'f' and connamespace = current_schema()::regnamespace order by conname`;

/**
 * Applies changes to a PostgreSQL database. Its foreign keys are checked when a transaction ends, because rows are
 * deleted and inserted in no particular order; the last transaction makes them immediate again.
 */
export async function openPostgresApplier(url: string): Promise<Applier> {
  const connection = await connectForCopy(url);
  try {
    const foreignKeys = await connection.query<ForeignKey & Record<string, unknown>>(foreignKeysSql);
    await connection.query(`begin; ${copyLimits}; ${alterSql(foreignKeys, 'deferrable initially deferred')}; commit`);
    return createApplier(connection, foreignKeys, await postgresTables(connection.client));
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function alterSql(foreignKeys: readonly ForeignKey[], mode: string): string {
  return foreignKeys.map(({ table, name }) => `alter table ${table} alter constraint ${name} ${mode}`).join('; ');
}

function createApplier(
  connection: CopyConnection,
  foreignKeys: readonly ForeignKey[],
  tables: readonly CopiedTable[],
): Applier {
  const replacedInPlace = new Set(foreignKeys.filter(({ isPlain }) => !isPlain).map(({ target }) => target));
  const isReplacedInPlace = ({ name }: CopiedTable) => replacedInPlace.has(name);
  const changes: AppliedChanges = {
    isReplacedInPlace,
    remove: (table, keys) => postgresDeleteWithKeys(connection, table, keys),
    async put(table, rows) {
      if (rows.length === 0) return;
      const text = insertSql(table) + (isReplacedInPlace(table) ? replaceSql(table) : '');
      await connection.query(text, columnArrays(table, rows));
    },
    rowsWithKeys: (table, keys) => postgresRowsWithKeys(connection, table, keys),
  };
  return {
    tables,
    async transaction(work, { isLast }) {
      await connection.query(`begin; ${copyLimits}`);
      await work(changes);
      if (isLast) await connection.query(`set constraints all immediate; ${alterSql(foreignKeys, 'not deferrable')}`);
      await connection.query('commit');
    },
    close: () => connection.close(),
  };
}

function replaceSql({ columns, key }: CopiedTable): string {
  const keyNames = key.map(({ name }) => quoted(name)).join(', ');
  const values = columns.map(({ name }) => `${quoted(name)} = excluded.${quoted(name)}`).join(', ');
  return ` on conflict (${keyNames}) do update set ${values}`;
}
