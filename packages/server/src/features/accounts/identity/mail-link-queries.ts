import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { MailLinksTable } from '../../../db/tables/platform/authentication.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** The purpose of a mailed link: verifying an address or choosing a password. */
export type MailLinkPurpose = MailLinksTable['purpose'];

/** Inserts at least one link. A link replaces the user's previous link of the same purpose. */
export async function upsertMailLinks(tx: PlatformTransaction, rows: readonly MailLinksTable[]): Promise<void> {
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

/** Returns the id of the user whose unexpired link has one of the hashes; undefined if there is none. */
export async function findMailLinkOwner(
  platform: PlatformDb,
  purpose: MailLinkPurpose,
  tokenHashes: readonly string[],
  now: Timestamp,
): Promise<string | undefined> {
  const row = await platform.query
    .selectFrom('mail_links')
    .select('user_id')
    .where('token_hash', 'in', tokenHashes)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.user_id;
}

/** Deletes a user's unexpired link, so that it works once. Returns false if there is none. */
export async function takeMailLink(
  tx: PlatformTransaction,
  link: { readonly userId: string; readonly purpose: MailLinkPurpose; readonly tokenHashes: readonly string[] },
  now: Timestamp,
): Promise<boolean> {
  const result = await tx
    .deleteFrom('mail_links')
    .where('user_id', '=', link.userId)
    .where('purpose', '=', link.purpose)
    .where('token_hash', 'in', link.tokenHashes)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Deletes every link of a user. */
export async function deleteMailLinksOf(tx: PlatformTransaction, userId: string): Promise<void> {
  await tx.deleteFrom('mail_links').where('user_id', '=', userId).execute();
}

/** Deletes up to `limit` expired links. Returns the number of deleted rows. */
export async function deleteExpiredMailLinks(platform: PlatformDb, now: Timestamp, limit: number): Promise<number> {
  const expired = platform.query
    .selectFrom('mail_links')
    .select('token_hash')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit);
  const result = await platform.query.deleteFrom('mail_links').where('token_hash', 'in', expired).executeTakeFirst();
  return Number(result.numDeletedRows);
}
