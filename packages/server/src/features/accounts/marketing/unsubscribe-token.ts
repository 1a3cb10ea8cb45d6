import { createHash, randomBytes } from 'node:crypto';
import type { MarketingSubscribersTable } from '../../../db/tables/platform/marketing.ts';
import type { Keyring } from '../../../lib/keyring.ts';

/** Returns the SHA-256 hash under which an unsubscribe token is stored, in hexadecimal. */
export function unsubscribeTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * Returns a new unsubscribe token and the columns to store: its hash, and the token sealed with the application key.
 */
export function newUnsubscribeToken(keyring: Keyring) {
  const token = randomBytes(32).toString('base64url');
  const stored = { unsubscribe_token_hash: unsubscribeTokenHash(token), sealed_unsubscribe_token: keyring.seal(token) };
  return { token, stored };
}

/** Returns the token of a subscriber, or null if the application key that sealed it is gone. */
export function openUnsubscribeToken(keyring: Keyring, row: MarketingSubscribersTable): string | null {
  if (row.sealed_unsubscribe_token === null) return null;
  try {
    return keyring.open(row.sealed_unsubscribe_token);
  } catch {
    return null;
  }
}
