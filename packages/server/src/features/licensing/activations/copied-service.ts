import type { TenantTransaction } from '../../../db/database.ts';
import type { ActivationsTable } from '../../../db/tables/tenant/licenses.ts';
import { createdFields, recordAudits } from '../../tenant-core/audit/audit.ts';
import type { Outbox } from '../../tenant-core/events/outbox.ts';
import type { CopyOptions } from '../licenses/copied-service.ts';
import { auditOf, leaseJobKind, presentActivation } from './activation.ts';
import { createActivationRows } from './queries.ts';

/**
 * Inserts copied activations with their audit records. The caller has locked the licenses and checked their limits, and
 * must call `reserveQuota` at the end of the transaction.
 */
export async function createCopies(
  tx: TenantTransaction,
  outbox: Outbox,
  rows: readonly ActivationsTable[],
  { actor, at, publishes }: CopyOptions,
): Promise<void> {
  if (rows.length === 0) return;
  await createActivationRows(tx, rows);
  const entries = rows.map((row) => {
    const changes = createdFields(row, ['license_id', 'fingerprint', 'name', 'hostname', 'platform']);
    return { ...auditOf(row.id, 'ACTIVATION.CREATED'), changes, at };
  });
  await recordAudits(tx, actor, entries);
  const data = () => rows.map((row) => presentActivation(row, at));
  if (publishes) await outbox.recordAll({ type: 'activation.created', data, requestId: actor.requestId, at });
  const leaseEnds = rows.flatMap(({ lease_expires_at: end }) => (end === null ? [] : [end])).sort();
  outbox.wakeUp(leaseJobKind, leaseEnds[0] ?? null);
}
