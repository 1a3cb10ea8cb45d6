import { type models, webhooks } from '@polar-sh/sdk/2026-04';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { addDays, addSeconds } from '../../../../lib/duration.ts';
import { licensesOf, stateOf, valuesOf } from '../../sales/life.fixture.ts';
import type { SaleFields } from '../sale-fact.ts';
import { MessageRefusedError, MessageUnreadableError } from '../shop.ts';
import { bought, eventOf, orderOf, periodEnd, polarSecret, signed, subscriptionOf } from './polar.fixture.ts';
import { polar } from './polar.ts';

const after = (days: number) => addDays(bought, days);
type SubscriptionEvent = Extract<models.WebhookEventType, `subscription.${string}`>;
const subscription = (type: SubscriptionEvent, at = bought, fields: Partial<models.Subscription> = {}) =>
  polar.read(eventOf(type, subscriptionOf(fields), at));
const created = () => subscription('subscription.created');
const order = (
  type: 'order.created' | 'order.paid' | 'order.refunded',
  at: string,
  fields: Partial<models.Order> = {},
) => polar.read(eventOf(type, orderOf(fields), at));

afterEach(() => {
  vi.useRealTimers();
});

describe('the signature of Polar', () => {
  const body = eventOf('subscription.created', subscriptionOf(), bought);
  const message = signed(body, bought);

  test("a message that Polar's library accepts is verified, and has the library's fields", async () => {
    vi.useFakeTimers({ now: Date.parse(bought), toFake: ['Date'] });
    const headers = Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, value ?? '']));
    const event = await webhooks.validateEvent(body.toString(), headers, polarSecret);
    expect(polar.verify(message, polarSecret)).toEqual({ id: 'msg_1', type: event.type, occurredAt: event.timestamp });
  });

  test('a secret of Standard Webhooks in base64 is used as its bytes', () => {
    const bytes = Buffer.from('the secret of the vendor');
    const base64 = `whsec_${bytes.toString('base64')}`;
    expect(polar.verify(signed(body, bought, bytes), base64).type).toBe('subscription.created');
  });

  test.for<[string, () => typeof message]>([
    ['no signature', () => ({ ...message, headers: {} })],
    ['another secret', () => signed(body, bought, 'polar_whs_other')],
    ['another body', () => ({ ...message, body: Buffer.from(`${body.toString()} `) })],
    ['another id', () => ({ ...message, headers: { ...message.headers, 'webhook-id': 'msg_2' } })],
    ['a signature of 301 seconds ago', () => ({ ...message, receivedAt: addSeconds(bought, 301) })],
    [
      'another version of signatures',
      () => ({ ...message, headers: { ...message.headers, 'webhook-signature': 'v2,AAAA' } }),
    ],
  ])('%s is refused', ([, received]) => {
    expect(() => polar.verify(received(), polarSecret)).toThrow(MessageRefusedError);
  });
});

