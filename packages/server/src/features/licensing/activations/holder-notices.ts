import type { TenantTransaction } from '../../../db/database.ts';
import type { ActivationsTable, LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { KeyServices, Services } from '../../../services.ts';
import { type Outbox, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { queueHolderMail } from '../../tenant-core/holder-mails/queue.ts';
import { hasMailOf } from '../../tenant-core/holder-mails/service.ts';
import { findLicenseId, lockLicenseByKey } from '../licenses/service.ts';

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

/**
 * Queues the mail about a device that was refused because all seats are taken: one a day (UTC) and license, however often
 * devices are refused. A failure is logged, because the caller reports the refusal.
 */
export async function noticeRefused(
  services: Services,
  tenantId: string,
  key: string,
  device: Partial<Device>,
): Promise<void> {
  const type = 'activation.limit_reached';
  const day = services.clock.now().slice(0, 10);
  // The refusal has rolled its transaction back. The database of the request is not used again, because it stores what
  // its next transaction returns as the response to the request's idempotency key.
  const notice = services.tenants.withTenantDb(tenantId, async (db) => {
    const event = `${await findLicenseId(db, key)} ${day}`;
    // Most refusals of a day are repetitions. They write nothing.
    if (await hasMailOf(db, type, event)) return;
    await transactWithEvents(services, { id: tenantId, db }, async (tx, outbox) => {
      const { id: licenseId, holder_email: to, product_id: productId } = await lockLicenseByKey(tx, key);
      if (to === null) return;
      const mail = { type, to, licenseId, productId, event, values: valuesOf(device) } as const;
      await queueHolderMail(tx, mail, { ...services, outbox });
    });
  });
  await notice.catch((error: unknown) => {
    services.logger.warn({ err: error, tenant_id: tenantId }, 'the mail about a refused device was not queued');
  });
}

/** The values of the mail that the device reported. */
function valuesOf({ name, hostname, platform }: Partial<Device>): Record<string, string> {
  const named = name ?? hostname;
  return { ...(named && { device_name: named }), ...(platform && { device_platform: platform }) };
}
