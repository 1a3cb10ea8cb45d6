import { Client } from 'pg';

/** Sends statements to a PostgreSQL server over a connection of their own. */
export async function onServer(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
