/**
 * `npm run test:types` compiles this file; nothing runs it. Each line below an `@ts-expect-error` must remain a compile
 * error. Together they prove that tenant data can be accessed only through a resolved tenant.
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

/** Accesses that a resolved tenant permits. */
export function allowed(): void {
  tenant.db.query.selectFrom('licenses');
  platform.query.selectFrom('api_keys');
  needsTenant(tenant.db);
  needsPlatform(platform);
}

/** Accesses that are compile errors. */
export function forbidden(): void {
  // @ts-expect-error -- the platform database has no tenant tables
  platform.query.selectFrom('licenses');
  // @ts-expect-error -- a transaction on the platform database has no tenant tables either
  platformTransaction.selectFrom('activations');
  // @ts-expect-error -- a tenant's database has no platform tables
  tenant.db.query.selectFrom('api_keys');
  // @ts-expect-error -- the platform database is not a tenant's database
  needsTenant(platform);
  // @ts-expect-error -- a tenant's database is not the platform database
  needsPlatform(tenant.db);
  // @ts-expect-error -- a database with a tenant's tables is not the database of a resolved tenant
  needsTenant(anyTenantDatabase);
  // @ts-expect-error -- a database with the platform's tables is not the opened platform database
  needsPlatform(anyPlatformDatabase);
  // @ts-expect-error -- a platform transaction is not a tenant transaction
  needsTenantTransaction(platformTransaction);
  // @ts-expect-error -- a tenant offers queries only through its database handle
  tenant.query;
}
