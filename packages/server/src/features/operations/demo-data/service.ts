import { AppError } from '../../../lib/error.ts';
import { forgetSandboxCoupons } from '../../../payments/sandbox/forget.ts';
import type { PlatformServices, Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { deleteUsersWithoutTenant } from '../../accounts/identity/account-service.ts';
import { purgeTenant } from '../../accounts/tenants/archive-service.ts';
import { updateTenant } from '../../accounts/tenants/service.ts';
import { deleteCoupons } from '../../commerce/coupons/service.ts';
import { deletePlan } from '../../commerce/plans/service.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { subtractActivity } from '../activity/service.ts';
import { deletePastRevenue } from '../metrics/service.ts';
import { listDemoRows, listDemoTenants } from './queries.ts';
import type { DemoData, PlatformDemoData } from './schemas.ts';

/** Returns whether a tenant is one of the demo's. */
export async function readDemoData({ platform }: PlatformServices, tenantId: string): Promise<DemoData> {
  return { present: (await listDemoTenants(platform)).includes(tenantId) };
}

/** Returns how much demo data the platform has. */
export async function readPlatformDemoData({ platform }: PlatformServices): Promise<PlatformDemoData> {
  const tenants = (await listDemoTenants(platform)).length;
  return { present: tenants > 0, tenants };
}

/** Deletes a tenant of the demo with everything in it. Does nothing to any other tenant. */
export async function removeDemoTenant(services: Services, actor: Actor, tenantId: string): Promise<void> {
  if (!(await readDemoData(services, tenantId)).present) return;
  await purgeDemoTenant(services, actor, tenantId);
  await removeDemoUsers(services);
}

/**
 * Deletes all demo data of the installation: the demo's tenants with everything in them, and their users, coupons,
 * plans and past revenue. Idempotent: a second call completes an interrupted one. Returns what there was before.
 */
export async function removeAllDemoData(services: Services, actor: Actor): Promise<PlatformDemoData> {
  const { clock, platform } = services;
  const before = await readPlatformDemoData(services);
  for (const tenantId of await listDemoTenants(platform)) await purgeDemoTenant(services, actor, tenantId);
  await removeDemoUsers(services);
  for (const planId of await listDemoRows(platform, 'plans')) await removePlan(services, actor, planId);
  const coupons = await listDemoRows(platform, 'coupons');
  const days = await listDemoRows(platform, 'revenue_days');
  await platform.transaction(async (tx) => {
    // A tenant that has redeemed a coupon keeps its discount.
    await forgetSandboxCoupons(tx, await deleteCoupons(tx, coupons));
    await deletePastRevenue(tx, days);
    if (!before.present) return;
    const changes = [{ field: 'tenants', old: before.tenants, new: 0 }];
    const entry = { event: 'DEMO_DATA.REMOVED', resourceType: 'demo_data', resourceId: null };
    await recordPlatformAudit(tx, actor, { ...entry, changes, at: clock.now() });
  });
  return before;
}

/** Does nothing to a tenant that was purged meanwhile. */
async function purgeDemoTenant(services: Services, actor: Actor, tenantId: string): Promise<void> {
  await services.platform.transaction((tx) => subtractActivity(tx, tenantId));
  try {
    await updateTenant(services, actor, tenantId, { status: 'closed' });
    await purgeTenant(services, actor, tenantId, { force: true });
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'TENANT.NOT_FOUND')) throw error;
  }
}

/** Deletes the users of the demo, except those of a tenant that is not purged. */
async function removeDemoUsers({ platform }: Services): Promise<void> {
  const users = await listDemoRows(platform, 'users');
  await platform.transaction((tx) => deleteUsersWithoutTenant(tx, users));
}

/** Keeps a plan that a tenant has or has had. */
async function removePlan(services: Services, actor: Actor, planId: string): Promise<void> {
  try {
    await deletePlan(services, actor, planId);
  } catch (error) {
    const isGoneOrUsed =
      error instanceof AppError && (error.code === 'PLAN.IN_USE' || error.code === 'RESOURCE.NOT_FOUND');
    if (!isGoneOrUsed) throw error;
  }
}
