import type { Keyring } from '../../../lib/keyring.ts';
import type { MaybePromise } from '../../../lib/maybe-promise.ts';
import { unlessReadOnly } from './unless-read-only.ts';

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
