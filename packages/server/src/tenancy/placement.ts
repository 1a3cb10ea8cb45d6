import { join } from 'node:path';
import type { TenantsTable } from '../db/tables.ts';

/** Where a tenant's database is. */
export type Placement = Pick<TenantsTable, 'id' | 'placement' | 'database_name' | 'database_secret'>;

export const embeddedPlacement = 'embedded';

/**
 * The file of an embedded tenant: `tenants/<2 hex>/<uuid>.db`. The last two digits spread the files evenly;
 * the first ones of a version 7 UUID are the time and would put all tenants of a month into one folder.
 */
export function tenantFile(dataDir: string, tenantId: string): string {
  return join(dataDir, 'tenants', tenantId.slice(-2), `${tenantId}.db`);
}
