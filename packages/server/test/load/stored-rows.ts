import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const countAll = (tables: readonly string[]) =>
  `select ${tables.map((table) => `(select count(*) from ${quoted(table)})`).join(' + ')} as total`;

/** Counts the rows of all tables of all embedded databases in a folder. */
export function countEmbeddedRows(dataDir: string): number {
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.db'));
  return files.reduce((sum, name) => sum + countRowsOfFile(join(dataDir, name)), 0);
}

function countRowsOfFile(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
  try {
    // Shadow tables of the full-text search cannot all be read by their names.
    const names =
      "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite%'";
    const tables = database
      .prepare(names)
      .all()
      .map(({ name }) => String(name));
    return tables.length === 0 ? 0 : Number(database.prepare(countAll(tables)).get()?.['total']);
  } finally {
    database.close();
  }
}

/** Counts the rows of all tables of all databases of a PostgreSQL server. */
export async function countServerRows(serverUrl: string): Promise<number> {
  const { rows } = await queryOn(serverUrl, 'select datname from pg_database where not datistemplate');
  let sum = 0;
  for (const { datname } of rows) {
    const url = new URL(serverUrl);
    url.pathname = `/${datname}`;
    const found = await queryOn(url.href, "select tablename from pg_tables where schemaname = 'public'");
    const tables = found.rows.map(({ tablename }) => String(tablename));
    if (tables.length > 0) sum += Number((await queryOn(url.href, countAll(tables))).rows[0]?.total);
  }
  return sum;
}

/** Runs one query on a new connection. */
export async function queryOn(url: string, query: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(query);
  } finally {
    await client.end();
  }
}
