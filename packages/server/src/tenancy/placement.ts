import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { TenantsTable } from '../db/tables/platform/tenants.ts';

/** Where a tenant's database is. */
export type Placement = Pick<TenantsTable, 'id' | 'placement' | 'database_name' | 'database_secret'>;

/** True when both name the same database. */
export function isSamePlacement(
  one: Omit<Placement, 'database_secret'>,
  other: Omit<Placement, 'database_secret'>,
): boolean {
  return one.id === other.id && one.database_name === other.database_name && one.placement === other.placement;
}

export const embeddedPlacement = 'embedded';

/**
 * The file of an embedded tenant: `tenants/<2 hex>/<uuid>.db`. The last two digits spread the files evenly;
 * the first ones of a version 7 UUID are the time and would put all tenants of a month into one folder.
 * `databaseName`, the placement's, replaces the id where the tenant came from an archive.
 */
export function tenantFile(dataDir: string, tenantId: string, databaseName: string | null = null): string {
  return join(dataDir, 'tenants', tenantId.slice(-2), `${databaseName ?? tenantId}.db`);
}

/** Tells the databases of one tenant apart: the second in which it is made, and chance. 12 hexadecimal digits. */
export function databaseGeneration(nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000);
  return seconds.toString(16).padStart(8, '0') + randomBytes(2).toString('hex');
}

/** In which second a generation was made, as milliseconds since the epoch. */
export function generationMadeAtMs(generation: string): number {
  return Number.parseInt(generation.slice(0, 8), 16) * 1000;
}
