import type { PlatformDb } from '../../../db/database.ts';
import type { Filter } from '../../../db/search/list-filter-plan.ts';
import { toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import { findTenant, type ListTenants, listTenants, type TenantWithPlan } from './queries.ts';
import { tenantNotFound } from './service.ts';

export type { TenantWithPlan } from './queries.ts';

/** Returns one page of the tenants that match all filters, newest first, with the limits of their plans. */
export async function pageOfTenants(
  platform: PlatformDb,
  options: ListTenants,
  filters: readonly Filter[] = [],
): Promise<Page<TenantWithPlan>> {
  return toPage(await listTenants(platform, options, filters), options.limit);
}

/** Returns a tenant with the limits of its plan. Throws 404 `TENANT.NOT_FOUND`. */
export async function readTenant(platform: PlatformDb, id: string): Promise<TenantWithPlan> {
  const row = await findTenant(platform, id);
  if (row === undefined) throw tenantNotFound();
  return row;
}
