import type { FastifyRequest } from 'fastify';
import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { insertRow, updateRows } from '../../../db/rows.ts';
import { singleHeader } from '../../../http/headers.ts';
import { isRead } from '../../../http/routes/admin-roles.ts';
import type { AuthenticatedHolder, PortalAddress } from '../../../http/routes/holder-route.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { KeyServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { findUnderPreviousKeys, newCredential } from '../../accounts/credentials/credential.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';
import { type MailLanguage, preferredLanguage } from '../../tenant-core/holder-mail-queue/language.ts';
import { rememberLanguage } from '../../tenant-core/holder-mail-queue/service.ts';
import { deleteAllOf, sessionByHash } from './login-queries.ts';

const prefix = 'holder_';
const authorizationPattern = /^bearer +(holder_[0-9a-f]{64})$/i;
const tokenPattern = /^holder_[0-9a-f]{64}$/;
const lifetimeSeconds = 12 * 3_600;

/** A new session. The token is not stored anywhere; the tenant's database has only its keyed hash. */
export interface IssuedHolderSession {
  readonly token: string;
  readonly email: string;
  readonly expiresAt: Timestamp;
}

/** Who logs in, and the language of the page. */
export interface LoginOrigin extends Pick<Actor, 'requestId' | 'ip'> {
  readonly language: MailLanguage | null;
  /** The portal's own domain, if the holder logs in there. */
  readonly domain: PortalAddress['domain'];
}

/**
 * Returns the text whose keyed hash is stored. A session belongs to the host on which it began: the token has another hash
 * on every other host, and is unknown there.
 */
function boundText(token: string, domain: PortalAddress['domain']): string {
  return domain === null ? token : `${token} ${domain}`;
}

/** Creates the session of an address, in the caller's transaction, records the login, and remembers its language. */
export async function issueHolderSession(
  { keyring }: KeyServices,
  tx: TenantTransaction,
  email: string,
  origin: LoginOrigin,
  at: Timestamp,
): Promise<IssuedHolderSession> {
  const token = newCredential(prefix);
  const id = newId();
  const expiresAt = addSeconds(at, lifetimeSeconds);
  const token_hash = keyring.hash(boundText(token, origin.domain));
  await insertRow(tx, 'portal_sessions', { id, email, token_hash, created_at: at, expires_at: expiresAt });
  await rememberLanguage(tx, email, origin.language);
  const actor: Actor = { type: 'holder', id, requestId: origin.requestId, ip: origin.ip };
  await recordAudit(tx, actor, { event: 'PORTAL.LOGGED_IN', resourceType: 'portal_session', resourceId: id, at });
  return { token, email, expiresAt };
}

/**
 * Returns the holder that the bearer token of a request belongs to, in the database of the portal's tenant: a token of
 * another tenant or host is unknown there. Throws 401 `AUTH.INVALID_TOKEN` with the same message for a token that is
 * missing, sent twice, malformed, unknown, expired, or of another kind of caller.
 */
export async function authenticateHolder(
  { clock, keyring }: KeyServices,
  db: TenantDb,
  request: FastifyRequest,
): Promise<AuthenticatedHolder> {
  const header = singleHeader(request, 'authorization');
  const token = typeof header === 'string' ? authorizationPattern.exec(header)?.[1] : undefined;
  if (token === undefined || !tokenPattern.test(token)) throw loginRequired();
  const find = (hash: string) => db.first(sessionByHash, [hash]);
  const text = boundText(token, request.caller.portal?.domain ?? null);
  const row =
    (await find(keyring.hash(text))) ??
    (await findUnderPreviousKeys(keyring, text, {
      find,
      rehash: ({ id }, hash) => updateRows(db.query, 'portal_sessions', id, { token_hash: hash }),
    }));
  if (row === undefined || row.expires_at <= clock.now()) throw loginRequired();
  request.caller.credentialId = row.id;
  request.caller.subjectId = row.id;
  // A holder who has chosen another language since the login gets the mail about this change in it.
  if (changesData(request)) {
    const language = preferredLanguage(request.headers['accept-language']);
    if (language !== null) await db.transaction((tx) => rememberLanguage(tx, row.email, language));
  }
  return { sessionId: row.id, email: row.email, expiresAt: row.expires_at };
}

function changesData({ method, routeOptions }: FastifyRequest): boolean {
  return !isRead(method) && routeOptions.config.readsOnly !== true;
}

/** Deletes the logins and sessions of an address, in the caller's transaction, because the holder's data is erased. */
export async function forgetHolderLogins(tx: TenantTransaction, email: string): Promise<void> {
  await deleteAllOf(tx, foldEmail(email));
}

function loginRequired(): AppError {
  return new AppError('AUTH.INVALID_TOKEN', 'Your session has ended. Log in again.');
}
