import type { TenantTransaction } from '../../../db/database.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { KeyServices } from '../../../services.ts';
import type { Outbox } from '../../tenant-core/events/outbox.ts';
import {
  type HolderMailType,
  type NewHolderMail,
  queueHolderMails,
} from '../../tenant-core/holder-mail-queue/queue.ts';
import { mayBeRenewed } from './license-status.ts';

type NoticedLicense = Pick<LicensesTable, 'id' | 'product_id' | 'holder_email' | 'expires_at'>;

/** Returns the mails that a change of a license causes. A later expiry is a renewal, whoever set it. */
function mailsOfChange({ before, after, at }: NoticedChange): HolderMailType[] {
  const types: HolderMailType[] = [];
  if (after.key !== before.key) types.push('license.key_replaced');
  const endsLater = before.expires_at !== null && (after.expires_at === null || after.expires_at > before.expires_at);
  if (endsLater && mayBeRenewed(after, at)) types.push('license.renewed');
  if (before.status === 'active' && after.status === 'suspended') types.push('license.suspended');
  if (before.status === 'suspended' && after.status === 'active') types.push('license.reinstated');
  return types;
}

/** Queues the mails about new licenses, in the transaction that creates them. `values` replace those of the licenses. */
export function noticeIssued(
  services: KeyServices,
  tx: TenantTransaction,
  outbox: Outbox,
  rows: readonly NoticedLicense[],
  notifyHolder: boolean | undefined,
  values: NonNullable<NewHolderMail['values']> = {},
): Promise<number> {
  const isBulk = rows.length > 1;
  const mails = rows.flatMap((row) => mailTo(row, 'license.issued', row.id, notifyHolder));
  return queueHolderMails(
    tx,
    mails.map((mail) => ({ ...mail, isBulk, values })),
    { ...services, outbox },
  );
}

/** A change of a license, alone or among many others. */
interface NoticedChange {
  readonly before: LicensesTable;
  readonly after: LicensesTable;
  readonly at: Timestamp;
  readonly isBulk: boolean;
}

/** Queues the mails that a change of a license causes, in the transaction of the change at `at`. */
export async function noticeChange(
  services: KeyServices,
  tx: TenantTransaction,
  outbox: Outbox,
  change: NoticedChange,
  notifyHolder: boolean | undefined,
): Promise<void> {
  const { after, at, isBulk } = change;
  const types = mailsOfChange(change);
  const mails = types.flatMap((type) => mailTo(after, type, `${after.id} ${at}`, notifyHolder));
  await queueHolderMails(
    tx,
    mails.map((mail) => ({ ...mail, isBulk })),
    { ...services, outbox },
  );
}

/** Queues the mails about licenses that have ended, in the transaction that reports their ends. */
export async function noticeEnds(
  services: KeyServices,
  tx: TenantTransaction,
  outbox: Outbox,
  rows: readonly NoticedLicense[],
): Promise<void> {
  const mails = rows.flatMap((row) => mailTo(row, 'license.expired', `${row.id} ${row.expires_at}`, undefined));
  await queueHolderMails(tx, mails, { ...services, outbox });
}

/** Returns the mail to the holder; none for a license without an address. */
function mailTo(
  license: NoticedLicense,
  type: HolderMailType,
  event: string,
  notifyHolder: boolean | undefined,
): NewHolderMail[] {
  const { id, product_id, holder_email } = license;
  if (holder_email === null) return [];
  return [{ type, to: holder_email, licenseId: id, productId: product_id, event, notifyHolder }];
}
