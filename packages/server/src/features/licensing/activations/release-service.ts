import type { TenantTransaction } from '../../../db/database.ts';
import type { ActivationsTable } from '../../../db/tables/tenant/licenses.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { systemActor } from '../../../tenancy/tenant.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';
import type { Outbox } from '../../tenant-core/events/outbox.ts';
import type { LicenseDependents } from '../licenses/license-dependents.ts';
import { presentActivation } from './activation.ts';
import { releaseActivationRows, updateActivationRow } from './queries.ts';

/** Releases the activations of a deleted license, without an event or an audit entry for each of them. */
export const licenseDependents: LicenseDependents = {
  releaseActivations: (tx, licenseId, at) => releaseActivationRows(tx, licenseId, 'license_deleted', at),
};

/**
 * Closes an activation whose lease has expired; `released_at` is the end of the lease. The caller must have locked the
 * license's row, so that the activation is closed and audited once, by the lease job or by a new activation. The
 * caller must also call `releaseQuota`.
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

/** Returns the audit fields that identify an activation. */
export function auditOf(id: string, event: string) {
  return { event, resourceType: 'activation', resourceId: id };
}
