/**
 * Compiled by `npm run test:types`, never run: each line below an `@ts-expect-error` must stay a compile error.
 * Together they say that tenant data cannot be touched without a resolved tenant.
 */
import type { Database, PlatformDb, PlatformTransaction, TenantDb, TenantTransaction } from '../../src/db/database.ts';
import type { PlatformTables } from '../../src/db/tables/platform-tables.ts';
import type { TenantTables } from '../../src/db/tables/tenant-tables.ts';
import type { Tenant } from '../../src/tenancy/tenant.ts';

declare const platform: PlatformDb;
declare const platformTransaction: PlatformTransaction;
declare const tenant: Tenant;
declare const anyTenantDatabase: Database<TenantTables>;
declare const anyPlatformDatabase: Database<PlatformTables>;

declare function needsTenant(db: TenantDb): void;
declare function needsTenantTransaction(tx: TenantTransaction): void;
declare function needsPlatform(db: PlatformDb): void;

/** What a resolved tenant allows. */
export function allowed(): void {
  tenant.db.query.selectFrom('licenses');
  platform.query.selectFrom('api_keys');
  needsTenant(tenant.db);
  needsPlatform(platform);
}

/** What nothing allows. */
export function forbidden(): void {
  // @ts-expect-error -- the platform database has no tenant tables
  platform.query.selectFrom('licenses');
  // @ts-expect-error -- nor has a transaction on it
  platformTransaction.selectFrom('activations');
  // @ts-expect-error -- a tenant's database has no platform tables
  tenant.db.query.selectFrom('api_keys');
  // @ts-expect-error -- the platform database is no tenant's
  needsTenant(platform);
  // @ts-expect-error -- a tenant's database is not the platform's
  needsPlatform(tenant.db);
  // @ts-expect-error -- a database with the right tables is still no resolved tenant's
  needsTenant(anyTenantDatabase);
  // @ts-expect-error -- the same for the platform
  needsPlatform(anyPlatformDatabase);
  // @ts-expect-error -- a platform transaction is no tenant transaction
  needsTenantTransaction(platformTransaction);
  // @ts-expect-error -- a tenant has no other way in than its database handle
  tenant.query;
}
