import type { TenantTransaction } from '../../../db/database.ts';
import type { ActivationsTable, LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { storedFingerprint } from '../../../lib/fingerprint.ts';
import type { KeyServices, Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { type Outbox, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { queueHolderMail } from '../../tenant-core/holder-mail-queue/queue.ts';
import type { ActivationRefusal } from '../device-history/schemas.ts';
import { isRefusalKnown, noteRefusal } from '../device-history/service.ts';
import { activationLimit } from '../licenses/activation-capacity.ts';
import { findLicenseId, lockLicenseByKey, policyOf } from '../licenses/service.ts';
import { countActive } from './queries.ts';
import type { NewActivation } from './schemas.ts';

type Device = Pick<ActivationsTable, 'name' | 'hostname' | 'platform'>;

/** Queues the mail about a device that was activated, in the transaction that activates it. */
export async function noticeActivated(
  services: KeyServices,
  tx: TenantTransaction,
  outbox: Outbox,
  license: LicensesTable,
  device: ActivationsTable,
): Promise<void> {
  if (license.holder_email === null) return;
  await queueHolderMail(
    tx,
    {
      type: 'activation.created',
      to: license.holder_email,
      licenseId: license.id,
      productId: license.product_id,
      event: device.id,
      values: valuesOf(device),
    },
    { ...services, outbox },
  );
}

/** A device that was refused, and who asked. */
interface Refused {
  readonly actor: Actor;
  readonly input: NewActivation;
}

/**
 * Publishes `activation.limit_reached` and queues the mail about a device that was refused because all seats are taken:
 * one a day (UTC) and license, however often devices are refused. A failure is logged, because the caller reports the
 * refusal.
 */
export async function noticeRefused(
  services: Services,
  tenantId: string,
  key: string,
  { actor, input }: Refused,
): Promise<void> {
  const type = 'activation.limit_reached';
  // The refusal has rolled its transaction back. The database of the request is not used again, because it stores what
  // its next transaction returns as the response to the request's idempotency key.
  const notice = services.tenants.withTenantDb(tenantId, async (db) => {
    // Most refusals of a day are repetitions. They write nothing.
    if (await isRefusalKnown(db, await findLicenseId(db, key, actor), services.clock.now())) return;
    await transactWithEvents(services, { id: tenantId, db }, async (tx, outbox) => {
      const license = await lockLicenseByKey(tx, key, actor);
      const at = services.clock.now();
      if (!(await noteRefusal(tx, license.id, at))) return;
      const refusal = await describeRefusal(tx, license, { actor, input }, at);
      await outbox.record({ type, data: () => refusal, requestId: actor.requestId, at });
      const { id: licenseId, holder_email: to, product_id: productId } = license;
      if (to === null) return;
      const event = `${licenseId} ${at.slice(0, 10)}`;
      const mail = { type, to, licenseId, productId, event, values: valuesOf(input) } as const;
      await queueHolderMail(tx, mail, { ...services, outbox });
    });
  });
  await notice.catch((error: unknown) => {
    services.logger.warn({ err: error, tenant_id: tenantId }, 'a refused device was not reported');
  });
}

async function describeRefusal(
  tx: TenantTransaction,
  license: LicensesTable,
  { actor, input }: Refused,
  at: Timestamp,
): Promise<ActivationRefusal> {
  const { fingerprint, name = null, hostname = null, platform = null } = input;
  return {
    license_id: license.id,
    ...{ fingerprint: storedFingerprint(fingerprint), name, hostname, platform, ip: actor.ip },
    activations_count: await countActive(tx, license.id, at),
    max_activations: activationLimit(license, await policyOf(tx, license)),
  };
}

/** The values of the mail that the device reported. */
function valuesOf({ name, hostname, platform }: Partial<Device>): Record<string, string> {
  const named = name ?? hostname;
  return { ...(named && { device_name: named }), ...(platform && { device_platform: platform }) };
}
