import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { platformMigrations } from '../../src/db/migrations/platform/index.ts';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';
import type { PlatformTables } from '../../src/db/tables/platform-tables.ts';

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

let sqliteTemplate: Promise<Buffer> | undefined;

/** Returns the file of a migrated and empty platform database, made once per process. */
async function createSqliteTemplate(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'licensing-template-'));
  try {
    const file = join(folder, 'platform.db');
    const template = openSqlite<PlatformTables>(file, { create: true });
    await migrate(template, platformMigrations);
    await template.close();
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Writes a migrated and empty platform database of the embedded engine to a path, unless there is a database. Migrating
 * takes a third of the time in which a service starts.
 */
export async function copyPlatformTemplate(path: string): Promise<void> {
  sqliteTemplate ??= createSqliteTemplate();
  const template = await sqliteTemplate;
  await writeFile(path, template, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
