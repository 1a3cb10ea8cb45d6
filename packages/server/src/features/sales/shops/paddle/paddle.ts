import { idOf, parseObject, timeOf } from '../fields.ts';
import type { ReceivedMessage, Shop, VerifiedMessage } from '../shop.ts';
import { checkTime, isSignedBy, refuseBody, refuseSignature, requiredHeader } from '../signatures.ts';
import { paddleApi } from './api.ts';
import { readPaddleEvent } from './reading.ts';

/**
 * Verifies the header `Paddle-Signature`: `ts=<Unix seconds>;h1=<hex>`, with several `h1` while a secret is replaced
 * (https://developer.paddle.com/webhooks/about/signature-verification).
 */
function verify(message: ReceivedMessage, secret: string): VerifiedMessage {
  const parts = requiredHeader(message, 'paddle-signature')
    .split(';')
    .map((part) => part.trim().split('='));
  const time = parts.find(([name]) => name === 'ts')?.[1] ?? '';
  const given = parts.filter(([name]) => name === 'h1').map(([, hex]) => Buffer.from(hex ?? '', 'hex'));
  if (!isSignedBy(secret, [`${time}:`, message.body], given)) refuseSignature();
  checkTime(message, time);
  const event = parseObject(message.body);
  const id = idOf(event?.['event_id']);
  const type = idOf(event?.['event_type']);
  return id === null || type === null ? refuseBody() : { id, type, occurredAt: timeOf(event?.['occurred_at']) };
}

function saleUrl(saleId: string): string {
  const list = saleId.startsWith('sub_') ? 'subscriptions-v2' : 'transactions-v2';
  return `https://vendors.paddle.com/${list}/${encodeURIComponent(saleId)}`;
}

/** Paddle Billing. A sale is a subscription, or the transaction of a one-time purchase; an offer is a price. */
export const paddle: Shop = { provider: 'paddle', verify, read: readPaddleEvent, api: paddleApi, saleUrl };
