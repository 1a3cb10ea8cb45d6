import type { FastifyRequest } from 'fastify';
import type { PlatformTransaction } from '../../../db/database.ts';
import { insertRow, updateRows } from '../../../db/rows.ts';
import type { LoginMethod } from '../../../db/tables/platform/identity.ts';
import type { PageRequest } from '../../../http/cursor.ts';
import { singleHeader } from '../../../http/headers.ts';
import type { AuthenticatedAdmin } from '../../../http/routes/admin-route.ts';
import type { AuthenticatedUser } from '../../../http/routes/user-route.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../../lib/clock.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { MailServices, PlatformServices, Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { type AccessTokenRecord, findAccessToken, personRequired } from '../access-tokens/service.ts';
import { findUnderPreviousKeys, newCredential, unlessReadOnly } from '../credentials/credential.ts';
import {
  deleteSession,
  endSessions,
  findLiveSession,
  type LiveSession,
  listSessionsOf,
  type SessionRow,
  touchSession,
} from './session-queries.ts';
import { type Ability, nameOf, personOf, type Subject, type SubjectName, subjectKinds } from './subject.ts';

export { endSessions, listSessionsOf } from './session-queries.ts';

/** The subject of a verified bearer token: the session of a person, or an access token of a tenant. */
export type Bearer =
  | { readonly kind: 'session'; readonly session: LiveSession }
  | { readonly kind: 'access_token'; readonly accessToken: AccessTokenRecord };

/** A new token. `accessToken` is not stored anywhere; the database has only its hash. */
export interface IssuedSession {
  readonly accessToken: string;
  readonly expiresAt: Timestamp;
}

const prefix = 'service_';
const authorizationPattern = /^bearer +(service_[0-9a-f]{64})$/i;
const tokenPattern = /^service_[0-9a-f]{64}$/;
const touchIntervalMs = 60_000;

/**
 * Returns the token of an `Authorization: Bearer` header, or undefined. The scheme is case-insensitive (RFC 9110,
 * section 11.1).
 */
export function parseBearer(header: string): string | undefined {
  const token = authorizationPattern.exec(header)?.[1];
  return token !== undefined && tokenPattern.test(token) ? token : undefined;
}

/** How a person logged in, and on which device. */
interface LoginDetails {
  readonly deviceName: string | null;
  /** The client address; null if it is unknown. */
  readonly ip: string | null;
  readonly method: LoginMethod;
}

/** Creates a token of a user or admin, in the caller's transaction. Its lifetime is configured per kind of account. */
export async function issueSession(
  services: MailServices,
  tx: PlatformTransaction,
  subject: Subject,
  { deviceName, ip, method }: LoginDetails,
): Promise<IssuedSession> {
  const { clock, config, keyring } = services;
  const accessToken = newCredential(prefix);
  const createdAt = clock.now();
  const { ability, id: subject_id } = nameOf(subject);
  const lifetimeMs = config[subjectKinds[ability].sessionLifetime];
  const expiresAt = toTimestamp(toEpochMs(createdAt) + lifetimeMs, Number(createdAt.slice(23, 26)));
  await insertRow(tx, 'access_tokens', {
    id: newId(),
    token_hash: keyring.hash(accessToken),
    ability,
    subject_id,
    device_name: deviceName,
    created_at: createdAt,
    expires_at: expiresAt,
    last_used_at: null,
    login_method: method,
    ip,
  });
  return { accessToken, expiresAt };
}

/**
 * Returns the user or admin that the request's bearer token belongs to. It is read from the database on every request,
 * so that a revocation, deactivation or change applies immediately. Throws 401 `AUTH.INVALID_TOKEN` with the same
 * message for a token that is missing, sent twice, malformed, unknown, expired or of the other kind of account; 403
 * `AUTH.TWO_FACTOR_SETUP_REQUIRED` for an admin who must set up two-factor authentication first; and 403
 * `AUTH.ROLE_REQUIRED` for an access token of a tenant if users are allowed.
 */
export async function authenticateBearer(
  services: Services,
  request: FastifyRequest,
  ability: 'tenant',
): Promise<AuthenticatedUser>;
export async function authenticateBearer(
  services: Services,
  request: FastifyRequest,
  ability: 'admin',
): Promise<AuthenticatedAdmin>;
export async function authenticateBearer(
  services: Services,
  request: FastifyRequest,
  ability: Ability,
): Promise<AuthenticatedUser | AuthenticatedAdmin> {
  const bearer = await verifyBearer(services, request);
  if (bearer.kind === 'access_token') throw ability === 'admin' ? refused(request, 'other_account') : personRequired();
  const { subject, hasTwoFactor, method } = bearer.session;
  if (subject.ability !== ability) throw refused(request, 'other_account');
  // The operator's provider has already checked the factors that the operator requires.
  const isExempt = hasTwoFactor || method === 'oidc';
  if (ability === 'admin' && services.config.adminTwoFactorRequired && !isExempt) throw setupRequired();
  return personOf(subject);
}

/**
 * Authenticates a caller of a tenant: a user, or an access token of the tenant. Throws 401 `AUTH.INVALID_TOKEN`, also
 * for the token of an admin.
 */
