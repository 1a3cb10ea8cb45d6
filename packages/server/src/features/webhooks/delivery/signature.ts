import { Webhook } from 'standardwebhooks';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import { signingSecrets } from '../secrets.ts';

/** Makes the `webhook-…` headers of a request (Standard Webhooks): one signature per secret that is valid. */
export type SignHeaders = (
  sealedSecrets: string,
  message: { readonly id: string; readonly body: string; readonly nowMs: number },
) => Record<string, string>;

/** Opens each endpoint's secrets once: make one for a run, not for the process, so that what ended stops signing. */
export function createSigner(keyring: Keyring, now: Timestamp): SignHeaders {
  const opened = new Map<string, readonly Webhook[]>();
  const signersOf = (sealed: string) => {
    const known = opened.get(sealed);
    if (known !== undefined) return known;
    const signers = signingSecrets(keyring, sealed, now).map((secret) => new Webhook(secret));
    opened.set(sealed, signers);
    return signers;
  };
  return (sealedSecrets, { id, body, nowMs }) => {
    const moment = new Date(nowMs);
    const signatures = signersOf(sealedSecrets).map((signer) => signer.sign(id, moment, body));
    return {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(nowMs / 1000)),
      'webhook-signature': signatures.join(' '),
    };
  };
}
