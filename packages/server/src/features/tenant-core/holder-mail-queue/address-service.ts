import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { TenantTransaction } from '../../../db/database.ts';
import { foldedEmail } from '../../../db/dialect.ts';
import { deleteRows } from '../../../db/rows.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { batchesOf } from '../../../lib/batches.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { foldEmail } from '../../../lib/email.ts';
import { type HolderMailType, holderMailKind } from './holder-mail.ts';

// Whether an address may get a mail. An application's key is public, so whoever has it can name the address of a
// stranger. Such an address is unconfirmed: it gets one mail (`toUnconfirmed`), until a person who reads its mail proves
// it with a code or a link, or the vendor vouches for it. The vendor does so by sending a mail to it by hand, and by any
// license with the address that is not a running trial: it was created, imported, sold or converted.

const idsPerStatement = 500;

/** What decides about a mail. */
interface AddressedMail {
  readonly type: HolderMailType;
  readonly to: string;
}

/** Returns the mails that their addresses may get, and counts them. */
export async function onlyAdmitted<Mail extends AddressedMail>(
  tx: TenantTransaction,
  mails: readonly Mail[],
  at: Timestamp,
): Promise<Mail[]> {
  const limited = mails.filter(({ type }) => holderMailKind(type).toUnconfirmed !== 'always');
  const unconfirmed = await listUnconfirmed(
    tx,
    limited.map(({ to }) => foldEmail(to)),
  );
  if (unconfirmed.size === 0) return [...mails];
  const admitted: Mail[] = [];
  for (const mail of mails) {
    const email = foldEmail(mail.to);
    const { toUnconfirmed } = holderMailKind(mail.type);
    const isFree = toUnconfirmed === 'always' || !unconfirmed.has(email);
    if (isFree || (toUnconfirmed === 'once' && (await takeOnlyMail(tx, email, at)))) admitted.push(mail);
  }
  return admitted;
}

/** Returns true if nobody has confirmed the address that a public key gave. */
export async function isUnconfirmed(db: Kysely<TenantTables>, email: string): Promise<boolean> {
  return (await listUnconfirmed(db, [foldEmail(email)])).size > 0;
}

/**
 * Notes that a public key gave an address, before its license is created. Does nothing for an address that has a license
 * already: it is a customer's, or is noted.
 */
export async function noteUnconfirmed(tx: TenantTransaction, email: string): Promise<void> {
  const folded = foldEmail(email);
  if ((await listHolders(tx, [folded], 'all')).length > 0) return;
  await tx
    .insertInto('unconfirmed_addresses')
    .values({ address_hash: hashOf(folded), mailed_at: null })
    .onConflict((conflict) => conflict.column('address_hash').doNothing())
    .execute();
}

/** Notes that the reader of an address has proven to be that, or that the vendor vouches for it. */
export async function confirmAddress(tx: TenantTransaction, email: string): Promise<void> {
  await deleteRows(tx, 'unconfirmed_addresses', { address_hash: hashOf(foldEmail(email)) });
}

/** Returns those of the folded addresses that are unconfirmed. */
async function listUnconfirmed(db: Kysely<TenantTables>, emails: readonly string[]): Promise<ReadonlySet<string>> {
  const byHash = new Map(emails.map((email) => [hashOf(email), email]));
  const noted = new Set<string>();
  for (const hashes of batchesOf([...byHash.keys()], idsPerStatement)) {
    const rows = db.selectFrom('unconfirmed_addresses').select('address_hash').where('address_hash', 'in', hashes);
    for (const { address_hash } of await rows.execute()) noted.add(byHash.get(address_hash) ?? '');
  }
  for (const email of await listHolders(db, [...noted], 'notOnTrial')) noted.delete(email);
  return noted;
}

/** Returns those of the folded addresses that have a license: any, or one that is not a running trial. */
async function listHolders(
  db: Kysely<TenantTables>,
  emails: readonly string[],
  which: 'all' | 'notOnTrial',
): Promise<string[]> {
  if (emails.length === 0) return [];
  const email = foldedEmail(db, 'licenses.holder_email');
  let licenses = db
    .selectFrom('licenses')
    .select(email.as('email'))
    .distinct()
    .where('licenses.holder_email', 'is not', null)
    .where('licenses.deleted_at', 'is', null)
    .where(email, 'in', emails);
  if (which === 'notOnTrial') {
    licenses = licenses.where(({ exists, not, selectFrom }) => {
      const trials = selectFrom('trials').select('trials.id').whereRef('trials.license_id', '=', 'licenses.id');
      return not(exists(trials.where('trials.converted_at', 'is', null)));
    });
  }
  return (await licenses.execute()).map((row) => row.email);
}

/** Takes the one mail that an unconfirmed address may get. Returns false if it was taken. */
async function takeOnlyMail(tx: TenantTransaction, email: string, mailed_at: Timestamp): Promise<boolean> {
  const row = tx.updateTable('unconfirmed_addresses').set({ mailed_at }).where('address_hash', '=', hashOf(email));
  return (await row.where('mailed_at', 'is', null).executeTakeFirst()).numUpdatedRows > 0n;
}

function hashOf(folded: string): string {
  return createHash('sha256').update(folded).digest('hex');
}
