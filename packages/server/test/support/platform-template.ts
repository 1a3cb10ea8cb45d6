import { Client } from 'pg';

/** The template of platform databases: migrated and empty. */
export const platformTemplate = 'platform_template';

/** Creates a platform database as a copy of another and returns its URL. */
export async function createPlatformDatabase(serverUrl: string, name: string, template: string): Promise<string> {
  await onServer(serverUrl, [`create database ${name} template ${template} encoding utf8 lc_collate 'C' lc_ctype 'C'`]);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs statements on a PostgreSQL server over a new connection. */
export async function onServer(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
