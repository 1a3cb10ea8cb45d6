import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { deleteRows, findRow } from '../../../db/rows.ts';
import type { HolderMailsTable } from '../../../db/tables/tenant/holder-mails.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { foldEmail } from '../../../lib/email.ts';
import { changedFields } from '../audit/audit.ts';
import { expiryRule } from '../retention/retention.ts';
import { type HolderMailSwitch, type HolderMailType, holderMailKinds, holderMailTypes } from './holder-mail.ts';
import type { MailLanguage } from './language.ts';
import {
  deleteMailsTo,
  findLastMailTimes,
  listAllSwitches,
  listLanguages,
  lockAllSwitches,
  removeSwitch,
  writeLanguage,
  writeSwitch,
} from './queries.ts';

/** A change of a switch: null returns a type to its default, or a product to the tenant's switch. */
export interface SwitchChange {
  readonly type: HolderMailType;
  /** Null: all products without a switch of their own. */
  readonly productId: string | null;
  readonly isOn: boolean | null;
}

/** Reads the switches that the tenant has set. */
export function readSwitches(db: TenantDb | TenantTransaction): Promise<HolderMailSwitch[]> {
  return listAllSwitches('query' in db ? db.query : db);
}

/** Sets switches. Returns the changed fields for the audit record; none if nothing changed. */
export async function changeSwitches(tx: TenantTransaction, changes: readonly SwitchChange[]) {
  const nameOf = ({ type, product_id }: Omit<HolderMailSwitch, 'is_on'>) =>
    product_id === '' ? type : `${type} ${product_id}`;
  const stateOf = (switches: readonly HolderMailSwitch[]) =>
    Object.fromEntries(switches.map((one) => [nameOf(one), one.is_on === 1]));
  const before = await lockAllSwitches(tx);
  for (const { type, productId, isOn } of changes) {
    const key = { type, product_id: productId ?? '' };
    if (isOn === null) await removeSwitch(tx, key);
    else await writeSwitch(tx, { ...key, is_on: isOn ? 1 : 0 });
  }
  const [old, now] = [stateOf(before), stateOf(await listAllSwitches(tx))];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const all = (state: Record<string, boolean>) => Object.fromEntries(names.map((name) => [name, state[name] ?? null]));
  return changedFields(all(old), all(now), names);
}

/** Returns the mail that `queueHolderMail` queued for an event; undefined if there is none. */
export function findQueuedMail(
  tx: TenantTransaction,
  type: HolderMailType,
  event: string,
): Promise<HolderMailsTable | undefined> {
  return findRow(tx, 'holder_mails', { event: `${type} ${event}` });
}

/**
 * Deletes the language of a holder and up to `limit` mails to the holder, sent and waiting ones. Returns how many mails it
 * deleted.
 */
export async function eraseMailsTo(tx: TenantTransaction, email: string, limit: number): Promise<number> {
  await deleteRows(tx, 'holder_languages', { email: foldEmail(email) });
  return await deleteMailsTo(tx, foldEmail(email), limit);
}

/**
 * Remembers the language in which a person who has proven to own the address used the portal: later mails have it. Does
 * nothing for null.
 */
export async function rememberLanguage(
  tx: TenantTransaction,
  email: string,
  language: MailLanguage | null,
): Promise<void> {
  if (language !== null) await writeLanguage(tx, foldEmail(email), language);
}

/** Returns the languages of holders, by folded address, if they are known. */
export function readLanguages(db: TenantDb, emails: readonly string[]): Promise<ReadonlyMap<string, MailLanguage>> {
  return listLanguages(db, [...new Set(emails.map(foldEmail))]);
}

/** Returns when each of these holders was last sent a mail, by folded address. */
export function readLastMailTimes(db: TenantDb, emails: readonly string[]): Promise<ReadonlyMap<string, Timestamp>> {
  return findLastMailTimes(db, [...new Set(emails.map(foldEmail))]);
}

/** The types that a tenant can switch on and off. */
export const switchableTypes: readonly HolderMailType[] = holderMailTypes.filter(
  (type) => holderMailKinds[type].isOnByDefault !== null,
);

/** Deletes mails that are older than `retention_days.mails`. None of them waits: a mail is given up after a week. */
export const holderMailRetention = expiryRule(({ now, settings }) => [
  { table: 'holder_mails', order: ['created_at', 'id'], before: addDays(now, -settings.retention_days.mails) },
]);
