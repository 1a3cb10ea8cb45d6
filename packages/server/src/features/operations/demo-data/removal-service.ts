import type { PlatformTransaction, TenantDb } from '../../../db/database.ts';
import { toEpochMs, toTimestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import { forgetSandboxCoupons, forgetSandboxSubscriptions } from '../../../payments/sandbox/forget.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { purgeTenant } from '../../accounts/tenants/archive-service.ts';
import { freePlanCode } from '../../accounts/tenants/free-plan.ts';
import { updateTenant } from '../../accounts/tenants/service.ts';
import { deletePlan } from '../../commerce/plans/service.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { bucketMs } from '../activity/buckets.ts';
import { subtractPastActivity } from '../activity/history-service.ts';
import { deletePastRevenue } from '../metrics/revenue-service.ts';
import { countMarks, deleteMark, deleteMarksOfTenant, listMarkedTenants, listMarks } from './mark-queries.ts';
import { Marks } from './marks.ts';
import {
  deletePlatformRowsById as deleteRows,
  hasInvoices,
  listCouponCodes,
  listSandboxSubscriptions,
  listUsersWithoutTenant,
} from './removal-queries.ts';
import type { DemoData, PlatformDemoData } from './schemas.ts';
import { deleteMarkedRows } from './tenant-removal-service.ts';

interface FilledTenant {
  readonly id: string;
  readonly db: TenantDb;
}

/** Returns how much demo data a tenant has. */
export async function readDemoData({ platform }: Pick<Services, 'platform'>, tenantId: string): Promise<DemoData> {
  const counts = await countMarks(platform, tenantId);
  const count = (table: string) => counts.get(table) ?? 0;
  return {
    present: counts.size > 0,
    products: count('products'),
    policies: count('policies'),
    licenses: count('licenses'),
    webhooks: count('webhook_endpoints'),
    members: count('users'),
  };
}

/** Returns how much demo data the platform has. */
export async function readPlatformDemoData({ platform }: Pick<Services, 'platform'>): Promise<PlatformDemoData> {
  const marks = new Marks(await listMarks(platform, null));
  const filled = await listMarkedTenants(platform);
  const tenants = marks.of('tenants').size;
  return { present: tenants + filled.length > 0, tenants, filled_tenants: filled.length };
}

/**
 * Deletes the demo data of a tenant and nothing else; what its users created stays, with the policies and products that
 * it needs. Idempotent: an interrupted removal is completed by the next one.
 */
export async function removeDemoData(services: Services, actor: Actor, { id, db }: FilledTenant): Promise<void> {
  const marks = new Marks(await listMarks(services.platform, id));
  if (!(await readDemoData(services, id)).present) return;
  await deleteMarkedRows(services, db, actor, marks);
  const endsSubscription = await services.platform.transaction(async (tx) => {
    const ended = await deleteSubscriptions(tx, id, marks);
    await deleteRows(tx, 'api_key_requests', 'key_id', marks.of('api_keys'));
    await deleteRows(tx, 'api_keys', 'id', marks.of('api_keys'));
    await deleteRows(tx, 'memberships', 'user_id', marks.of('users'));
    await deleteRows(tx, 'users', 'id', await listUsersWithoutTenant(tx, [...marks.of('users')]));
    for (const hour of marks.of('activity_points')) {
      await subtractPastActivity(tx, id, toEpochMs(hour.slice(hour.indexOf(' ') + 1)));
    }
    await deleteMarksOfTenant(tx, id);
    return ended;
  });
  if (endsSubscription) await updateTenant(services, actor, id, { plan_code: freePlanCode });
}

/** Deletes the marked subscriptions of a tenant with their invoices. Returns true if there was one. */
async function deleteSubscriptions(tx: PlatformTransaction, tenantId: string, marks: Marks): Promise<boolean> {
  const ids = [...marks.of('subscriptions')];
  if (ids.length === 0) return false;
  const customers = await forgetSandboxSubscriptions(tx, await listSandboxSubscriptions(tx, { tenantId, ids }));
  await deleteRows(tx, 'dunning_notices', 'subscription_id', ids);
  await deleteRows(tx, 'invoices', 'subscription_id', ids);
  await deleteRows(tx, 'subscriptions', 'id', ids);
  await deleteRows(tx, 'billing_customers', 'provider_customer_id', customers);
  if (!(await hasInvoices(tx, tenantId))) await deleteRows(tx, 'invoice_numbers', 'tenant_id', [tenantId]);
  return true;
}

/**
 * Deletes all demo data of the installation: the demo's tenants with everything in them, and the demo data of the
 * tenants that their users keep. Idempotent: an interrupted removal is completed by the next one.
 */
export async function removeAllDemoData(services: Services, actor: Actor): Promise<PlatformDemoData> {
  const before = await readPlatformDemoData(services);
  for (const tenantId of await listMarkedTenants(services.platform)) {
    await services.tenants.withTenantDb(tenantId, (db) => removeDemoData(services, actor, { id: tenantId, db }));
  }
  const marks = new Marks(await listMarks(services.platform, null));
  for (const tenantId of marks.of('tenants')) await removeTenant(services, actor, tenantId);
  for (const planId of marks.of('plans')) await removePlan(services, actor, planId);
  await services.platform.transaction(async (tx) => {
    for (const userId of await listUsersWithoutTenant(tx, [...marks.of('users')])) {
      await deleteRows(tx, 'users', 'id', [userId]);
    }
    for (const userId of marks.of('users')) await deleteMark(tx, 'users', userId);
    await deleteCoupons(tx, marks);
    await deletePastRevenue(tx, marks.of('revenue_days'));
    for (const day of marks.of('revenue_days')) await deleteMark(tx, 'revenue_days', day);
    if (!before.present) return;
    const changes = [{ field: 'tenants', old: before.tenants, new: 0 }];
    const entry = { event: 'DEMO_DATA.REMOVED', resourceType: 'demo_data', resourceId: null };
    await recordPlatformAudit(tx, actor, { ...entry, changes, at: services.clock.now() });
  });
  return before;
}

/** Deletes the coupons of the demo, also in the sandbox. Tenants that have redeemed one keep their discount. */
async function deleteCoupons(tx: PlatformTransaction, marks: Marks): Promise<void> {
  const ids = [...marks.of('coupons')];
  await forgetSandboxCoupons(tx, await listCouponCodes(tx, ids));
  await deleteRows(tx, 'coupons', 'id', ids);
  for (const id of ids) await deleteMark(tx, 'coupons', id);
}

/** Deletes a tenant that the demo created, whatever is in it. Does nothing if it was purged before. */
async function removeTenant(services: Services, actor: Actor, tenantId: string): Promise<void> {
  const { clock, platform } = services;
  await platform.transaction(async (tx) => {
    await forgetSandboxSubscriptions(tx, await listSandboxSubscriptions(tx, { tenantId }));
    const nextHourMs = clock.nowMs() - (clock.nowMs() % bucketMs.hour) + bucketMs.hour;
    await subtractPastActivity(tx, tenantId, toEpochMs(toTimestamp(nextHourMs)));
  });
  try {
    await updateTenant(services, actor, tenantId, { status: 'closed' });
    await purgeTenant(services, actor, tenantId, { force: true });
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'TENANT.NOT_FOUND')) throw error;
  }
  await platform.transaction((tx) => deleteMark(tx, 'tenants', tenantId));
}

/** Deletes a plan of the demo. A plan that a tenant has or has had stays. */
async function removePlan(services: Services, actor: Actor, planId: string): Promise<void> {
  try {
    await deletePlan(services, actor, planId);
  } catch (error) {
    const isGoneOrUsed =
      error instanceof AppError && (error.code === 'PLAN.IN_USE' || error.code === 'RESOURCE.NOT_FOUND');
    if (!isGoneOrUsed) throw error;
  }
  await services.platform.transaction((tx) => deleteMark(tx, 'plans', planId));
}
