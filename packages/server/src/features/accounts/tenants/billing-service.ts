import type { PlatformTransaction } from '../../../db/database.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { systemActor } from '../../../tenancy/system-actor.ts';
import { changedFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { lockTenant, updateTenantRow } from './queries.ts';

/** What a subscription does to its tenant. */
export interface BillingEffect {
  readonly planCode: string;
  /** False: a payment is missing for too long. */
  readonly isServed: boolean;
}

/** What became of the tenant's state. */
export type BillingOutcome = 'suspended' | 'restored' | 'unchanged';

/** Reads a tenant and keeps everybody else from changing it, and what is bought for it, until the transaction ends. */
export function lockBilledTenant(tx: PlatformTransaction, tenantId: string): Promise<TenantsTable | undefined> {
  return lockTenant(tx, tenantId);
}

/**
 * Gives a locked tenant the plan that is paid for, and suspends or restores it. Only what a missing payment suspended is
 * restored: what an operator decided stays, and so does a closed tenant.
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
  const subject = { resourceType: 'tenant', resourceId: before.id, at };
  if (planChanges.length > 0) {
    await recordPlatformAudit(tx, systemActor, { ...subject, event: 'TENANT.UPDATED', changes: planChanges });
  }
  if (stateChanges.length === 0) return 'unchanged';
  const event = suspends ? 'TENANT.SUSPENDED' : 'TENANT.REINSTATED';
  await recordPlatformAudit(tx, systemActor, { ...subject, event, changes: stateChanges });
  return suspends ? 'suspended' : 'restored';
}
