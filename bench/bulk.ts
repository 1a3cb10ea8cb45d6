import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { tenantFile } from '../packages/server/src/tenancy/placement.ts';
import { findTenantRecord } from '../packages/server/src/tenancy/tenant-record.ts';
import { type Site, withSite } from './site.ts';

/**
 * Sends statements directly to a tenant's database, which the service must not have open: without flushes and, on the
 * embedded engine, with the indexes built at the end. A million licenses take seconds.
 */
export async function fillTenant(site: Site, tenantId: string, statements: readonly string[]): Promise<void> {
  const { DATABASE_URL: databaseUrl } = site.env;
  if (databaseUrl === undefined) return fillFile(tenantFile(site.dataDir, tenantId), statements);
  const record = await withSite(site, async ({ platform }) => findTenantRecord(platform, tenantId));
  const url = new URL(databaseUrl);
  url.pathname = `/${record?.database_name}`;
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    for (const statement of [...statements, 'analyze']) await client.query(statement);
  } finally {
    await client.end();
  }
}

function fillFile(file: string, statements: readonly string[]): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  try {
    database.exec(`
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; PRAGMA temp_store = MEMORY;
      BEGIN`);
    const indexes = database
      .prepare("select name, sql from sqlite_master where type = 'index' and sql is not null")
      .all();
    for (const { name } of indexes) database.exec(`drop index "${name}"`);
    for (const statement of statements) database.exec(statement);
    for (const { sql } of indexes) database.exec(String(sql));
    database.exec('COMMIT; PRAGMA journal_mode = WAL');
  } finally {
    database.close();
  }
}
