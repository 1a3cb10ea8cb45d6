import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { EmailChangesTable, MailLinksTable } from '../../../db/tables/platform/identity.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** The purpose of a mailed link: verifying an address or choosing a password. */
export type MailLinkPurpose = MailLinksTable['purpose'];

const tables = ['mail_links', 'earlier_mail_links'] as const;

/**
 * Inserts at least one link as the newest of its user and purpose. The former newest ones become earlier ones, which stay
 * valid. The caller has locked the user.
 */
export async function insertMailLinks(
  tx: PlatformTransaction,
  rows: readonly [MailLinksTable, ...MailLinksTable[]],
): Promise<void> {
  const columns = ['user_id', 'purpose', 'token_hash', 'created_at', 'expires_at'] as const;
  await tx
    .insertInto('earlier_mail_links')
    .columns([...columns])
    .expression((eb) =>
      eb
        .selectFrom('mail_links')
        .select([...columns])
        .where('user_id', '=', rows[0].user_id)
        .where('expires_at', '>', rows[0].created_at)
        .where(
          'purpose',
          'in',
          rows.map(({ purpose }) => purpose),
        ),
    )
    .execute();
  await tx
    .insertInto('mail_links')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'purpose']).doUpdateSet((eb) => ({
        token_hash: eb.ref('excluded.token_hash'),
        created_at: eb.ref('excluded.created_at'),
        expires_at: eb.ref('excluded.expires_at'),
      })),
    )
    .execute();
}

/** Returns the id of the user with an unexpired link that has one of the hashes, or undefined. */
export async function findMailLinkOwner(
  db: PlatformTransaction | PlatformDb['query'],
  purpose: MailLinkPurpose,
  tokenHashes: readonly string[],
  now: Timestamp,
): Promise<string | undefined> {
  const [newest, earlier] = tables.map((table) =>
    db
      .selectFrom(table)
      .select('user_id')
      .where('token_hash', 'in', tokenHashes)
      .where('purpose', '=', purpose)
      .where('expires_at', '>', now),
  );
  if (newest === undefined || earlier === undefined) throw new Error('Bug: links are in two tables.');
  return (await newest.unionAll(earlier).executeTakeFirst())?.user_id;
}

/**
 * Deletes a user's links of a purpose if one of them has one of the hashes and is unexpired, so that they work once.
 * Returns false if there is no such link. The caller has locked the user.
 */
export async function takeMailLink(
  tx: PlatformTransaction,
  link: { readonly userId: string; readonly purpose: MailLinkPurpose; readonly tokenHashes: readonly string[] },
  now: Timestamp,
): Promise<boolean> {
  const { userId, purpose, tokenHashes } = link;
  if ((await findMailLinkOwner(tx, purpose, tokenHashes, now)) !== userId) return false;
  for (const table of tables) {
    await tx.deleteFrom(table).where('user_id', '=', userId).where('purpose', '=', purpose).execute();
  }
  return true;
}

/** Deletes every link of a user. */
export async function deleteMailLinksOf(tx: PlatformTransaction, userId: string): Promise<void> {
  for (const table of tables) await tx.deleteFrom(table).where('user_id', '=', userId).execute();
}

/** The link of a change: the one to the new address confirms it, the one to the old address reverts it. */
export type EmailChangeLink = 'confirm' | 'revert';

const hashColumns = { confirm: 'confirm_hash', revert: 'revert_hash' } as const;

/** Deletes the pending change of a user and returns it, or undefined. */
export function takePendingEmailChange(
  tx: PlatformTransaction,
  userId: string,
): Promise<EmailChangesTable | undefined> {
  return tx
    .deleteFrom('email_changes')
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** Returns the pending change of a user if its link to the new address has not expired. */
export function findPendingEmailChange(
  platform: PlatformDb,
  userId: string,
  now: Timestamp,
): Promise<EmailChangesTable | undefined> {
  return platform.query
    .selectFrom('email_changes')
    .selectAll()
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Returns the change with one of the link hashes, even if the link has expired. */
export function findEmailChange(
  platform: PlatformDb,
  link: EmailChangeLink,
  tokenHashes: readonly string[],
): Promise<EmailChangesTable | undefined> {
  return platform.query
    .selectFrom('email_changes')
    .selectAll()
    .where(hashColumns[link], 'in', tokenHashes)
    .executeTakeFirst();
}

/** Deletes the changes of a user from an address, because the user has the address again. */
export async function deleteEmailChangesFrom(tx: PlatformTransaction, userId: string, email: string): Promise<void> {
  await tx.deleteFrom('email_changes').where('user_id', '=', userId).where('old_email', '=', email).execute();
}

/** Deletes the changes of a user that were requested at this time or later. */
export async function deleteEmailChangesSince(
  tx: PlatformTransaction,
  userId: string,
  since: Timestamp,
): Promise<void> {
  await tx.deleteFrom('email_changes').where('user_id', '=', userId).where('created_at', '>=', since).execute();
}

/** Returns whether another user left this address so recently that the change can still be reverted. */
export async function isAddressReserved(
  tx: PlatformTransaction,
  { email, userId, now }: { readonly email: string; readonly userId: string; readonly now: Timestamp },
): Promise<boolean> {
  const row = await tx
    .selectFrom('email_changes')
    .select('id')
    .where('old_email', '=', email)
    .where('revertible_until', '>', now)
    .where('confirmed_at', 'is not', null)
    .where('user_id', '!=', userId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the former addresses of a user that no user has now. */
export async function listFormerEmails(platform: PlatformDb, userId: string): Promise<string[]> {
  const rows = await platform.query
    .selectFrom('email_changes')
    .leftJoin('users', 'users.email', 'email_changes.old_email')
    .select('email_changes.old_email')
    .distinct()
    .where('email_changes.user_id', '=', userId)
    .where('email_changes.confirmed_at', 'is not', null)
    .where('users.id', 'is', null)
    .execute();
  return rows.map(({ old_email }) => old_email);
}
