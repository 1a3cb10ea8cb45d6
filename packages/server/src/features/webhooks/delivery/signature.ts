import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import { signingSecrets } from '../endpoints/secrets.ts';

/** Makes the `webhook-…` headers of a request (Standard Webhooks): one signature per secret that is valid. */
export type SignHeaders = (
  sealedSecrets: string,
  message: { readonly id: string; readonly body: string; readonly nowMs: number },
) => Record<string, string>;

/** Opens each endpoint's secrets once: make one for a run, not for the process, so that what ended stops signing. */
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
    // The library of the standard hashes in JavaScript, for several times the cost; the tests verify with it.
    const signatures = keysOf(sealedSecrets).map(
      (key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    );
    return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
  };
}

function toKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64'));
}
