import type { TenantTransaction } from '../../../db/database.ts';
import type { ActivationsTable, LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { KeyServices, Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
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
 * devices are refused. The refusal has rolled its transaction back, so this is a transaction of its own.
 */
export async function noticeRefused(
  services: Services,
  tenant: Tenant,
  key: string,
  device: Partial<Device>,
): Promise<void> {
  const type = 'activation.limit_reached';
  const day = services.clock.now().slice(0, 10);
  const licenseId = await findLicenseId(tenant.db, key);
  const event = `${licenseId} ${day}`;
  // Most refusals of a day are repetitions. They write nothing.
  if (await hasMailOf(tenant.db, type, event)) return;
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    const { holder_email: to, product_id: productId } = await lockLicenseByKey(tx, key);
    if (to === null) return;
    const mail = { type, to, licenseId, productId, event, values: valuesOf(device) } as const;
    await queueHolderMail(tx, mail, { ...services, outbox });
  });
}

/** The values of the mail that the device reported. */
function valuesOf({ name, hostname, platform }: Partial<Device>): Record<string, string> {
  const named = name ?? hostname;
  return { ...(named && { device_name: named }), ...(platform && { device_platform: platform }) };
}
