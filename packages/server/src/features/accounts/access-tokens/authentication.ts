import { AppError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { findUnderPreviousKeys } from '../credentials/credential.ts';
import { type AccessTokenRecord, findActiveToken, rehashAccessToken } from './queries.ts';

export type { AccessTokenRecord } from './queries.ts';

/**
 * Returns true if this process has accepted the token as a tenant's. Tokens of tenants and of people have the same form,
 * so a guard looks first where it expects to find the token.
 */
export function isRememberedAccessToken({ acceptedTokens }: Services, token: string): boolean {
  return acceptedTokens.hashOf(token) !== undefined;
}

/**
 * Returns the access token with this secret, and its tenant in any status. It is
 * read from the database on every request, so that a revocation applies immediately. Returns undefined for a token that
 * is unknown, revoked or expired.
 */
export async function findAccessToken(services: Services, token: string): Promise<AccessTokenRecord | undefined> {
  const record = await findByHash(services, token);
  if (record === undefined || record.expires_at === null) return record;
  return record.expires_at > services.clock.now() ? record : undefined;
}

/** If the token matches under a previous application key, stores its hash under the current one. */
async function findByHash(
  { acceptedTokens, keyring, platform }: Services,
  token: string,
): Promise<AccessTokenRecord | undefined> {
  const known = acceptedTokens.hashOf(token);
  const hash = known ?? keyring.hash(token);
  const record = await findActiveToken(platform, hash);
  if (record !== undefined) {
    if (known === undefined) acceptedTokens.accept(token, hash);
    return record;
  }
  return await findUnderPreviousKeys(keyring, token, {
    find: (previousHash) => findActiveToken(platform, previousHash),
    rehash: ({ token_id }, currentHash) => rehashAccessToken(platform, token_id, currentHash),
  });
}

/** Returns the access token as the actor of a change: of type `user`, with the token's id and its creator. */
export function accessTokenActor(
  { token_id: id, created_by_id: createdBy }: AccessTokenRecord,
  { id: requestId, ip }: { readonly id: string; readonly ip: string },
): Actor {
  return { type: 'user', id, createdBy, requestId, ip };
}

/** Returns the error for a route that only people may use. */
export function personRequired(): AppError {
  return new AppError('AUTH.ROLE_REQUIRED', 'An access token cannot do this. Log in as a person and use that token.');
}
