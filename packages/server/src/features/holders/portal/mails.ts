import type { TenantTransaction } from '../../../db/database.ts';
import type { ActivationsTable, LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { KeyServices } from '../../../services.ts';
import type { Outbox } from '../../tenant-core/events/outbox.ts';
import type { MailLanguage } from '../../tenant-core/holder-mail-queue/language.ts';
import { queueHolderMail } from '../../tenant-core/holder-mail-queue/queue.ts';

interface LoginMail {
  readonly to: string;
  readonly loginId: string;
  readonly code: string;
  readonly link: string;
  readonly language: MailLanguage | null;
  readonly usefulUntil: Timestamp;
}

/**
 * Queues the mail with the code and the link of a login, in the caller's transaction. Returns false if it queued none: the
 * mail of this login is queued already, or the address may get none.
 */
export async function queueLoginMail(
  { clock, keyring }: KeyServices,
  tx: TenantTransaction,
  outbox: Outbox,
  { to, loginId, code, link, language, usefulUntil }: LoginMail,
): Promise<boolean> {
  const mail = {
    type: 'portal.login',
    to,
    licenseId: null,
    event: loginId,
    values: { code, link },
    language,
    usefulUntil,
  } as const;
  return await queueHolderMail(tx, mail, { clock, keyring, outbox });
}

/** Queues the mail that tells the holder of a license that a device was released, in the caller's transaction. */
export async function queueReleaseMail(
  { clock, keyring }: KeyServices,
  tx: TenantTransaction,
  outbox: Outbox,
  { license, activation }: { readonly license: LicensesTable; readonly activation: ActivationsTable },
): Promise<void> {
  if (license.holder_email === null) return;
  const mail = {
    type: 'portal.device_released',
    to: license.holder_email,
    licenseId: license.id,
    productId: license.product_id,
    event: activation.id,
    values: { device_name: activation.name ?? activation.hostname ?? activation.platform ?? '' },
  } as const;
  await queueHolderMail(tx, mail, { clock, keyring, outbox });
}
