import type { PlatformTransaction } from '../../../db/database.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import { unparkJobsOf } from '../../../jobs/queries.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { systemActor } from '../../../tenancy/tenant.ts';
import { changedFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { lockTenant, updateTenantRow } from './queries.ts';

/** The effect of a subscription's state on its tenant. */
export interface BillingEffect {
  readonly planCode: string;
  /** False if a payment has been overdue for too long, so that the tenant is to be suspended. */
  readonly isServed: boolean;
}

/** How the tenant's status changed. */
export type BillingOutcome = 'suspended' | 'restored' | 'unchanged';

/** Reads a tenant and locks its row until the transaction ends. Every change of its subscription takes this lock. */
export function lockBilledTenant(tx: PlatformTransaction, tenantId: string): Promise<TenantsTable | undefined> {
  return lockTenant(tx, tenantId);
}

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
  const planChanges = changedFields(before, after, ['plan_code']);
  const stateChanges = changedFields(before, after, ['status', 'suspended_for']);
  if (planChanges.length === 0 && stateChanges.length === 0) return 'unchanged';
  await updateTenantRow(tx, after);
  if (restores) await unparkJobsOf(tx, before.id, at);
  const subject = { resourceType: 'tenant', resourceId: before.id, at };
  if (planChanges.length > 0) {
    await recordPlatformAudit(tx, systemActor, { ...subject, event: 'TENANT.UPDATED', changes: planChanges });
  }
  if (stateChanges.length === 0) return 'unchanged';
  const event = suspends ? 'TENANT.SUSPENDED' : 'TENANT.REINSTATED';
  await recordPlatformAudit(tx, systemActor, { ...subject, event, changes: stateChanges });
  return suspends ? 'suspended' : 'restored';
}
