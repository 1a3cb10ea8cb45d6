import type { SqlValue } from '../database.ts';
import { holdChangeMarkSql, raiseChangeMarkSql } from '../migrations/change-mark.ts';
import type { Loader } from './copy.ts';
import { type CopyConnection, connectForCopy, copyLimits, postgresTables } from './postgres-catalogue.ts';
import { removeIndexes } from './postgres-indexes.ts';
import { type CopiedTable, quoted } from './tables.ts';

const arrayTypes = { text: 'text[]', integer: 'bigint[]' } as const;

/** Returns the statement that inserts the rows of `columnArrays`. */
export function insertSql({ name, columns }: CopiedTable): string {
  const names = columns.map((column) => quoted(column.name)).join(', ');
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${arrayTypes[type]}`).join(', ');
  return `insert into ${quoted(name)} (${names}) select * from unnest(${arrays})`;
}

/** Returns one array per column, so that a statement has one parameter per column for any number of rows. */
export function columnArrays({ columns }: CopiedTable, rows: readonly (readonly SqlValue[])[]): unknown[][] {
  return columns.map((_column, index) => rows.map((row) => row[index]));
}

/** Empties the tables of a PostgreSQL database and fills them in one transaction, which `finish` commits. */
export async function openPostgresLoader(url: string): Promise<Loader> {
  const connection = await connectForCopy(url);
  try {
    await connection.query(`begin; ${copyLimits}; ${holdChangeMarkSql}`);
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
      await connection.query(`${raiseChangeMarkSql}; commit`);
      await connection.query(`begin; ${copyLimits}; analyze; commit`);
      return counts;
    },
    close: () => connection.close(),
  };
}
