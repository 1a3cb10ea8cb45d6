import { createHash } from 'node:crypto';
import { idOf, objectOf, parseObject, timeOf } from '../fields.ts';
import type { ReceivedMessage, Shop, VerifiedMessage } from '../shop.ts';
import { isSignedBy, refuseBody, refuseSignature, requiredHeader } from '../signatures.ts';
import { lemonSqueezyApi } from './api.ts';
import { readLemonSqueezyEvent } from './reading.ts';

/**
 * Verifies the header `X-Signature`, the hex HMAC-SHA256 of the body (https://docs.lemonsqueezy.com/help/webhooks/signing-requests).
 * Neither an id nor a time is signed, so the hash of the body is the id: a repeated body is the same message.
 */
function verify(message: ReceivedMessage, secret: string): VerifiedMessage {
  const given = Buffer.from(requiredHeader(message, 'x-signature'), 'hex');
  if (!isSignedBy(secret, [message.body], [given])) refuseSignature();
  const event = parseObject(message.body);
  const type = idOf(objectOf(event?.['meta'])['event_name']);
  const id = createHash('sha256').update(message.body).digest('hex');
  const { updated_at } = objectOf(objectOf(event?.['data'])['attributes']);
  return type === null ? refuseBody() : { id, type, occurredAt: timeOf(updated_at) };
}

/**
 * Lemon Squeezy. A sale is an order, whose subscription, if it has one, is the same sale; an offer is a variant. The pages of
 * its dashboard have other ids than its messages.
 */
export const lemonSqueezy: Shop = {
  provider: 'lemonsqueezy',
  verify,
  read: readLemonSqueezyEvent,
  api: lemonSqueezyApi,
  saleUrl: () => null,
};
