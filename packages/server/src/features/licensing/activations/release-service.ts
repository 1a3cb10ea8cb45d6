import type { TenantTransaction } from '../../../db/database.ts';
import type { ActivationsTable } from '../../../db/tables/tenant/activations.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { systemActor } from '../../../tenancy/system-actor.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';
import type { Outbox } from '../../tenant-core/events/outbox.ts';
import type { LicenseDependents } from '../licenses/license-dependents.ts';
import { presentActivation } from './activation.ts';
import { releaseActivationRows, updateActivationRow } from './queries.ts';

/** The activations of a deleted license end without an event or an audit entry of their own. */
export const licenseDependents: LicenseDependents = {
  releaseActivations: (tx, licenseId, at) => releaseActivationRows(tx, licenseId, 'license_deleted', at),
};

/**
 * Closes an activation whose lease ran out, at the end of the lease; the caller has locked the row of its license.
 * Whoever comes first does it, and the audit log tells of it once. The caller counts it off with `releaseQuota`.
 */
export async function expireActivation(
  tx: TenantTransaction,
  outbox: Outbox,
  row: ActivationsTable,
  at: Timestamp,
): Promise<void> {
  const release = { released_at: row.lease_expires_at, release_reason: 'lease_expired' } as const;
  await updateActivationRow(tx, row.id, release);
  const changes = [{ field: 'status', old: 'active', new: 'expired' }];
  await recordAudit(tx, systemActor, { ...auditOf(row.id, 'ACTIVATION.EXPIRED'), changes, at });
  const data = () => presentActivation({ ...row, ...release }, at);
  await outbox.record({ type: 'activation.expired', data, requestId: null, at });
}

export function auditOf(id: string, event: string) {
  return { event, resourceType: 'activation', resourceId: id };
}
