import { randomBytes } from 'node:crypto';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Type } from 'typebox';
import { isUnavailable } from '../../../db/errors.ts';
import { Nullable } from '../../../http/schema.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import type { MaybePromise } from '../../../lib/maybe-promise.ts';

const secretBytes = 32;

/** The tables of credentials that belong to a tenant. The columns for last use and revocation are the same. */
export type CredentialTable = 'api_keys' | 'tenant_access_tokens';

/** The status of an API key or access token that callers see. */
export type CredentialStatus = 'active' | 'revoked' | 'expired';

/** Returns a new raw credential: the prefix and 32 random bytes in lower-case hex. */
export function newCredential(prefix: string): string {
  return prefix + randomBytes(secretBytes).toString('hex');
}

/** Returns the masked form of a credential, such as `vx_3f9a…c2d1`, by which people recognise it. */
export function hintOf(prefix: string, credential: string): string {
  return `${credential.slice(0, prefix.length + 4)}…${credential.slice(-4)}`;
}

/** Returns the status that callers see. `expired` is derived from `now`; a revoked credential stays `revoked`. */
export function credentialStatus(
  row: { readonly status: 'active' | 'revoked'; readonly expires_at: Timestamp | null },
  now: Timestamp,
): CredentialStatus {
  if (row.status === 'revoked') return 'revoked';
  return row.expires_at !== null && row.expires_at <= now ? 'expired' : 'active';
}

/** Returns the condition that selects the credentials with a status that callers see. */
export function hasStatus(status: CredentialStatus, now: Timestamp): RawBuilder<SqlBool> {
  if (status === 'revoked') return sql<SqlBool>`status = ${'revoked'}`;
  if (status === 'expired') return sql<SqlBool>`status = ${'active'} and expires_at <= ${now}`;
  return sql<SqlBool>`status = ${'active'} and (expires_at is null or expires_at > ${now})`;
}

/** The name of the creator of a credential. */
export const CreatorName = Nullable(Type.String(), {
  description:
    'The present name of the member or access token; null for others and for callers with an access token. Only in ' +
    'lists with `include=details`.',
});

/**
 * Awaits a write beside a read. A database that refuses writes, as on a full disk, must not refuse reads too: its failure
 * is ignored, and a later use of the credential writes again. Throws every other failure.
 */
export async function unlessReadOnly(write: Promise<void>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!isUnavailable(error)) throw error;
  });
}

/** How a kind of credential is read, and how its hash is replaced. */
interface HashedCredentials<Row> {
  /** Returns the credential that has this hash. */
  readonly find: (hash: string) => MaybePromise<Row | undefined>;
  /** Stores another hash of a credential. */
  readonly rehash: (row: Row, currentHash: string) => Promise<void>;
}

/**
 * Looks up a credential that is unknown under the current application key by its hashes under the previous ones. If one
 * matches, stores the hash under the current key, so that the previous key can be retired.
 */
export async function findUnderPreviousKeys<Row>(
  keyring: Keyring,
  secret: string,
  { find, rehash }: HashedCredentials<Row>,
): Promise<Row | undefined> {
  const previousHashes = keyring.previousHashes(secret);
  if (previousHashes.length === 0) return undefined;
  const currentHash = keyring.hash(secret);
  for (const previousHash of previousHashes) {
    const row = await find(previousHash);
    if (row === undefined) continue;
    await unlessReadOnly(rehash(row, currentHash));
    return row;
  }
  // Meanwhile another request may have stored the hash under the current key.
  return await find(currentHash);
}

/** The credentials of the busiest applications; about 250 KB. */
const secretsMax = 1_000;

/**
 * Remembers the hashes of API keys or access tokens that were accepted, because the hash is the largest single cost of a
 * request with one. A hash never changes, so a remembered one needs no check: the row is looked up for every request.
 * Secrets that were not accepted are not kept, so no caller can fill the memory. Raw secrets are in memory during each
 * request anyway; they are never written.
 */
export class AcceptedSecrets {
  readonly #hashes = new Map<string, string>();

  hashOf(secret: string): string | undefined {
    return this.#hashes.get(secret);
  }

  accept(secret: string, hash: string): void {
    if (this.#hashes.size >= secretsMax) this.#hashes.clear();
    this.#hashes.set(secret, hash);
  }
}
