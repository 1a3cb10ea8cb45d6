import { idOf, parseObject, secondsTimeOf } from '../fields.ts';
import type { ReceivedMessage, Shop, VerifiedMessage } from '../shop.ts';
import { checkTime, isSignedBy, refuseBody, refuseSignature, requiredHeader } from '../signatures.ts';
import { stripeApi } from './api.ts';
import { readStripeEvent } from './reading.ts';

/**
 * Verifies the header `Stripe-Signature`: `t=<Unix seconds>,v1=<hex>`, with several `v1` while a secret is replaced
 * (https://docs.stripe.com/webhooks#verify-manually).
 */
function verify(message: ReceivedMessage, secret: string): VerifiedMessage {
  const parts = requiredHeader(message, 'stripe-signature')
    .split(',')
    .map((part) => part.trim().split('='));
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  const given = parts.filter(([name]) => name === 'v1').map(([, hex]) => Buffer.from(hex ?? '', 'hex'));
  if (!isSignedBy(secret, [`${time}.`, message.body], given)) refuseSignature();
  checkTime(message, time);
  const event = parseObject(message.body);
  const id = idOf(event?.['id']);
  const type = idOf(event?.['type']);
  return id === null || type === null ? refuseBody() : { id, type, occurredAt: secondsTimeOf(event?.['created']) };
}

/** Returns the page of a sale in Stripe's dashboard. Checkouts have none, but the dashboard's search finds them. */
function saleUrl(saleId: string): string {
  const id = encodeURIComponent(saleId);
  const isSubscription = saleId.startsWith('sub_');
  return `https://dashboard.stripe.com/${isSubscription ? `subscriptions/${id}` : `search?query=${id}`}`;
}

/** Stripe. A sale is a subscription, or the checkout of a one-time purchase; an offer is a price. */
export const stripe: Shop = { provider: 'stripe', verify, read: readStripeEvent, api: stripeApi, saleUrl };
