import type { TenantTransaction } from '../../../db/database.ts';
import type { ActivationsTable, LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import type { TenantWorkServices } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';
import { type Outbox, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { releaseQuota } from '../../tenant-core/plan-limits/service.ts';
import { excessActivations } from '../licenses/activation-capacity.ts';
import { countDeactivation, lockLicenseById, lockLicenseByKey, policyOf } from '../licenses/service.ts';
import { activationStatus, auditOf, presentActivation } from './activation.ts';
import { countActive, findActivation, updateActivationRow } from './queries.ts';
import { activationNotFound } from './service.ts';

/**
 * Releases an activation at the request of its device, as `deactivateLimited` does. Throws 404 `LICENSE.NOT_FOUND` or
 * `ACTIVATION.NOT_FOUND`, and 422 `ACTIVATION.DEACTIVATION_LIMIT_REACHED`.
 */
export async function deactivateOwn(
  services: TenantWorkServices,
  tenant: Tenant,
  actor: Actor,
  key: string,
  activationId: string,
): Promise<void> {
  await deactivateLimited(services, tenant, actor, { lock: (tx) => lockLicenseByKey(tx, key, actor), activationId });
}

interface LimitedDeactivation {
  /** Locks the license and returns it, or throws if the caller may not release its devices. */
  readonly lock: (tx: TenantTransaction) => Promise<LicensesTable>;
  readonly activationId: string;
  /** Called in the transaction if the call released the device. */
  readonly onReleased?: (
    tx: TenantTransaction,
    outbox: Outbox,
    released: { readonly license: LicensesTable; readonly activation: ActivationsTable; readonly at: Timestamp },
  ) => Promise<void>;
}

/**
 * Releases an activation of the license that `lock` returns. Counts against the policy's `max_deactivations`, unless the
 * license has more active devices than its limit and overage admit. A repeated call, and a call after the lease has
 * expired, succeed and count nothing, because the seat is already free. Throws the errors of `lock`, 404
 * `ACTIVATION.NOT_FOUND`, and 422 `ACTIVATION.DEACTIVATION_LIMIT_REACHED`.
 */
export async function deactivateLimited(
  services: TenantWorkServices,
  tenant: Tenant,
  actor: Actor,
  { lock, activationId, onReleased }: LimitedDeactivation,
): Promise<void> {
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    const license = await lock(tx);
    const at = services.clock.now();
    const row = await findActivation(tx, activationId);
    if (row?.license_id !== license.id) throw activationNotFound();
    if (activationStatus(row, at) !== 'active') return;
    const policy = await policyOf(tx, license);
    const isCounted = excessActivations(license, policy, await countActive(tx, license.id, at)) === 0;
    const { max_deactivations } = policy;
    if (isCounted && max_deactivations !== null && license.deactivations_count >= max_deactivations) {
      const message =
        'The policy of the license lets you release no more devices. Ask the vendor to release the device.';
      throw new AppError('ACTIVATION.DEACTIVATION_LIMIT_REACHED', message);
    }
    await release(tx, outbox, actor, row, at);
    if (isCounted) await countDeactivation(tx, license.id);
    await releaseQuota(tx, 'activations', 1);
    await onReleased?.(tx, outbox, { license, activation: row, at });
  });
}

/**
 * Releases an activation at the request of the vendor. `max_deactivations` neither limits nor counts it. A repeated
 * call succeeds and changes nothing. Throws 404 `ACTIVATION.NOT_FOUND`.
 */
export async function deactivateByVendor(
  services: TenantWorkServices,
  tenant: Tenant,
  actor: Actor,
  activationId: string,
): Promise<void> {
  const { clock } = services;
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    const found = await findActivation(tx, activationId);
    if (found === undefined) throw activationNotFound();
    // Every transaction locks the license before its activations. Another order could deadlock.
    await lockLicenseById(tx, found.license_id);
    const row = await findActivation(tx, activationId);
    const at = clock.now();
    if (row === undefined || activationStatus(row, at) !== 'active') return;
    await release(tx, outbox, actor, row, at);
    await releaseQuota(tx, 'activations', 1);
  });
}

async function release(
  tx: TenantTransaction,
  outbox: Outbox,
  actor: Actor,
  row: ActivationsTable,
  at: Timestamp,
): Promise<void> {
  const changed = { released_at: at, release_reason: 'deactivated' } as const;
  await updateActivationRow(tx, row.id, changed);
  const changes = [{ field: 'status', old: 'active', new: 'deactivated' }];
  await recordAudit(tx, actor, { ...auditOf(row.id, 'ACTIVATION.DEACTIVATED'), changes, at });
  const data = () => presentActivation({ ...row, ...changed }, at);
  await outbox.record({ type: 'activation.deactivated', data, requestId: actor.requestId, at });
}
