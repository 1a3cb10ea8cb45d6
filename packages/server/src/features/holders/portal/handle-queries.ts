import type { PlatformDb, PlatformTransaction, PreparedRead } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { PortalHandlesTable } from '../../../db/tables/platform/tenants.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import { type TenantRecord, tenantRecordColumns } from '../../../tenancy/tenant-record.ts';

type PortalRead = PreparedRead<PlatformTables, TenantRecord>;

/** Selects the active tenants whose portals are switched on. */
function openPortals(db: Parameters<PortalRead['build']>[0]) {
  return db
    .selectFrom('portal_handles')
    .innerJoin('tenants', 'tenants.id', 'portal_handles.tenant_id')
    .innerJoin('plans', 'plans.code', 'tenants.plan_code')
    .select(tenantRecordColumns)
    .where('portal_handles.is_enabled', '=', 1)
    .where('tenants.status', '=', 'active');
}

const portalByHandle: PortalRead = {
  name: 'portal-by-handle',
  build: (db, parameter) => openPortals(db).where('portal_handles.handle', '=', parameter(0)),
};

/** Returns the active tenant whose portal has this handle and is switched on, or undefined. */
export function findPortalTenant(platform: PlatformDb, handle: string): Promise<TenantRecord | undefined> {
  return platform.first(portalByHandle, [handle]);
}

const portalByDomain: PortalRead = {
  name: 'portal-by-domain',
  build: (db, parameter) =>
    openPortals(db)
      .where('portal_handles.domain', '=', parameter(0))
      .where('portal_handles.domain_verified_at', 'is not', null),
};

/** Returns the active tenant whose portal has proved this domain and is switched on, or undefined. */
export function findPortalTenantByDomain(platform: PlatformDb, domain: string): Promise<TenantRecord | undefined> {
  return platform.first(portalByDomain, [domain]);
}

/** Returns the domains that tenants have proved: all, or this one. */
export async function listProvedDomains(db: PlatformDb['query'], domain?: string): Promise<string[]> {
  const rows = await db
    .selectFrom('portal_handles')
    .select('domain')
    .where('domain_verified_at', 'is not', null)
    .$if(domain !== undefined, (query) => query.where('domain', '=', domain ?? null))
    .execute();
  return rows.flatMap((row) => row.domain ?? []);
}

/** Reads the handle of a tenant and locks its row. */
export function lockHandle(tx: PlatformTransaction, tenantId: string): Promise<PortalHandlesTable | undefined> {
  const query = tx.selectFrom('portal_handles').selectAll().where('tenant_id', '=', tenantId);
  return forUpdate(tx, query).executeTakeFirst();
}

/** Writes the handle of a tenant. Throws a unique violation when another tenant has it. */
export async function writeHandle(tx: PlatformTransaction, row: PortalHandlesTable): Promise<void> {
  const { tenant_id: _key, ...changes } = row;
  await tx
    .insertInto('portal_handles')
    .values(row)
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(changes))
    .execute();
}
