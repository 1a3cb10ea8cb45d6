import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';

/** The hash of an enabled user's password; undefined for nobody, and null for one without a password. */
export async function findPasswordHash(platform: PlatformDb, id: string): Promise<string | null | undefined> {
  const query = platform.query.selectFrom('users').select('password_hash').where('id', '=', id);
  return (await query.where('disabled_at', 'is', null).executeTakeFirst())?.password_hash;
}

/** Reads a user and keeps others from changing the row until the transaction ends. */
export function lockUser(tx: PlatformTransaction, id: string): Promise<UsersTable | undefined> {
  return forUpdate(tx, tx.selectFrom('users').selectAll().where('id', '=', id)).executeTakeFirst();
}

export async function updateUserRow(
  tx: PlatformTransaction,
  id: string,
  changes: Partial<Pick<UsersTable, 'name' | 'password_hash' | 'disabled_at' | 'updated_at'>>,
): Promise<void> {
  await tx.updateTable('users').set(changes).where('id', '=', id).execute();
}

/** Removes the tokens of a user, but one. */
export async function deleteOtherTokens(tx: PlatformTransaction, userId: string, keptTokenId: string): Promise<void> {
  await tx
    .deleteFrom('access_tokens')
    .where('ability', '=', 'tenant')
    .where('subject_id', '=', userId)
    .where('id', '!=', keptTokenId)
    .execute();
}
