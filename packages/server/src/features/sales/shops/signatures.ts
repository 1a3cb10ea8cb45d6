import { createHmac, timingSafeEqual } from 'node:crypto';
import { toEpochMs } from '../../../lib/clock.ts';
import { MessageRefusedError, type ReceivedMessage } from './shop.ts';

/**
 * How far the time of a signature may be from the clock, in both directions. Stripe and Standard Webhooks use five minutes.
 * Paddle's library refuses after five seconds; a server whose clock is a little wrong would lose every sale, and a repeated
 * message changes nothing here, because it is stored once.
 */
const toleranceMs = 300_000;

/** Returns a header. Throws `MessageRefusedError` if it is missing. */
export function requiredHeader({ headers }: ReceivedMessage, name: string): string {
  const value = headers[name];
  if (value === undefined || value === '') {
    throw new MessageRefusedError(`The request has no header ${name}. Check that the address is the shop's only.`);
  }
  return value;
}

/** Throws `MessageRefusedError` if the time of a signature, in Unix seconds, is not within five minutes of the request. */
export function checkTime({ receivedAt }: ReceivedMessage, seconds: string): void {
  const age = /^\d{1,12}$/.test(seconds) ? Math.abs(toEpochMs(receivedAt) - Number(seconds) * 1000) : Number.NaN;
  if (!(age <= toleranceMs)) {
    throw new MessageRefusedError('The signature is older or newer than five minutes. Check the clock of the server.');
  }
}

/** The parts of a message that are signed, in their order. */
type Signed = readonly (string | Buffer)[];

/** Returns the HMAC-SHA256 of a message. */
export function hmacOf(key: string | Buffer, signed: Signed): Buffer {
  const hmac = createHmac('sha256', key);
  for (const part of signed) hmac.update(part);
  return hmac.digest();
}

/** Returns true if one of the given signatures is correct. Takes the same time wherever they differ. */
export function isSignedBy(key: string | Buffer, signed: Signed, given: readonly Buffer[]): boolean {
  const expected = hmacOf(key, signed);
  return given.filter((one) => one.length === expected.length && timingSafeEqual(one, expected)).length > 0;
}

/**
 * Verifies a message that is signed as Standard Webhooks with one of these keys, and returns its id. Throws
 * `MessageRefusedError`. Source: https://github.com/standard-webhooks/standard-webhooks, section "Verifying signatures".
 */
export function verifyStandardWebhook(message: ReceivedMessage, keys: readonly Buffer[]): string {
  const id = requiredHeader(message, 'webhook-id');
  const timestamp = requiredHeader(message, 'webhook-timestamp');
  const signatures = requiredHeader(message, 'webhook-signature').split(' ');
  checkTime(message, timestamp);
  const given = signatures.filter((one) => one.startsWith('v1,')).map((one) => Buffer.from(one.slice(3), 'base64'));
  const signed = [`${id}.${timestamp}.`, message.body];
  return keys.some((key) => isSignedBy(key, signed, given)) ? id : refuseSignature();
}

/** Throws the refusal of a wrong signature. */
export function refuseSignature(): never {
  throw new MessageRefusedError("The signature is wrong. Check that the connection has the shop's signing secret.");
}

/** Throws the refusal of a body that is signed and yet no message of the shop. */
export function refuseBody(): never {
  throw new MessageRefusedError('The body is not a message of this shop. Check which events the shop sends here.');
}
