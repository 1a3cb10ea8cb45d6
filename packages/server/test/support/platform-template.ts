import { Client } from 'pg';

/** The database that every site's platform begins as: migrated, and empty. */
export const platformTemplate = 'platform_template';

/** Makes a platform's database on a server, as a copy of another, and answers its URL. */
export async function createPlatformDatabase(serverUrl: string, name: string, template: string): Promise<string> {
  await onServer(serverUrl, [`create database ${name} template ${template} encoding utf8 lc_collate 'C' lc_ctype 'C'`]);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

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
