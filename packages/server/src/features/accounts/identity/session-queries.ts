import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { AccessTokensTable } from '../../../db/tables/platform/identity.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { SubjectName } from './subject.ts';

/** A session without the hash of its token. */
export type SessionRow = Pick<AccessTokensTable, (typeof sessionColumns)[number]>;

/** The columns of a session that its user and admins may see. */
export const sessionColumns = ['id', 'device_name', 'ip', 'created_at', 'last_used_at', 'expires_at'] as const;

/** Returns one page of a subject's sessions that have not expired. */
export function listSessionsOf(
  platform: PlatformDb,
  { ability, id: subjectId }: SubjectName,
  page: PageRequest,
  now: Timestamp,
): Promise<SessionRow[]> {
  const sessions = platform.query
    .selectFrom('access_tokens')
    .select(sessionColumns)
    .where('ability', '=', ability)
    .where('subject_id', '=', subjectId)
    .where('expires_at', '>', now);
  return paginate(sessions, page).execute();
}

/** Deletes a session of a subject. Returns false if the subject has no such session. */
export async function deleteSession(
  tx: PlatformTransaction,
  { ability, id: subjectId }: SubjectName,
  id: string,
): Promise<boolean> {
  const result = await tx
    .deleteFrom('access_tokens')
    .where('id', '=', id)
    .where('ability', '=', ability)
    .where('subject_id', '=', subjectId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Deletes every session of a subject except one. Returns the number of deleted sessions that had not expired. */
export async function deleteOtherSessions(
  tx: PlatformTransaction,
  { ability, id: subjectId }: SubjectName,
  keptId: string,
  now: Timestamp,
): Promise<number> {
  const deleted = await tx
    .deleteFrom('access_tokens')
    .where('ability', '=', ability)
    .where('subject_id', '=', subjectId)
    .where('id', '!=', keptId)
    .returning('expires_at')
    .execute();
  return deleted.filter(({ expires_at }) => expires_at > now).length;
}