export async function authenticateTenantBearer(
  services: Services,
  request: FastifyRequest,
): Promise<AuthenticatedUser | AccessTokenRecord> {
  const bearer = await verifyBearer(services, request);
  if (bearer.kind === 'access_token') return bearer.accessToken;
  const { subject } = bearer.session;
  if (subject.ability !== 'tenant') throw refused(request, 'other_account');
  return subject.user;
}

/**
 * Authenticates the session of a request, of a user or an admin. Does not require two-factor authentication, so that an
 * admin can set it up. Throws 401 `AUTH.INVALID_TOKEN`, and 403 `AUTH.ROLE_REQUIRED` for an access token of a tenant.
 */
export async function authenticateSession(services: Services, request: FastifyRequest): Promise<LiveSession> {
  const bearer = await verifyBearer(services, request);
  if (bearer.kind === 'access_token') throw personRequired();
  return bearer.session;
}

/** Authenticates the bearer token of a request, of a person or of a tenant. Throws 401 `AUTH.INVALID_TOKEN`. */
export async function verifyBearer(services: Services, request: FastifyRequest): Promise<Bearer> {
  const header = singleHeader(request, 'authorization');
  const token = typeof header === 'string' ? parseBearer(header) : undefined;
  if (token === undefined) throw refused(request, 'missing');
  const session = await findSession(services, token, request.ip);
  if (session !== undefined) {
    request.caller.credentialId = session.id;
    request.caller.subjectId = personOf(session.subject).id;
    return { kind: 'session', session };
  }
  const accessToken = orThrow(await findAccessToken(services, token), () => refused(request, 'unknown'));
  request.caller.credentialId = accessToken.token_id;
  request.caller.subjectId = accessToken.token_id;
  return { kind: 'access_token', accessToken };
}

/** Returns the unexpired session with this token, and stores its use. */
async function findSession(services: MailServices, token: string, ip: string): Promise<LiveSession | undefined> {
  const live = await findToken(services, token);
  const now = services.clock.now();
  if (live === undefined || live.expiresAt <= now) return undefined;
  const isRecent = live.lastUsedAt !== null && toEpochMs(now) - toEpochMs(live.lastUsedAt) < touchIntervalMs;
  if (!isRecent) await unlessReadOnly(touchSession(services.platform, live.id, { at: now, ip }));
  return live;
}

/** Looks a token up by its hash under the current application key, then under the previous ones. */
async function findToken({ keyring, platform }: MailServices, token: string): Promise<LiveSession | undefined> {
  const find = (hash: string) => findLiveSession(platform, hash);
  return (
    (await find(keyring.hash(token))) ??
    (await findUnderPreviousKeys(keyring, token, {
      find,
      rehash: ({ id }, currentHash) => updateRows(platform.query, 'access_tokens', id, { token_hash: currentHash }),
    }))
  );
}

function setupRequired(): AppError {
  return new AppError(
    'AUTH.TWO_FACTOR_SETUP_REQUIRED',
    'Set up two-factor authentication first: POST /api/v1/auth/two-factor/setup, then confirm it with a code.',
  );
}

/** `unknown`: also ended or revoked. The reason is for the log. */
function refused({ caller }: FastifyRequest, reason: 'missing' | 'unknown' | 'other_account'): AppError {
  caller.refusal = { reason };
  return new AppError('AUTH.INVALID_TOKEN', 'Log in and send the access token as "Authorization: Bearer <token>".');
}

/** A session as its owner sees it. `current` is the session of the request. */
export interface Session extends SessionRow {
  readonly current: boolean;
}

/** Returns one page of the sessions of a user or an admin, newest first, with one row more if another page follows. */
export async function listSessions(
  { clock, platform }: PlatformServices,
  subject: SubjectName,
  currentId: string,
  page: PageRequest,
): Promise<Session[]> {
  const rows = await listSessionsOf(platform, subject, page, clock.now());
  return rows.map((row) => ({ ...row, current: row.id === currentId }));
}

/**
 * Ends a session of the user or admin from the next request on. Throws 404 `RESOURCE.NOT_FOUND` if there is no such
 * session.
 */
export async function revokeSession(
  { clock, platform }: PlatformServices,
  actor: Actor,
  subject: SubjectName,
  id: string,
): Promise<void> {
  await platform.transaction(async (tx) => {
    if (!(await deleteSession(tx, subject, id))) {
      throw new AppError(
        'RESOURCE.NOT_FOUND',
        'You have no such session. It may have ended already. List your sessions.',
      );
    }
    const about = { resourceType: 'session', resourceId: id, at: clock.now() };
    await recordPlatformAudit(tx, actor, { event: 'ACCOUNT.SESSION_REVOKED', ...about });
  });
}

/** Ends every session of the user or admin except `keptId`, from the next request on. Returns how many it ended. */
export async function revokeOtherSessions(
  { clock, platform }: PlatformServices,
  actor: Actor,
  subject: SubjectName,
  keptId: string,
): Promise<number> {
  return platform.transaction(async (tx) => {
    const at = clock.now();
    const ended = await endSessions(tx, subject, keptId);
    const count = ended.filter((expiresAt) => expiresAt > at).length;
    if (count === 0) return 0;
    const about = { resourceType: subjectKinds[subject.ability].auditType, resourceId: subject.id, at };
    await recordPlatformAudit(tx, actor, { event: 'ACCOUNT.OTHER_SESSIONS_REVOKED', ...about });
    return count;
  });
}
