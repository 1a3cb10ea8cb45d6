import { createHash, randomBytes } from 'node:crypto';
import type { MarketingSubscribersTable } from '../../../db/tables/platform/marketing.ts';
import type { Keyring } from '../../../lib/keyring.ts';

/** What is stored of the token that ends a subscription. */
export function unsubscribeTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** A new token and what is stored of it. */
export function newUnsubscribeToken(keyring: Keyring) {
  const token = randomBytes(32).toString('base64url');
  const stored = { unsubscribe_token_hash: unsubscribeTokenHash(token), sealed_unsubscribe_token: keyring.seal(token) };
  return { token, stored };
}

/** The token of a subscriber; null when its application key is gone, and another one has to be made. */
export function openUnsubscribeToken(keyring: Keyring, row: MarketingSubscribersTable): string | null {
  if (row.sealed_unsubscribe_token === null) return null;
  try {
    return keyring.open(row.sealed_unsubscribe_token);
  } catch {
    return null;
  }
}
