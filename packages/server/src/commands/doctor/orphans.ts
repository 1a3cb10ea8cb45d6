import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Config } from '../../config/config.ts';
import { tenantsFolder } from '../../config/data-dir.ts';
import { openPostgres } from '../../db/postgres/postgres.ts';
import { embeddedPlacement, generationMadeAtMs, type Placement, tenantFile } from '../../tenancy/placement.ts';
import { serverName } from '../../tenancy/postgres-tenant-databases.ts';
import { type Finding, warning } from './finding.ts';

/**
 * Younger databases are not reported: a database is created, and filled from an archive, before its tenant's row is
 * written.
 */
const unfinishedWithinMs = 60_000;

/**
 * Reports databases that no tenant refers to. A crash during a creation, an import or a deletion leaves them behind.
 */
export async function* findOrphans(
  config: Config,
  placements: readonly Placement[],
  nowMs: number,
): AsyncGenerator<Finding> {
  yield* findOrphanedFiles(config, placements, nowMs);
  const known = new Set(placements.map(({ placement, database_name }) => `${placement}/${database_name}`));
  for (const url of config.tenantDatabaseUrls) {
    for (const { name, createdAtMs } of await listUnusedTenantDatabases(url)) {
      if (known.has(`${serverName(url)}/${name}`) || nowMs - createdAtMs < unfinishedWithinMs) continue;
      yield warning(
        `The database ${name} on ${serverName(url)} belongs to no tenant of this installation.`,
        'Unless another installation uses this server, drop the database and the role of the same name.',
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
  for (const { path, createdAtMs } of await listTenantFiles(dataDir)) {
    if (known.has(path) || nowMs - createdAtMs < unfinishedWithinMs) continue;
    yield warning(`${path} belongs to no tenant.`, 'Delete the file once you are sure that it is not needed.');
  }
}

async function listTenantFiles(dataDir: string): Promise<{ path: string; createdAtMs: number }[]> {
  const folder = tenantsFolder(dataDir);
  const entries = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const files = entries.map((entry) => join(folder, entry)).filter((path) => fileName.test(path));
  return Promise.all(files.map(async (path) => ({ path, createdAtMs: await fileCreatedAtMs(path) })));
}

/** Matches a tenant's id and, in the file of an imported tenant, the generation. */
const fileName = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22})(-[0-9a-f]{12})?\.db$/;

/** Uses the modification time for an imported tenant's file, because a file that is being filled keeps changing. */
async function fileCreatedAtMs(path: string): Promise<number> {
  const [, id = '', generation] = fileName.exec(path) ?? [];
  return generation === undefined ? idCreatedAtMs(id.replaceAll('-', '')) : (await stat(path)).mtimeMs;
}

/** Returns the Unix time in milliseconds from the first 48 bits of a version 7 UUID (RFC 9562, section 5.7). */
function idCreatedAtMs(digits: string): number {
  return Number.parseInt(digits.slice(0, 12), 16);
}

/** Lists tenant databases without connections; a database that is being filled has one. */
async function listUnusedTenantDatabases(url: string): Promise<{ name: string; createdAtMs: number }[]> {
  const server = openPostgres<Record<string, never>>({ url });
  try {
    const { rows } = await sql<{ name: string }>`
      select datname as name from pg_database d
      where datname ~ '^tenant_[0-9a-f]{32}(_[0-9a-f]{12})?$'
        and not exists (select 1 from pg_stat_activity a where a.datname = d.datname)
      order by datname
    `.execute(server.query);
    return rows.map(({ name }) => ({ name, createdAtMs: databaseCreatedAtMs(name) }));
  } finally {
    await server.close();
  }
}

function databaseCreatedAtMs(name: string): number {
  const [, id = '', generation] = name.split('_');
  return generation === undefined ? idCreatedAtMs(id) : generationMadeAtMs(generation);
}
