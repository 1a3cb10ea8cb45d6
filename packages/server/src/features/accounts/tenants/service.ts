import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { Filter } from '../../../db/search/list-filter-plan.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import { toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import { unparkJobsOf } from '../../../jobs/queries.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError, orThrow, validationError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Placement } from '../../../tenancy/placement.ts';
import { type Actor, systemActor } from '../../../tenancy/tenant.ts';
import { assertBillable } from '../../../tenancy/tenant-record.ts';
import { auditsOf, changedFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { completeTenantAudit, recordTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import { inviteMember } from '../members/service.ts';
import {
  createTenantRow,
  findTenant,
  findTenantState,
  findTestTenant,
  type ListTenants,
  listTenants,
  lockTenant,
  planExists,
  type TenantWithPlan,
  updateTenantRow,
} from './queries.ts';
import {
  changeOverrides,
  freePlanCode,
  type LimitChanges,
  parseOverrides,
  presentOverrides,
  type StoredOverrides,
} from './tenant.ts';

export { findTestTenant, lockTenant } from './queries.ts';

const auditOf = auditsOf('tenant');

interface NewTenant {
  readonly name: string;
  readonly plan_code?: string;
  readonly owner_email?: string;
}

interface TenantChanges {
  readonly name?: string;
  readonly status?: TenantsTable['status'];
  readonly plan_code?: string;
  readonly limits?: LimitChanges | null;
}

/**
 * Creates a tenant with its database and returns its id. The address of an owner is invited by mail. Throws 422 for a plan that does not exist.
 */
export async function createTenant(services: Services, actor: Actor, input: NewTenant): Promise<string> {
  const planCode = input.plan_code ?? freePlanCode;
  // Checked before the database is created, which is expensive. The transaction checks again.
  if (!(await planExists(services.platform.query, planCode))) throw unknownPlan();
  const tenantId = await services.provisioning.provision((placement) =>
    services.platform.transaction(async (tx) => {
      if (!(await planExists(tx, planCode))) throw unknownPlan();
      const at = services.clock.now();
      const row = await admitTenant(tx, actor, { placement, name: input.name, planCode, at });
      const email = input.owner_email;
      if (email !== undefined) {
        await inviteMember(services, tx, actor, { tenant: row, email, role: 'owner', at, isLimited: false });
      }
      return row.id;
    }),
  );
  services.mail.kick();
  await completeTenantAudit(services, tenantId);
  return tenantId;
}

interface AdmittedTenant {
  readonly placement: Placement;
  readonly name: string;
  readonly planCode: string;
  readonly at: Timestamp;
  /** For a test tenant: the tenant whose copy it is, and its own limits. */
  readonly test?: { readonly liveTenantId: string; readonly limits: StoredOverrides };
}

/** Inserts a tenant whose database is ready and records its creation in the audit log, in the caller's transaction. */
export async function admitTenant(
  tx: PlatformTransaction,
  actor: Actor,
  { placement, name, planCode, at, test }: AdmittedTenant,
): Promise<TenantsTable> {
  const row: TenantsTable = {
    ...placement,
    name,
    status: 'active',
    suspended_for: null,
    plan_code: planCode,
    limits_json: JSON.stringify(test?.limits ?? {}),
    created_at: at,
    updated_at: at,
    closed_at: null,
    live_tenant_id: test?.liveTenantId ?? null,
    move_id: null,
    move_expires_at: null,
    writes_paused_until: null,
  };
  await createTenantRow(tx, row);
  const changes = [
    { field: 'name', old: null, new: row.name },
    { field: 'plan_code', old: null, new: row.plan_code },
  ];
  await recordPlatformAudit(tx, actor, { ...auditOf(row.id, 'TENANT.CREATED'), changes, at });
  return row;
}

/**
 * Changes a tenant. A new status, plan or limit applies from the next request on, in every process. Throws 404
 * `TENANT.NOT_FOUND`, 409 `TENANT.TRANSITION_INVALID` for a closed tenant, 409 `BILLING.MANAGED_BY_SUBSCRIPTION` for
 * another plan than that of a running subscription, and 422 for a plan that does not exist.
 */
export async function updateTenant(
  services: Services,
  actor: Actor,
  tenantId: string,
  changes: TenantChanges,
): Promise<void> {
  await services.platform.transaction(async (tx) => {
    const before = orThrow(await lockTenant(tx, tenantId), tenantNotFound);
    const at = services.clock.now();
    const after = applyChanges(before, changes, at);
    if (after.plan_code !== before.plan_code) {
      if (!(await planExists(tx, after.plan_code))) throw unknownPlan();
      assertBillable(before);
      await services.tenantBilling.assertPlanIsFreeToChange(tx, tenantId);
    }
    if (changes.status === 'active') await assertLiveTenantActive(tx, before);
    await recordTenantChanges(tx, actor, before, after, at);
    if (after.status === 'closed') await services.followUps.tenantClosed(tx, tenantId, at);
  });
  services.wakeUps.wakeRunner();
}

/**
 * Renames a tenant on behalf of its settings, and records it in the audit logs of the platform and of the tenant.
 * Throws 404 `TENANT.NOT_FOUND`.
 */
export async function renameTenant(services: Services, actor: Actor, tenantId: string, name: string): Promise<void> {
  await services.platform.transaction(async (tx) => {
    const before = orThrow(await lockTenant(tx, tenantId), tenantNotFound);
    const at = services.clock.now();
    const after = applyChanges(before, { name }, at);
    const changes = changedFields(before, after, ['name']);
    if (changes.length === 0) return;
    await recordTenantChanges(tx, actor, before, after, at);
    const entry = { event: 'SETTINGS.UPDATED', resourceType: 'settings', resourceId: tenantId, changes, at };
    await recordTenantAudit(tx, tenantId, actor, entry);
  });
  await completeTenantAudit(services, tenantId);
}

function applyChanges(before: TenantsTable, changes: TenantChanges, at: string): TenantsTable {
  const status = changes.status ?? before.status;
  const onlyRepeatsClosing = before.status === 'closed' && Object.keys(changes).every((field) => field === 'status');
  if (before.status === 'closed' && (status !== 'closed' || !onlyRepeatsClosing)) {
    throw new AppError(
      'TENANT.TRANSITION_INVALID',
      'A closed tenant cannot be changed or reopened. Create a new tenant instead.',
    );
  }
  return {
    ...before,
    name: changes.name ?? before.name,
    status,
    // A status set by an operator has no payment reason, so that a later payment does not undo it.
    suspended_for: changes.status === undefined ? before.suspended_for : null,
    plan_code: changes.plan_code ?? before.plan_code,
    limits_json: changedLimits(before.limits_json, changes.limits),
    updated_at: at,
    closed_at: status === 'closed' ? (before.closed_at ?? at) : null,
  };
}

function changedLimits(before: string, changes: TenantChanges['limits']): string {
  return changes === undefined ? before : JSON.stringify(changeOverrides(parseOverrides(before), changes));
}

const statusEvents = { active: 'TENANT.REINSTATED', suspended: 'TENANT.SUSPENDED', closed: 'TENANT.CLOSED' } as const;

/**
 * Stores the changes of a locked tenant and records them: a new status under its own event, all other changes as
 * `TENANT.UPDATED`. The test copy follows a new status.
 */
async function recordTenantChanges(
  tx: PlatformTransaction,
  actor: Actor,
  before: TenantsTable,
  after: TenantsTable,
  at: string,
): Promise<void> {
  const statusChanges = changedFields(before, after, ['status', 'suspended_for']);
  const otherChanges = changedFields(auditState(before), auditState(after), ['name', 'plan_code', 'limits']);
  if (statusChanges.length === 0 && otherChanges.length === 0) return;
  await updateTenantRow(tx, after);
  if (after.status === 'active' && before.status !== 'active') await unparkJobsOf(tx, after.id, at);
  if (otherChanges.length > 0) {
    await recordPlatformAudit(tx, actor, { ...auditOf(after.id, 'TENANT.UPDATED'), changes: otherChanges, at });
  }
  if (statusChanges.length > 0) {
    const event = statusEvents[after.status];
    await recordPlatformAudit(tx, actor, { ...auditOf(after.id, event), changes: statusChanges, at });
    await changeTestTenant(tx, actor, after, at);
  }
}

/** Gives the test copy of a locked tenant the tenant's new status. The live tenant is locked first, so two never wait. */
async function changeTestTenant(
  tx: PlatformTransaction,
  actor: Actor,
  live: TenantsTable,
  at: Timestamp,
): Promise<void> {
  const test = await findTestTenant(tx, live.id);
  const before = test && (await lockTenant(tx, test.id));
  if (before === undefined) return;
  const state = followedState(before, live);
  if (state !== undefined) await recordTenantChanges(tx, actor, before, { ...before, ...state, updated_at: at }, at);
}

/** A copy that an operator suspended stays so; a closed tenant can be purged with its copy, when its operator decides. */
function followedState(
  test: TenantsTable,
  live: TenantsTable,
): Pick<TenantsTable, 'status' | 'suspended_for' | 'closed_at'> | undefined {
  if (test.status === 'closed') return undefined;
  if (live.status === 'closed') return { status: 'closed', suspended_for: null, closed_at: live.closed_at };
  if (live.status === 'suspended' && test.status === 'active') {
    return { status: 'suspended', suspended_for: 'live_tenant', closed_at: null };
  }
  if (live.status === 'active' && test.suspended_for === 'live_tenant') {
    return { status: 'active', suspended_for: null, closed_at: null };
  }
  return undefined;
}

/** A copy is not served without its tenant. */
async function assertLiveTenantActive(tx: PlatformTransaction, test: TenantsTable): Promise<void> {
  if (test.live_tenant_id === null) return;
  const live = await findTenantState(tx, test.live_tenant_id);
  if (live === undefined || live.status === 'active') return;
  const message = `The live tenant ${live.name} is suspended. Update its status, and the test tenant follows.`;
  throw new AppError('TENANT.TRANSITION_INVALID', message);
}

function auditState(row: TenantsTable) {
  return { name: row.name, plan_code: row.plan_code, limits: presentOverrides(parseOverrides(row.limits_json)) };
}

/** Returns the error for an id that no tenant has. */
export function tenantNotFound(): AppError {
  return new AppError('TENANT.NOT_FOUND', 'There is no such tenant. List the tenants to find its id.');
}

function unknownPlan(): AppError {
  return validationError({ field: 'plan_code', message: 'Choose an existing plan.' });
}

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
  const row = orThrow(await findTenant(platform, id), tenantNotFound);
  return row;
}

/**
 * Returns the size of a tenant's database in bytes, without opening the database. Null if it cannot be read, for
 * example because its server is unavailable: the rest of the tenant must stay readable.
 */
export async function readStorage({ logger, provisioning }: Services, placement: Placement): Promise<number | null> {
  try {
    return await provisioning.sizeOf(placement);
  } catch (error) {
    logger.warn({ err: error, tenant_id: placement.id }, "the size of a tenant's database was not read");
    return null;
  }
}

/** The effect of a subscription's state on its tenant. */
export interface BillingEffect {
  readonly planCode: string;
  /** False if a payment has been overdue for too long, so that the tenant is to be suspended. */
  readonly isServed: boolean;
}

/** How the tenant's status changed. */
export type BillingOutcome = 'suspended' | 'restored' | 'unchanged';

/**
 * Sets the paid plan of a locked tenant, and suspends or restores the tenant. Restores only a tenant that was suspended
 * for a missing payment: a suspension by an operator stays. A closed tenant is not changed.
 */
export async function applyBilling(
  tx: PlatformTransaction,
  before: TenantsTable,
  effect: BillingEffect,
  at: Timestamp,
): Promise<BillingOutcome> {
  if (before.status === 'closed') return 'unchanged';
  const suspends = !effect.isServed && before.status === 'active';
  const restores = effect.isServed && before.status === 'suspended' && before.suspended_for === 'payment';
  const state = suspends
    ? ({ status: 'suspended', suspended_for: 'payment' } as const)
    : restores
      ? ({ status: 'active', suspended_for: null } as const)
      : {};
  const after: TenantsTable = { ...before, ...state, plan_code: effect.planCode, updated_at: at };
  await recordTenantChanges(tx, systemActor, before, after, at);
  return suspends ? 'suspended' : restores ? 'restored' : 'unchanged';
}
