import { type RowsQuery, rowsPerBatch, type Snapshot } from './copy.ts';
import { type CopyConnection, connectForCopy, copyLimits, postgresTables } from './postgres-catalogue.ts';

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
    const [newest] = await connection.query<{ name: string }>('select max(name) as name from kysely_migration');
    const tables = await postgresTables(connection.client);
    return createSnapshot(connection, String(newest?.name), tables);
  } catch (error) {
    await connection.close();
    throw error;
  }
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