describe('a subscription of Polar', () => {
  test('its product, seats, period and buyer are read', () => {
    expect(valuesOf(stateOf(created()))).toEqual({
      kind: 'subscription',
      startedAt: bought,
      buyer: { reference: 'cus_1', name: 'Ada Lovelace', email: 'ada@example.com' },
      items: [{ externalId: 'prod_1', quantity: 3 }],
      state: 'active',
      paidSince: bought,
      paidUntil: periodEnd,
      endsAt: null,
      pastDueSince: null,
      checkoutId: 'checkout_1',
    });
  });

  const states: Record<models.SubscriptionStatus, SaleFields['state']> = {
    incomplete: 'pending',
    incomplete_expired: 'ended',
    trialing: 'active',
    active: 'active',
    past_due: 'past_due',
    unpaid: 'past_due',
    paused: 'paused',
    canceled: 'ended',
  };
  test.for(Object.entries(states))('the status %s is the state %s', ([status, state]) => {
    const body = eventOf('subscription.updated', { ...subscriptionOf(), status }, after(1));
    expect(stateOf(polar.read(body)).state?.value).toBe(state);
  });

  test('a cancellation ends with the period and can be taken back, and a revocation ends at once', () => {
    const fields = { cancel_at_period_end: true, canceled_at: after(1), ends_at: periodEnd };
    const canceled = subscription('subscription.canceled', after(1), fields);
    expect(licensesOf(after(1), created(), canceled)).toMatchObject([{ status: 'active', expiresAt: periodEnd }]);
    const back = subscription('subscription.uncanceled', after(2));
    expect(stateOf(created(), canceled, back).endsAt?.value).toBeNull();
    const revoked = subscription('subscription.revoked', after(3), {
      ...fields,
      status: 'canceled',
      ended_at: after(3),
    });
    expect(licensesOf(after(3), created(), canceled, revoked)).toMatchObject([{ expiresAt: after(3) }]);
    // Both are reported in the same moment, in any order.
    const updated = subscription('subscription.updated', after(3));
    expect(stateOf(created(), revoked, updated).state?.value).toBe('ended');
  });

  test('a missing payment is dated by Polar, and a payment recovers it', () => {
    const late = subscription('subscription.past_due', after(30), { status: 'past_due', past_due_at: after(30) });
    expect(licensesOf(after(38), created(), late)).toMatchObject([{ status: 'suspended' }]);
    const period = { current_period_start: after(30), current_period_end: after(60) };
    const paid = subscription('subscription.active', after(39), period);
    expect(licensesOf(after(39), created(), late, paid)).toMatchObject([{ status: 'active', expiresAt: after(60) }]);
  });

  test('a pause suspends and a resumption reinstates', () => {
    const paused = subscription('subscription.paused', after(1), { status: 'paused' });
    expect(licensesOf(after(1), created(), paused)).toMatchObject([{ status: 'suspended' }]);
    const resumed = subscription('subscription.resumed', after(2));
    expect(licensesOf(after(2), created(), paused, resumed)).toMatchObject([{ status: 'active' }]);
  });

  test('another product and other units replace the items', () => {
    const changed = subscription('subscription.updated', after(1), { product_id: 'prod_2', seats: null, units: 8 });
    expect(stateOf(created(), changed).items?.value).toEqual([{ externalId: 'prod_2', quantity: 8 }]);
  });

  test('its orders are no second sale', () => {
    const first = order('order.paid', after(0), { subscription_id: 'sub_1', billing_reason: 'subscription_create' });
    expect(first).toMatchObject({ facts: [], ignoredBecause: expect.stringContaining('subscription') });
  });

  test('a refund of its present order suspends, also if the order was made a moment before the period', () => {
    const item = { start_timestamp: bought, end_timestamp: periodEnd, proration: false } as models.OrderItemSchema;
    const fields = {
      subscription_id: 'sub_1',
      status: 'refunded',
      created_at: addSeconds(bought, -2),
      items: [item],
    } as const;
    const refund = order('order.refunded', after(2), {
      ...fields,
      items: [item],
      billing_reason: 'subscription_create',
    });
    expect(licensesOf(after(2), created(), refund)).toMatchObject([{ status: 'suspended' }]);
    const period = { current_period_start: after(30), current_period_end: after(60) };
    const renewed = subscription('subscription.cycled', after(30), period);
    expect(licensesOf(after(30), created(), refund, renewed)).toMatchObject([{ status: 'active' }]);
    const next = order('order.refunded', after(31), { ...fields, id: 'order_2', created_at: after(30), items: [] });
    const life = [created(), renewed, next, refund];
    for (const some of [life, life.toReversed()]) {
      expect(licensesOf(after(31), ...some)).toMatchObject([{ status: 'suspended' }]);
    }
  });

  test('a refund of a change within the period changes nothing', () => {
    const fields = { subscription_id: 'sub_1', status: 'refunded', billing_reason: 'subscription_update' } as const;
    const refund = order('order.refunded', after(2), fields);
    expect(licensesOf(after(2), created(), refund)).toMatchObject([{ status: 'active' }]);
  });
});

describe('a one-time purchase at Polar', () => {
  test('it counts when it is paid, and a full refund revokes it', () => {
    const waiting = order('order.created', bought, { status: 'pending', paid: false });
    expect(licensesOf(bought, waiting)).toEqual([]);
    const paid = order('order.paid', after(0));
    expect(stateOf(waiting, paid).items?.value).toEqual([{ externalId: 'prod_life', quantity: 1 }]);
    expect(licensesOf(after(1), waiting, paid)).toMatchObject([{ status: 'active' }]);
    const partial = order('order.refunded', after(2), { status: 'partially_refunded' });
    expect(licensesOf(after(2), waiting, paid, partial)).toMatchObject([{ status: 'active' }]);
    const refund = order('order.refunded', after(3), { status: 'refunded' });
    expect(licensesOf(after(3), waiting, paid, partial, refund)).toMatchObject([{ status: 'revoked' }]);
  });
});

test('an event of no sale changes nothing, and another format is unreadable', () => {
  expect(polar.read(eventOf('product.updated', { id: 'prod_1' }, bought)).ignoredBecause).toContain('product.updated');
  expect(() => polar.read(Buffer.from('{"text":"A Slack message"}'))).toThrow(MessageUnreadableError);
});
