import { randomBytes } from 'node:crypto';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Logger } from 'pino';
import { Type } from 'typebox';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { isUnavailable } from '../../../db/errors.ts';
import { Nullable } from '../../../http/schema.ts';
import { type Timestamp, toTimestamp } from '../../../lib/clock.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import type { MaybePromise } from '../../../lib/maybe-promise.ts';
import { createWriteBehind, type WriteBehind } from '../../../lib/write-behind.ts';

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
 * Awaits a write beside a read. A database that refuses writes, as on a full disk, must not refuse reads too: its
 * failure is ignored, and a later use of the credential writes again. Throws every other failure.
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

const maxDelayMs = 1000;

const names: Readonly<Record<CredentialTable, string>> = {
  api_keys: 'API keys',
  tenant_access_tokens: 'access tokens',
};

interface LastUsesOptions {
  readonly platform: PlatformDb;
  readonly logger: Logger;
  readonly table: CredentialTable;
}

/** Buffers the `last_used_at` of credentials in memory and writes them in one transaction at most 1 s later. */
export class LastUses {
  readonly #uses: WriteBehind<string, number>;

  constructor({ platform, logger, table }: LastUsesOptions) {
    this.#uses = createWriteBehind<string, number>({
      maxDelayMs,
      flush: (batch) => writeUses(platform, table, batch),
      onError: (error) => logger.warn({ err: error }, `writing last_used_at of ${names[table]} failed; retrying`),
    });
  }

  record(id: string, atMs: number): void {
    this.#uses.record(id, atMs);
  }

  /** Returns the newer of the stored and the buffered value, so that every read shows the newest value. */
  newest(id: string, stored: Timestamp | null): Timestamp | null {
    const waitingMs = this.#uses.peek(id);
    if (waitingMs === undefined) return stored;
    const waiting = toTimestamp(waitingMs);
    return stored === null || waiting > stored ? waiting : stored;
  }

  flush(): Promise<void> {
    return this.#uses.flush();
  }

  close(): Promise<void> {
    return this.#uses.close();
  }
}

async function writeUses(
  platform: PlatformDb,
  table: CredentialTable,
  batch: ReadonlyMap<string, number>,
): Promise<void> {
  // Two nodes that flush the same credentials lock the rows in the order of ids, so that they cannot deadlock.
  const uses = [...batch].sort(([left], [right]) => (left < right ? -1 : 1));
  const writeAll = async (tx: PlatformTransaction) => {
    for (const [id, atMs] of uses) await writeLastUse(tx, table, id, toTimestamp(atMs));
  };
  await platform.transaction(writeAll, { mayLoseChanges: true });
}

/** Keeps a newer time that is stored. */
async function writeLastUse(
  tx: PlatformTransaction,
  table: CredentialTable,
  id: string,
  lastUsedAt: Timestamp,
): Promise<void> {
  await tx
    .updateTable(table)
    .set({ last_used_at: lastUsedAt })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', lastUsedAt)]))
    .execute();
}
