import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Timestamp, toEpochMs } from '../../../../lib/clock.ts';
import { MessageRefusedError, type ReceivedMessage } from '../shop.ts';

/** The tolerance of Standard Webhooks for clocks and delays. */
const toleranceMs = 5 * 60_000;

const base64Form = /^[A-Za-z0-9+/]*={0,2}$/;

function keyOf(secret: string): Buffer {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  // A secret of the vendor's own that is not base64 is used as it is.
  return base64Form.test(text) ? Buffer.from(text, 'base64') : Buffer.from(text, 'utf8');
}

function signatureOf(key: Buffer, id: string, timestamp: string, body: Buffer): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
}

/** Returns the headers of a message as Standard Webhooks signs it, at `at`. */
export function signCustom(secret: string, id: string, body: Buffer, at: Timestamp): Record<string, string> {
  const timestamp = String(Math.floor(toEpochMs(at) / 1000));
  const signature = signatureOf(keyOf(secret), id, timestamp, body).toString('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/** Verifies a message that is signed as Standard Webhooks and returns its id. Throws `MessageRefusedError`. */
export function verifyCustom({ headers, body, receivedAt }: ReceivedMessage, secret: string): string {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp = '', 'webhook-signature': signatures = '' } = headers;
  if (id === undefined || id === '' || signatures === '') {
    throw new MessageRefusedError('The headers webhook-id and webhook-signature are missing.');
  }
  if (!/^\d{1,12}$/.test(timestamp)) throw new MessageRefusedError('The header webhook-timestamp is missing.');
  if (Math.abs(Number(timestamp) * 1000 - toEpochMs(receivedAt)) > toleranceMs) {
    throw new MessageRefusedError('The message is older than five minutes, or the clocks differ.');
  }
  const expected = signatureOf(keyOf(secret), id, timestamp, body);
  const isValid = signatures.split(' ').some((one) => {
    const [version, text = ''] = one.split(',');
    const signature = Buffer.from(text, 'base64');
    return version === 'v1' && signature.length === expected.length && timingSafeEqual(signature, expected);
  });
  if (!isValid) throw new MessageRefusedError('The signature is wrong.');
  return id;
}
