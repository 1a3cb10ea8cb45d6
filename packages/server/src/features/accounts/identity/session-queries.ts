import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { AccessTokensTable } from '../../../db/tables/platform/identity.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** A session without the hash of its token. */
export type SessionRow = Pick<AccessTokensTable, 'id' | 'device_name' | 'created_at' | 'last_used_at' | 'expires_at'>;

/** Returns one page of a user's sessions that have not expired. */
export function listSessionsOf(
  platform: PlatformDb,
  userId: string,
  page: PageRequest,
  now: Timestamp,
): Promise<SessionRow[]> {
  const sessions = platform.query
    .selectFrom('access_tokens')
    .select(['id', 'device_name', 'created_at', 'last_used_at', 'expires_at'])
    .where('ability', '=', 'tenant')
    .where('subject_id', '=', userId)
    .where('expires_at', '>', now);
  return paginate(sessions, page).execute();
}

/** Deletes a session of a user. Returns false if the user has no such session. */
export async function deleteSession(tx: PlatformTransaction, userId: string, id: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('access_tokens')
    .where('id', '=', id)
    .where('ability', '=', 'tenant')
    .where('subject_id', '=', userId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Deletes every session of a user except one. Returns the number of deleted sessions that had not expired. */
export async function deleteOtherSessions(
  tx: PlatformTransaction,
  userId: string,
  keptId: string,
  now: Timestamp,
): Promise<number> {
  const deleted = await tx
    .deleteFrom('access_tokens')
    .where('ability', '=', 'tenant')
    .where('subject_id', '=', userId)
    .where('id', '!=', keptId)
    .returning('expires_at')
    .execute();
  return deleted.filter(({ expires_at }) => expires_at > now).length;
}
