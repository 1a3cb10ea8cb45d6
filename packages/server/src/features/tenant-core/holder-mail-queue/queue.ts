import type { TenantTransaction } from '../../../db/database.ts';
import type { HolderMailsTable } from '../../../db/tables/tenant/holder-mails.ts';
import type { Clock, Timestamp } from '../../../lib/clock.ts';
import { foldEmail } from '../../../lib/email.ts';
import { newId } from '../../../lib/ids.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import { listProductsOf } from '../license-products/service.ts';
import { onlyAdmitted } from './address-service.ts';
import { type HolderMailType, holderMailKind, isSwitchedOn } from './holder-mail.ts';
import type { MailLanguage } from './language.ts';
import { insertNewMails, listSwitches } from './queries.ts';

export type { HolderMailType } from './holder-mail.ts';

/** A mail to a license holder that a change causes. Its text is rendered when it is sent. */
export interface NewHolderMail {
  readonly type: HolderMailType;
  /** The holder's address. */
  readonly to: string;
  readonly licenseId: string | null;
  /** The product of the license; if it is left out, the license is read for it. */
  readonly productId?: string;
  /** A string that identifies the event in this tenant; a second mail of the type with the same one is not queued. */
  readonly event: string;
  /** Values of this mail alone, such as `code`, `link` or `device_name`. They are stored encrypted. */
  readonly values?: Readonly<Record<string, string>>;
  /** The language of the request, if it is not yet proven that the holder sent it. Default: the holder's language. */
  readonly language?: MailLanguage | null;
  /** When the mail becomes useless, for example because its link ends. */
  readonly usefulUntil?: Timestamp;
  /** The decision of the request that causes the mail; undefined: the tenant's switches decide. */
  readonly notifyHolder?: boolean | undefined;
  /** True for one of very many mails, which single mails overtake. Default: the type decides. */
  readonly isBulk?: boolean;
  /** The mail that a person sends again with this one. */
  readonly resentFrom?: string;
}

/** What queueing needs besides the transaction. `outbox` is the one of `transactWithEvents`, which wakes the job. */
export interface HolderMailContext {
  readonly clock: Pick<Clock, 'now'>;
  readonly keyring: Pick<Keyring, 'seal'>;
  readonly outbox: { expectHolderMails(): void };
}

/**
 * Queues one mail in the caller's transaction, if the tenant sends mails of this type about this product and the address
 * may get it; once per `event`, ever. Returns false if it queued nothing. Call it within `transactWithEvents` and pass its outbox: the mail is
 * then sent right after the commit, also if this process dies.
 */
export async function queueHolderMail(
  tx: TenantTransaction,
  mail: NewHolderMail,
  context: HolderMailContext,
): Promise<boolean> {
  return (await queueHolderMails(tx, [mail], context)) > 0;
}

/** Queues several mails as `queueHolderMail` does, in few statements. Returns how many it queued. */
export async function queueHolderMails(
  tx: TenantTransaction,
  mails: readonly NewHolderMail[],
  context: HolderMailContext,
): Promise<number> {
  const wanted = await onlySwitchedOn(tx, mails);
  if (wanted.length === 0) return 0;
  const at = context.clock.now();
  const admitted = await onlyAdmitted(tx, wanted, at);
  if (admitted.length === 0) return 0;
  const queued = await insertNewMails(
    tx,
    admitted.map((mail) => newRow(mail, at, context)),
  );
  if (queued > 0) context.outbox.expectHolderMails();
  return queued;
}

async function onlySwitchedOn(tx: TenantTransaction, mails: readonly NewHolderMail[]): Promise<NewHolderMail[]> {
  const undecided = mails.filter(({ notifyHolder }) => notifyHolder === undefined);
  const types = [...new Set(undecided.map(({ type }) => type))].filter(
    (type) => holderMailKind(type).isOnByDefault !== null,
  );
  const switches = types.length === 0 ? [] : await listSwitches(tx, types);
  // Most tenants have no switch for a single product. Their licenses need not be read.
  const hasProducts = switches.some(({ product_id }) => product_id !== '');
  const unknown = undecided.flatMap(({ productId, licenseId }) =>
    hasProducts && productId === undefined && licenseId !== null ? [licenseId] : [],
  );
  const products = unknown.length === 0 ? new Map<string, string>() : await listProductsOf(tx, unknown);
  return mails.filter(({ type, productId, licenseId, notifyHolder }) => {
    if (notifyHolder !== undefined) return notifyHolder;
    return isSwitchedOn(switches, type, productId ?? products.get(licenseId ?? '') ?? null);
  });
}

function newRow(mail: NewHolderMail, at: Timestamp, { keyring }: HolderMailContext): HolderMailsTable {
  const { type, values = {} } = mail;
  return {
    id: newId(),
    type,
    recipient: foldEmail(mail.to),
    license_id: mail.licenseId,
    language: mail.language ?? null,
    event: `${type} ${mail.event}`,
    state: 'queued',
    is_bulk: (mail.isBulk ?? holderMailKind(type).isBulk) === true ? 1 : 0,
    sealed_values: Object.keys(values).length === 0 ? null : keyring.seal(JSON.stringify(values)),
    subject: null,
    server: null,
    reason: null,
    attempts: 0,
    next_attempt_at: at,
    lease_id: null,
    useful_until: mail.usefulUntil ?? null,
    resent_from: mail.resentFrom ?? null,
    created_at: at,
    ended_at: null,
  };
}
