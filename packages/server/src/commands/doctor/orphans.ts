import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Config } from '../../config.ts';
import { openPostgres } from '../../db/postgres.ts';
import { isUuid } from '../../lib/ids.ts';
import type { Placement } from '../../tenancy/placement.ts';
import { serverName } from '../../tenancy/postgres.ts';
import { type Finding, warning } from './finding.ts';

/** A database is made before its tenant's row: younger ones are not reported. */
const creationTakesAtMostMs = 60_000;

/** Databases that no tenant refers to: what a crash in the middle of a creation leaves behind. */
export async function* findOrphans(
  config: Config,
  placements: readonly Placement[],
  nowMs: number,
): AsyncGenerator<Finding> {
  const known = new Set(placements.map((placement) => placement.id));
  const isOrphan = (id: string) => isUuid(id) && !known.has(id) && nowMs - createdAtMs(id) > creationTakesAtMostMs;
  if (config.databaseUrl === null) {
    for (const { id, path } of await listTenantFiles(config.dataDir)) {
      if (isOrphan(id)) yield warning(`${path} belongs to no tenant.`, 'Delete it once you know what it is.');
    }
    return;
  }
  for (const url of config.tenantDatabaseUrls) {
    for (const { id, name } of await listTenantDatabases(url)) {
      if (!isOrphan(id)) continue;
      yield warning(
        `The database ${name} on ${serverName(url)} belongs to no tenant of this installation.`,
        'Unless another installation uses this server, drop it and the role of the same name.',
      );
    }
  }
}

/** The first 48 bits of a version 7 UUID (RFC 9562, section 5.7). */
function createdAtMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

async function listTenantFiles(dataDir: string): Promise<{ id: string; path: string }[]> {
  const folder = join(dataDir, 'tenants');
  const entries = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.endsWith('.db'))
    .map((entry) => ({ id: entry.slice(-39, -3), path: join(folder, entry) }));
}

async function listTenantDatabases(url: string): Promise<{ id: string; name: string }[]> {
  const server = openPostgres<Record<string, never>>({ url });
  try {
    const { rows } = await sql<{ name: string }>`
      select datname as name from pg_database where datname ~ '^tenant_[0-9a-f]{32}$' order by datname
    `.execute(server.query);
    return rows.map(({ name }) => ({ name, id: toUuid(name.slice('tenant_'.length)) }));
  } finally {
    await server.close();
  }
}

function toUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
