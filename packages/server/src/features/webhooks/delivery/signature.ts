import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import { signingSecrets } from '../endpoints/secrets.ts';

/** Returns the `webhook-…` headers of a request (Standard Webhooks), with one signature per valid secret. */
export type SignHeaders = (
  sealedSecrets: string,
  message: { readonly id: string; readonly body: string; readonly nowMs: number },
) => Record<string, string>;

/**
 * Creates a function that signs messages and decrypts the secrets of each endpoint once. Create one per run, not per
 * process, so that expired secrets stop signing. The function throws if no application key can decrypt the secrets.
 */
export function createSigner(keyring: Keyring, now: Timestamp): SignHeaders {
  const opened = new Map<string, readonly KeyObject[]>();
  const keysOf = (sealed: string) => {
    const known = opened.get(sealed);
    if (known !== undefined) return known;
    const keys = signingSecrets(keyring, sealed, now).map(toKey);
    opened.set(sealed, keys);
    return keys;
  };
  return (sealedSecrets, { id, body, nowMs }) => {
    const timestamp = String(Math.floor(nowMs / 1000));
    const signed = `${id}.${timestamp}.${body}`;
    // The standard's library computes hashes in JavaScript at several times the cost. Tests verify with that library.
    const signatures = keysOf(sealedSecrets).map(
      (key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    );
    return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
  };
}

function toKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64'));
}
