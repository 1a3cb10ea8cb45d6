import type { FastifyRequest } from 'fastify';
import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { noteCredential } from '../../../http/caller.ts';
import { singleHeader } from '../../../http/headers.ts';
import type { AuthenticatedHolder } from '../../../http/routes/holder-route.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { countAttemptsOf } from '../../../rate-limit/throttle.ts';
import type { KeyServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { findUnderPreviousKeys, newCredential } from '../../accounts/credentials/credential.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';
import { deleteAllOf, insertSession, rehashSession, sessionByHash } from './login-queries.ts';

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

/** Creates the session of an address, in the caller's transaction, and records the login. */
export async function issueHolderSession(
  { keyring }: KeyServices,
  tx: TenantTransaction,
  email: string,
  origin: Pick<Actor, 'requestId' | 'ip'>,
  at: Timestamp,
): Promise<IssuedHolderSession> {
  const token = newCredential(prefix);
  const id = newId();
  const expiresAt = addSeconds(at, lifetimeSeconds);
  await insertSession(tx, { id, email, token_hash: keyring.hash(token), created_at: at, expires_at: expiresAt });
  const actor: Actor = { type: 'holder', id, requestId: origin.requestId, ip: origin.ip };
  await recordAudit(tx, actor, { event: 'PORTAL.LOGGED_IN', resourceType: 'portal_session', resourceId: id, at });
  return { token, email, expiresAt };
}

/**
 * Returns the holder that the bearer token of a request belongs to, in the database of the portal's tenant: a token of
 * another tenant is unknown there. Throws 401 `AUTH.INVALID_TOKEN` with the same message for a token that is missing,
 * sent twice, malformed, unknown, expired, or of another kind of caller.
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
  const row =
    (await find(keyring.hash(token))) ??
    (await findUnderPreviousKeys(keyring, token, { find, rehash: ({ id }, hash) => rehashSession(db, id, hash) }));
  if (row === undefined || row.expires_at <= clock.now()) throw loginRequired();
  noteCredential(request, row.id);
  countAttemptsOf(request, row.id);
  return { sessionId: row.id, email: row.email, expiresAt: row.expires_at };
}

/** Deletes the logins and sessions of an address, in the caller's transaction, because the holder's data is erased. */
export async function forgetHolderLogins(tx: TenantTransaction, email: string): Promise<void> {
  await deleteAllOf(tx, foldEmail(email));
}

function loginRequired(): AppError {
  return new AppError('AUTH.INVALID_TOKEN', 'Your session has ended. Log in again.');
}
