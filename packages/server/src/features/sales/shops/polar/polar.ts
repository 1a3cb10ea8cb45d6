import { idOf, parseObject, timeOf } from '../fields.ts';
import type { ReceivedMessage, Shop, VerifiedMessage } from '../shop.ts';
import { refuseBody, verifyStandardWebhook } from '../signatures.ts';
import { polarApi } from './api.ts';
import { readPolarEvent } from './reading.ts';

/**
 * Returns the keys that a secret may stand for. Polar signs with the text of the secret itself, and its library also accepts
 * the key of Standard Webhooks, which is in base64.
 */
function keysOf(secret: string): readonly Buffer[] {
  const base64 = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  const decoded = Buffer.from(base64, 'base64');
  return decoded.length > 0 ? [Buffer.from(secret, 'utf8'), decoded] : [Buffer.from(secret, 'utf8')];
}

/** Verifies the headers of Standard Webhooks (https://polar.sh/docs/integrate/webhooks/delivery). */
function verify(message: ReceivedMessage, secret: string): VerifiedMessage {
  const id = verifyStandardWebhook(message, keysOf(secret));
  const event = parseObject(message.body);
  const type = idOf(event?.['type']);
  const messageId = idOf(id);
  return type === null || messageId === null
    ? refuseBody()
    : { id: messageId, type, occurredAt: timeOf(event?.['timestamp']) };
}

/** Polar. A sale is a subscription, or the order of a one-time purchase; an offer is a product. */
export const polar: Shop = {
  provider: 'polar',
  verify,
  read: readPolarEvent,
  api: polarApi,
  // The pages of Polar's dashboard contain the name of the organization, which the service does not know.
  saleUrl: () => null,
};
