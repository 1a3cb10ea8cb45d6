import { type Timestamp, toEpochSeconds } from '../../../../lib/clock.ts';
import type { ReceivedMessage } from '../shop.ts';
import { hmacOf, verifyStandardWebhook } from '../signatures.ts';

const base64Form = /^[A-Za-z0-9+/]*={0,2}$/;

/** A secret of the vendor's own that is not base64 is used as it is. */
function keyOf(secret: string): Buffer {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  const key = base64Form.test(text) ? Buffer.from(text, 'base64') : Buffer.from(text, 'utf8');
  // Everybody knows the empty key.
  return key.length === 0 ? Buffer.from(secret, 'utf8') : key;
}

/** Returns the headers of a message as Standard Webhooks signs it, at `at`. */
export function signCustom(secret: string, id: string, body: Buffer, at: Timestamp): Record<string, string> {
  const timestamp = String(toEpochSeconds(at));
  const signature = hmacOf(keyOf(secret), [`${id}.${timestamp}.`, body]).toString('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/** Verifies a message that is signed as Standard Webhooks and returns its id. Throws `MessageRefusedError`. */
export function verifyCustom(message: ReceivedMessage, secret: string): string {
  return verifyStandardWebhook(message, [keyOf(secret)]);
}
