import { createHmac } from 'node:crypto';
import type { EventsTable } from '../../../db/tables/tenant/webhooks.ts';
import { type Timestamp, toEpochSeconds } from '../../../lib/clock.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import { signingSecrets } from '../endpoints/secrets.ts';

/** Returns the `webhook-…` headers of a request (Standard Webhooks), with one signature per valid secret. */
export type SignHeaders = (
  sealedSecrets: string,
  message: { readonly id: string; readonly body: string; readonly at: Timestamp },
) => Record<string, string>;

type Sign = (signed: string) => string;

/**
 * Creates a function that signs messages and decrypts the secrets of each endpoint once. Create one per run, not per
 * process, so that expired secrets stop signing. The function throws if no application key can decrypt the secrets.
 */
export function createSigner(keyring: Keyring, now: Timestamp): SignHeaders {
  const opened = new Map<string, readonly Sign[]>();
  const signersOf = (sealed: string) => {
    const known = opened.get(sealed);
    if (known !== undefined) return known;
    const signers = signingSecrets(keyring, sealed, now).map(createSign);
    opened.set(sealed, signers);
    return signers;
  };
  return (sealedSecrets, { id, body, at }) => {
    const timestamp = messageTimestamp(at);
    const signed = `${id}.${timestamp}.${body}`;
    const signatures = signersOf(sealedSecrets).map((sign) => `v1,${sign(signed)}`);
    return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
  };
}

/** The standard's library computes hashes in JavaScript at several times the cost. Tests verify with that library. */
function createSign(secret: string): Sign {
  const key = Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64');
  return (signed) => createHmac('sha256', key).update(signed).digest('base64');
}

const apiVersion = '1';

/** The media type of the body of a delivery. */
export const messageMediaType = 'application/json';

/** Returns the body of a delivery. It is identical, byte for byte, in every attempt. */
export function messageBody(event: EventsTable, tenantId: string): string {
  const { id, type, occurred_at, request_id, data_json } = event;
  const head = { id, type, occurred_at, tenant_id: tenantId, request_id, api_version: apiVersion };
  // `data` is stored as JSON text, so it is inserted without parsing.
  return `${JSON.stringify(head).slice(0, -1)},"data":${data_json}}`;
}

/** Returns the `webhook-timestamp` of an attempt that began at `at`: whole seconds since 1970. */
export function messageTimestamp(at: Timestamp): string {
  return String(toEpochSeconds(at));
}
