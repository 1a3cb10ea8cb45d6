import type { PageRequest } from '../../../http/cursor.ts';
import { AppError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { resourceTypeOf } from './second-factor-service.ts';
import { deleteOtherSessions, deleteSession, listSessionsOf, type SessionRow } from './session-queries.ts';
import type { SubjectName } from './subject.ts';

type SessionServices = Pick<Services, 'clock' | 'platform'>;

/** A session as its owner sees it. `current` is the session of the request. */
export interface Session extends SessionRow {
  readonly current: boolean;
}

/** Returns one page of the sessions of a user or an admin, newest first, with one row more if another page follows. */
export async function listSessions(
  { clock, platform }: SessionServices,
  subject: SubjectName,
  currentId: string,
  page: PageRequest,
): Promise<Session[]> {
  const rows = await listSessionsOf(platform, subject, page, clock.now());
  return rows.map((row) => ({ ...row, current: row.id === currentId }));
}

/** Ends a session of the user or admin from the next request on. Throws 404 `RESOURCE.NOT_FOUND` if there is no such session. */
export async function revokeSession(
  { clock, platform }: SessionServices,
  actor: Actor,
  subject: SubjectName,
  id: string,
): Promise<void> {
  await platform.transaction(async (tx) => {
    if (!(await deleteSession(tx, subject, id))) {
      throw new AppError('RESOURCE.NOT_FOUND', 'You have no such session. It may have ended already.');
    }
    const about = { resourceType: 'session', resourceId: id, at: clock.now() };
    await recordPlatformAudit(tx, actor, { event: 'ACCOUNT.SESSION_REVOKED', ...about });
  });
}

/** Ends every session of the user or admin except `keptId`, from the next request on. Returns how many it ended. */
export async function revokeOtherSessions(
  { clock, platform }: SessionServices,
  actor: Actor,
  subject: SubjectName,
  keptId: string,
): Promise<number> {
  return platform.transaction(async (tx) => {
    const at = clock.now();
    const count = await deleteOtherSessions(tx, subject, keptId, at);
    if (count === 0) return 0;
    const about = { resourceType: resourceTypeOf(subject), resourceId: subject.id, at };
    await recordPlatformAudit(tx, actor, { event: 'ACCOUNT.OTHER_SESSIONS_REVOKED', ...about });
    return count;
  });
}
