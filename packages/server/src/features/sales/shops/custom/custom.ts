import { isNestedTooDeeply } from '../../../../http/json-text.ts';
import { readLeniently, useTimezone } from '../../../../http/lenient-input.ts';
import { parseTimestamp } from '../../../../http/timestamp.ts';
import type { Timestamp } from '../../../../lib/clock.ts';
import { generateSigningSecret } from '../../../webhooks/endpoints/secrets.ts';
import type { SaleEventType, SaleFact, SaleFields } from '../sale-fact.ts';
import { MessageUnreadableError, type Reading, type Shop } from '../shop.ts';
import { CustomMessage, customMessageCheck } from './message.ts';
import { verifyCustom } from './signature.ts';

/** What each type says by itself. A field of the message replaces it. */
const defaults: { readonly [Type in SaleEventType]: Partial<SaleFields> } = {
  'sale.completed': { state: 'active' },
  'subscription.renewed': { state: 'active', pastDueSince: null },
  'subscription.changed': {},
  'subscription.ended': { state: 'ended' },
  'sale.refunded': { refund: { amount: 'full', paymentAt: null } },
  'sale.disputed': { dispute: 'open' },
};

const ranks: { readonly [Type in SaleEventType]: SaleFact['rank'] } = {
  'sale.completed': 0,
  'subscription.renewed': 1,
  'subscription.changed': 1,
  'subscription.ended': 2,
  'sale.refunded': 1,
  'sale.disputed': 1,
};

/** A hand-made shop, which sends our own format, signed as Standard Webhooks. */
export const custom: Shop = {
  provider: 'custom',
  generateSecret: generateSigningSecret,
  verify(message, secret) {
    const id = verifyCustom(message, secret);
    const { type, at } = headOf(message.body);
    return { id, type, occurredAt: at };
  },
  read(body, timezone): Reading {
    return { facts: factsOf(parse(body, timezone)), ignoredBecause: null, objects: [], aliases: [] };
  },
  api: null,
  saleUrl: () => null,
};

/** A body that is not in the format is stored all the same: the vendor sees it, with the reason, in the list. */
function headOf(body: Buffer): { readonly type: string; readonly at: Timestamp | null } {
  try {
    const { type, at } = parse(body);
    return { type, at: stored(at) };
  } catch {
    return { type: 'unknown', at: null };
  }
}

function parse(body: Buffer, timezone = 'UTC'): CustomMessage {
  const text = body.toString('utf8');
  if (isNestedTooDeeply(text)) throw new MessageUnreadableError('The body is nested too deeply.');
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (cause) {
    throw new MessageUnreadableError('The body is not JSON.', { cause });
  }
  if (customMessageCheck.Check(message)) return message;
  readLeniently(CustomMessage, message, true);
  useTimezone(message, timezone);
  if (customMessageCheck.Check(message)) return message;
  const [first] = customMessageCheck.Errors(message);
  const path = first?.instancePath.replaceAll('/', ' ').trim() ?? '';
  throw new MessageUnreadableError(
    `The body is not in the format of the guide${path === '' ? '' : ` at ${path}`}: ${first?.message ?? 'it does not fit'}.`,
  );
}

function stored(text: string): Timestamp {
  const timestamp = parseTimestamp(text);
  if (timestamp !== undefined) return timestamp;
  throw new MessageUnreadableError(`${text} is not a time such as 2027-01-31T00:00:00Z.`);
}

function storedOrNull(text: string | null): Timestamp | null {
  return text === null ? null : stored(text);
}

/** What is given back or disputed is a report about its payment, if the message says which one that is. */
function factsOf(message: CustomMessage): SaleFact[] {
  const { type, at, sale } = message;
  const fact = { type, saleId: sale.id, at: stored(at), rank: ranks[type] };
  const { refund, dispute, ...fields } = fieldsOf(message);
  const about = (paymentAt: Timestamp | null, ofPayment: Partial<SaleFields>): SaleFact => ({
    ...fact,
    ...(paymentAt !== null && { payment: { id: paymentAt, at: paymentAt } }),
    fields: ofPayment,
  });
  return [
    { ...fact, fields },
    ...(refund === undefined ? [] : [about(refund.paymentAt, { refund })]),
    ...(dispute === undefined ? [] : [about(storedOrNull(sale.disputed_payment_at ?? null), { dispute })]),
  ];
}

/** A payment without a period of its own pays from its own time on. */
function isPayment({ type, sale: { state = 'active' } }: CustomMessage): boolean {
  return (type === 'sale.completed' || type === 'subscription.renewed') && state === 'active';
}

function fieldsOf(message: CustomMessage): Partial<SaleFields> {
  const { type, at, sale } = message;
  const isFirst = type === 'sale.completed';
  const kind = sale.paid_until == null ? 'one_time' : 'subscription';
  return {
    ...defaults[type],
    ...(isFirst && { startedAt: stored(at), kind }),
    ...(isPayment(message) && { paidSince: stored(at) }),
    ...statedFields(sale),
    ...statedTimes(sale),
  };
}

function statedFields({ kind, state, checkout_id, buyer, items, dispute }: CustomMessage['sale']): Partial<SaleFields> {
  return {
    ...(kind !== undefined && { kind }),
    ...(state !== undefined && { state }),
    ...(checkout_id !== undefined && { checkoutId: checkout_id }),
    ...(buyer !== undefined && {
      buyer: { reference: buyer.id ?? null, name: buyer.name ?? null, email: buyer.email ?? null },
    }),
    ...(items !== undefined && {
      items: items.map(({ id, quantity }) => ({ externalId: id, quantity: quantity ?? 1 })),
    }),
    ...(dispute !== undefined && { dispute }),
  };
}

function statedTimes({ started_at, refund, ...sale }: CustomMessage['sale']): Partial<SaleFields> {
  return {
    ...(started_at !== undefined && { startedAt: stored(started_at) }),
    ...(sale.paid_since !== undefined && { paidSince: storedOrNull(sale.paid_since) }),
    ...(sale.paid_until !== undefined && { paidUntil: storedOrNull(sale.paid_until) }),
    ...(sale.ends_at !== undefined && { endsAt: storedOrNull(sale.ends_at) }),
    ...(sale.past_due_since !== undefined && { pastDueSince: storedOrNull(sale.past_due_since) }),
    ...(refund !== undefined && {
      refund: { amount: refund.amount, paymentAt: storedOrNull(refund.payment_at ?? null) },
    }),
  };
}
