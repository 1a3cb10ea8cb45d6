import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import { inject } from 'vitest';
import { openPostgres } from '../../../src/db/postgres/postgres.ts';
import { findSeal } from '../../../src/db/seal.ts';
import { moveTenant, removeFormer } from '../../../src/features/accounts/tenants/move-service.ts';
import { type ArchiveProgress, silentProgress } from '../../../src/tenancy/archive/progress.ts';
import { openTenantDatabases } from '../../../src/tenancy/open-tenant-databases.ts';
import { tenantFile } from '../../../src/tenancy/placement.ts';
import { systemActor } from '../../../src/tenancy/tenant.ts';
import { findTenantRecord } from '../../../src/tenancy/tenant-record.ts';
import type { TestApp } from '../../support/harness.ts';

/** Returns the URLs of the run's private server under two host names, which placements treat as two servers. */
function serverUrls(): string[] {
  const url = inject('postgresUrl');
  return [url, url.replace('127.0.0.1', 'localhost')];
}

/** The environment that configures both servers for tenants. */
export const onServers: NodeJS.ProcessEnv = { TENANT_DATABASE_URLS: serverUrls().join(',') };

/** `host:port` of the two servers. */
export const [firstServer = '', secondServer = ''] = serverUrls().map((url) => new URL(url).host);

/** Returns a progress that reports the start of each step of a move. */
export function onStage(begin: (stage: string) => void): ArchiveProgress {
  return { ...silentProgress, begin };
}

/** Moves a tenant while its service runs, like the command line, and removes the former database. */
export async function moveAndRemove({ services }: TestApp, tenantId: string, place: string, progress = silentProgress) {
  const moved = await moveTenant(services, systemActor, tenantId, place, { progress });
  if (moved !== undefined) await removeFormer(services, moved.former, 0);
  return moved;
}

/** Returns the placement of a tenant; undefined when the tenant does not exist. */
export async function placeOf({ services }: TestApp, tenantId: string): Promise<string | undefined> {
  return (await findTenantRecord(services.platform, tenantId))?.placement;
}

/** Returns what moves left behind: a seal in a tenant's database, and further databases of the tenant. */
export async function tracesOf({ config, services }: TestApp, tenantId: string): Promise<string[]> {
  const record = await findTenantRecord(services.platform, tenantId);
  if (record === undefined) throw new Error('The tenant does not exist.');
  const database = openTenantDatabases(config, services).connect(record);
  try {
    const seal = (await findSeal(database)) === undefined ? [] : ['seal'];
    const others = await databasesOf(config.dataDir, tenantId);
    return [...seal, ...others.filter((name) => name !== (record.database_name ?? tenantId))];
  } finally {
    await database.close();
  }
}

/** Returns the names of the files and of the databases on the servers that belong to a tenant. */
async function databasesOf(dataDir: string, tenantId: string): Promise<string[]> {
  const folder = dirname(tenantFile(dataDir, tenantId));
  const files = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.db'));
  const server = openPostgres<Record<string, never>>({ url: inject('postgresUrl') });
  try {
    const { rows } = await sql<{ name: string }>`
      select datname as name from pg_database where datname like ${`tenant_${tenantId.replaceAll('-', '')}%`}
    `.execute(server.query);
    const ofTenant = files.map((name) => name.slice(0, -'.db'.length)).filter((name) => name.startsWith(tenantId));
    return [...ofTenant, ...rows.map(({ name }) => name)];
  } finally {
    await server.close();
  }
}
