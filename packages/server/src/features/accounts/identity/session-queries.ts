import type { PlatformDb, PlatformTransaction, PreparedRead } from '../../../db/database.ts';
import type { AdminsTable, LoginMethod, SessionsTable } from '../../../db/tables/platform/identity.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { isEnabled, roleOf } from './stored-admin.ts';
import type { Ability, Subject, SubjectName } from './subject.ts';

/** A token joined with its user or admin. The columns of the other table are null. */
interface TokenRow {
  readonly id: string;
  readonly ability: Ability;
  readonly subject_id: string;
  readonly expires_at: Timestamp;
  readonly last_used_at: Timestamp | null;
  readonly login_method: LoginMethod;
  readonly two_factor_confirmed_at: Timestamp | null;
  readonly user_email: string | null;
  readonly user_name: string | null;
  readonly user_email_verified_at: Timestamp | null;
  readonly user_created_at: Timestamp | null;
  readonly admin_email: string | null;
  readonly admin_name: string | null;
  readonly admin_role: AdminsTable['role'] | null;
  readonly admin_auditor_access: AdminsTable['auditor_access'];
  readonly admin_created_at: Timestamp | null;
}

/** A token and its enabled subject. */
export interface LiveSession {
  readonly id: string;
  readonly expiresAt: Timestamp;
  readonly lastUsedAt: Timestamp | null;
  readonly hasTwoFactor: boolean;
  readonly method: LoginMethod;
  readonly subject: Subject;
}

const tokenByHash: PreparedRead<PlatformTables, TokenRow> = {
  name: 'access-token-by-hash',
  build: (db, parameter) =>
    db
      .selectFrom('access_tokens as token')
      .leftJoin('users', (join) =>
        join.onRef('users.id', '=', 'token.subject_id').on('token.ability', '=', 'tenant').on(isEnabled.tenant),
      )
      .leftJoin('admins', (join) =>
        join.onRef('admins.id', '=', 'token.subject_id').on('token.ability', '=', 'admin').on(isEnabled.admin),
      )
      .leftJoin('two_factor', (join) =>
        join.onRef('two_factor.ability', '=', 'token.ability').onRef('two_factor.subject_id', '=', 'token.subject_id'),
      )
      .select('two_factor.confirmed_at as two_factor_confirmed_at')
      .select(['token.id', 'token.ability', 'token.subject_id', 'token.expires_at', 'token.last_used_at'])
      .select('token.login_method')
      .select([
        'users.email as user_email',
        'users.name as user_name',
        'users.email_verified_at as user_email_verified_at',
        'users.created_at as user_created_at',
        'admins.email as admin_email',
        'admins.name as admin_name',
        'admins.role as admin_role',
        'admins.auditor_access as admin_auditor_access',
        'admins.created_at as admin_created_at',
      ])
      .where('token.token_hash', '=', parameter(0)),
};

/**
 * Reads a token and its subject with one query. Returns undefined if there is no such token or if its subject is
 * deleted or disabled. Does not check the expiry.
 */
export async function findLiveSession(platform: PlatformDb, tokenHash: string): Promise<LiveSession | undefined> {
  const row = await platform.first(tokenByHash, [tokenHash]);
  const subject = row === undefined ? undefined : subjectOf(row);
  if (row === undefined || subject === undefined) return undefined;
  const { id, expires_at: expiresAt, last_used_at: lastUsedAt, login_method: method } = row;
  return { id, expiresAt, lastUsedAt, hasTwoFactor: row.two_factor_confirmed_at !== null, method, subject };
}

function subjectOf(row: TokenRow): Subject | undefined {
  const {
    subject_id: id,
    user_email,
    user_name,
    user_created_at,
    admin_email,
    admin_name,
    admin_role,
    admin_created_at,
  } = row;
  if (user_email !== null && user_name !== null && user_created_at !== null) {
    const { user_email_verified_at: email_verified_at } = row;
    return {
      ability: 'tenant',
      user: { id, email: user_email, name: user_name, email_verified_at, created_at: user_created_at },
    };
  }
  if (admin_email !== null && admin_name !== null && admin_role !== null && admin_created_at !== null) {
    const role = roleOf({ role: admin_role, auditor_access: row.admin_auditor_access });
    return {
      ability: 'admin',
      admin: { id, email: admin_email, name: admin_name, role, created_at: admin_created_at },
    };
  }
  return undefined;
}

/** Stores when and from which client address a token was last used. */
export async function touchSession(
  platform: PlatformDb,
  id: string,
  use: { readonly at: Timestamp; readonly ip: string },
): Promise<void> {
  const changes = { last_used_at: use.at, ip: use.ip };
  await platform.query.updateTable('access_tokens').set(changes).where('id', '=', id).execute();
}

/** A session without the hash of its token. */
export type SessionRow = Pick<SessionsTable, (typeof sessionColumns)[number]>;

/** The columns of a session that its user and admins may see. */
const sessionColumns = ['id', 'device_name', 'ip', 'created_at', 'last_used_at', 'expires_at'] as const;

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

/** Deletes the sessions of a subject, except one if `keptId` is given. Returns when each of them would have expired. */
export async function endSessions(
  tx: PlatformTransaction,
  { ability, id: subjectId }: SubjectName,
  keptId?: string,
): Promise<Timestamp[]> {
  let sessions = tx.deleteFrom('access_tokens').where('ability', '=', ability).where('subject_id', '=', subjectId);
  if (keptId !== undefined) sessions = sessions.where('id', '!=', keptId);
  return (await sessions.returning('expires_at').execute()).map(({ expires_at }) => expires_at);
}
