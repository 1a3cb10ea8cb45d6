import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { tenantsFolder } from '../config/data-dir.ts';
import type { TenantsTable } from '../db/tables/platform/tenants.ts';

/**
 * Locates a tenant's database. `placement` is `embedded` or the `host:port` of a server; `database_name` and the
 * encrypted `database_secret` name the database and hold the password of its role.
 */
export type Placement = Pick<TenantsTable, 'id' | 'placement' | 'database_name' | 'database_secret'>;

/** Returns true when both placements name the same database. */
export function isSamePlacement(
  one: Omit<Placement, 'database_secret'>,
  other: Omit<Placement, 'database_secret'>,
): boolean {
  return one.id === other.id && one.database_name === other.database_name && one.placement === other.placement;
}

/** The placement of tenants that are SQLite files in the data directory. */
export const embeddedPlacement = 'embedded';

/**
 * Returns the file of an embedded tenant: `tenants/<2 hex>/<uuid>.db`. The folder is named after the last two digits
 * of the id, which spread the files evenly; the first digits of a version 7 UUID encode the time and would put all
 * tenants of a month into one folder. `databaseName` is that of the placement; it replaces the id in the file name of
 * a tenant that was imported from an archive.
 */
export function tenantFile(dataDir: string, tenantId: string, databaseName: string | null = null): string {
  return join(tenantsFolder(dataDir), tenantId.slice(-2), `${databaseName ?? tenantId}.db`);
}

/**
 * Returns a name suffix that distinguishes the databases of one tenant: 12 hexadecimal digits, of which 8 are the
 * Unix time in seconds and 4 are random.
 */
export function databaseGeneration(nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000);
  return seconds.toString(16).padStart(8, '0') + randomBytes(2).toString('hex');
}

/**
 * Returns the time at which a generation was created, in milliseconds since the Unix epoch, with one-second precision.
 */
export function generationMadeAtMs(generation: string): number {
  return Number.parseInt(generation.slice(0, 8), 16) * 1000;
}
