import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Config } from '../../config/config.ts';
import { openPostgres } from '../../db/postgres/postgres.ts';
import { embeddedPlacement, generationMadeAtMs, type Placement, tenantFile } from '../../tenancy/placement.ts';
import { serverName } from '../../tenancy/postgres-tenant-databases.ts';
import { type Finding, warning } from './finding.ts';

/** A database is made before its tenant's row, and filled before it when it comes from an archive. */
const unfinishedWithinMs = 60_000;

/** Databases that no tenant refers to: what a crash in the middle of a creation, an import or a removal leaves behind. */
export async function* findOrphans(
  config: Config,
  placements: readonly Placement[],
  nowMs: number,
): AsyncGenerator<Finding> {
  yield* findOrphanedFiles(config, placements, nowMs);
  const known = new Set(placements.map(({ placement, database_name }) => `${placement}/${database_name}`));
  for (const url of config.tenantDatabaseUrls) {
    for (const { name, madeAtMs } of await listUnusedTenantDatabases(url)) {
      if (known.has(`${serverName(url)}/${name}`) || nowMs - madeAtMs < unfinishedWithinMs) continue;
      yield warning(
        `The database ${name} on ${serverName(url)} belongs to no tenant of this installation.`,
        'Unless another installation uses this server, drop it and the role of the same name.',
      );
    }
  }
}

async function* findOrphanedFiles(
  { dataDir }: Config,
  placements: readonly Placement[],
  nowMs: number,
): AsyncGenerator<Finding> {
  const embedded = placements.filter(({ placement }) => placement === embeddedPlacement);
  const known = new Set(embedded.map(({ id, database_name }) => tenantFile(dataDir, id, database_name)));
  for (const { path, madeAtMs } of await listTenantFiles(dataDir)) {
    if (known.has(path) || nowMs - madeAtMs < unfinishedWithinMs) continue;
    yield warning(`${path} belongs to no tenant.`, 'Delete it once you know what it is.');
  }
}

async function listTenantFiles(dataDir: string): Promise<{ path: string; madeAtMs: number }[]> {
  const folder = join(dataDir, 'tenants');
  const entries = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const files = entries.map((entry) => join(folder, entry)).filter((path) => fileName.test(path));
  return Promise.all(files.map(async (path) => ({ path, madeAtMs: await fileMadeAtMs(path) })));
}

/** A tenant's id, and the generation of what came from an archive. */
const fileName = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22})(-[0-9a-f]{12})?\.db$/;

/** One that is being filled is written to all the time. */
async function fileMadeAtMs(path: string): Promise<number> {
  const [, id = '', generation] = fileName.exec(path) ?? [];
  return generation === undefined ? idMadeAtMs(id.replaceAll('-', '')) : (await stat(path)).mtimeMs;
}

/** The first 48 bits of a version 7 UUID (RFC 9562, section 5.7). */
function idMadeAtMs(digits: string): number {
  return Number.parseInt(digits.slice(0, 12), 16);
}

/** Those that nobody is connected to: one that is being filled is in use. */
async function listUnusedTenantDatabases(url: string): Promise<{ name: string; madeAtMs: number }[]> {
  const server = openPostgres<Record<string, never>>({ url });
  try {
    const { rows } = await sql<{ name: string }>`
      select datname as name from pg_database d
      where datname ~ '^tenant_[0-9a-f]{32}(_[0-9a-f]{12})?$'
        and not exists (select 1 from pg_stat_activity a where a.datname = d.datname)
      order by datname
    `.execute(server.query);
    return rows.map(({ name }) => ({ name, madeAtMs: databaseMadeAtMs(name) }));
  } finally {
    await server.close();
  }
}

function databaseMadeAtMs(name: string): number {
  const [, id = '', generation] = name.split('_');
  return generation === undefined ? idMadeAtMs(id) : generationMadeAtMs(generation);
}
