import type { Subscription } from '@lemonsqueezy/lemonsqueezy.js';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../../../lib/duration.ts';
import { licensesOf, stateOf, valuesOf } from '../../sales/life.fixture.ts';
import type { SaleFields } from '../sale-fact.ts';
import { MessageRefusedError, MessageUnreadableError } from '../shop.ts';
import {
  bought,
  eventOf,
  invoiceOf,
  lemonSqueezySecret,
  orderOf,
  periodEnd,
  signed,
  subscriptionOf,
} from './lemonsqueezy.fixture.ts';
import { lemonSqueezy } from './lemonsqueezy.ts';

type Attributes = Parameters<typeof subscriptionOf>[0];
const after = (days: number) => addDays(bought, days);
const ordered = (fields?: Parameters<typeof orderOf>[0]) =>
  lemonSqueezy.read(eventOf('order_created', 'orders', orderOf(fields)));
const refunded = (fields?: Parameters<typeof orderOf>[0]) =>
  lemonSqueezy.read(
    eventOf('order_refunded', 'orders', orderOf({ status: 'refunded', updated_at: after(2), ...fields })),
  );
const subscription = (event: string, fields?: Attributes) =>
  lemonSqueezy.read(eventOf(event, 'subscriptions', subscriptionOf(fields)));
const created = () => subscription('subscription_created');
const paid = (event: string, fields?: Parameters<typeof invoiceOf>[0]) =>
  lemonSqueezy.read(eventOf(event, 'subscription-invoices', invoiceOf(fields)));

describe('the signature of Lemon Squeezy', () => {
  const body = eventOf('order_created', 'orders', orderOf());

  test('a signed message is verified, and the same body has the same id', () => {
    const first = lemonSqueezy.verify(signed(body), lemonSqueezySecret);
    expect(first).toEqual({ id: expect.stringMatching(/^[0-9a-f]{64}$/), type: 'order_created', occurredAt: bought });
    expect(lemonSqueezy.verify(signed(Buffer.from(body)), lemonSqueezySecret).id).toBe(first.id);
    const other = eventOf('order_created', 'orders', orderOf({ updated_at: after(1) }));
    expect(lemonSqueezy.verify(signed(other), lemonSqueezySecret).id).not.toBe(first.id);
  });

  test.for<[string, () => ReturnType<typeof signed>]>([
    ['no signature', () => ({ ...signed(body), headers: {} })],
    ['another secret', () => signed(body, 'another secret')],
    ['another body', () => ({ ...signed(body), body: Buffer.from(`${body.toString()} `) })],
    ['a body in another encoding', () => signed(Buffer.from(body.toString(), 'utf16le'))],
  ])('%s is refused', ([, message]) => {
    expect(() => lemonSqueezy.verify(message(), lemonSqueezySecret)).toThrow(MessageRefusedError);
  });
});

describe('an order of Lemon Squeezy', () => {
  test('a purchase that is paid once is a sale with an unguessable checkout id', () => {
    expect(valuesOf(stateOf(ordered()))).toEqual({
      kind: 'one_time',
      startedAt: bought,
      buyer: { reference: '5', name: 'Ada Lovelace', email: 'ada@example.com' },
      items: [{ externalId: '9', quantity: 3 }],
      state: 'active',
      paidUntil: null,
      endsAt: null,
      checkoutId: '89b36d62-4f5b-4353-853f-0c769d0535c8',
    });
  });

  test('a full refund revokes and a partial one does not', () => {
    expect(licensesOf(after(2), ordered(), refunded())).toMatchObject([{ status: 'revoked' }]);
    const partial = refunded({ status: 'paid', refunded_amount: 100 });
    expect(licensesOf(after(2), ordered(), partial)).toMatchObject([{ status: 'active' }]);
  });

  test('the order of a subscription is the same sale, in any order of arrival', () => {
    for (const life of [
      [ordered(), created()],
      [created(), ordered()],
    ]) {
      expect(valuesOf(stateOf(...life))).toMatchObject({ kind: 'subscription', paidUntil: periodEnd, endsAt: null });
      expect(licensesOf(bought, ...life)).toHaveLength(1);
    }
  });

  test('an order and a subscription of the same number are two sales', () => {
    expect(ordered().facts[0]?.saleId).not.toBe(subscription('subscription_created', { order_id: 2 }).facts[0]?.saleId);
  });

  test('an order that is not paid changes nothing', () => {
    expect(ordered({ status: 'pending' })).toMatchObject({
      facts: [],
      ignoredBecause: expect.stringContaining('not paid'),
    });
  });
});

describe('a subscription of Lemon Squeezy', () => {
  type Status = NonNullable<Subscription['data']['attributes']['status']>;
  const states: Record<Status, SaleFields['state']> = {
    on_trial: 'active',
    active: 'active',
    paused: 'paused',
    pause: 'paused',
    past_due: 'past_due',
    unpaid: 'past_due',
    cancelled: 'active',
    expired: 'ended',
  };
  test.for(Object.entries(states))('the status %s is the state %s', ([status, state]) => {
    const body = eventOf('subscription_updated', 'subscriptions', { ...subscriptionOf(), status });
    expect(stateOf(lemonSqueezy.read(body)).state?.value).toBe(state);
  });

  test('a canceled subscription is valid until its end, and can be resumed', () => {
    const canceled = subscription('subscription_cancelled', {
      status: 'cancelled',
      ends_at: periodEnd,
      updated_at: after(1),
    });
    expect(licensesOf(after(1), created(), canceled)).toMatchObject([{ status: 'active', expiresAt: periodEnd }]);
    const resumed = subscription('subscription_resumed', { updated_at: after(2) });
    expect(stateOf(created(), canceled, resumed).endsAt?.value).toBeNull();
    const expired = subscription('subscription_expired', {
      status: 'expired',
      ends_at: after(3),
      updated_at: after(3),
    });
    expect(licensesOf(after(3), created(), canceled, expired)).toMatchObject([{ expiresAt: after(3) }]);
  });

  test('a trial is valid until its end', () => {
    const trial = { status: 'on_trial', trial_ends_at: after(14), first_subscription_item: null } as const;
    expect(licensesOf(bought, subscription('subscription_created', trial))).toMatchObject([{ expiresAt: after(14) }]);
  });

  test('a pause that stops the services suspends, and one that offers them for free does not', () => {
    const pause = (mode: 'void' | 'free') =>
      subscription('subscription_paused', { status: 'paused', pause: { mode }, updated_at: after(1) });
    expect(licensesOf(after(1), created(), pause('void'))).toMatchObject([{ status: 'suspended' }]);
    expect(licensesOf(after(1), created(), pause('free'))).toMatchObject([{ status: 'active' }]);
  });

  test('a missing payment is dated by its invoice, at every attempt, and a payment recovers it', () => {
    const late = subscription('subscription_updated', {
      status: 'past_due',
      renews_at: after(33),
      updated_at: after(30),
    });
    const failed = (days: number) =>
      paid('subscription_payment_failed', { status: 'pending', created_at: after(30), updated_at: after(days) });
    const life = [created(), late, failed(30), failed(33)];
    expect(stateOf(...life).pastDueSince?.value).toBe(after(30));
    expect(licensesOf(after(38), ...life)).toMatchObject([{ status: 'suspended' }]);
    const recovered = subscription('subscription_updated', { renews_at: after(60), updated_at: after(39) });
    expect(licensesOf(after(39), ...life, recovered)).toMatchObject([{ status: 'active', expiresAt: after(60) }]);
  });

  test('another variant and quantity replace the items', () => {
    const item = { id: 4, subscription_id: 1, price_id: 2, quantity: 7, is_usage_based: false };
    const first_subscription_item = { ...item, created_at: bought, updated_at: bought };
    const changed = subscription('subscription_updated', {
      variant_id: 10,
      first_subscription_item,
      updated_at: after(1),
    });
    expect(stateOf(created(), changed).items?.value).toEqual([{ externalId: '10', quantity: 7 }]);
  });

  test('a refund of the order suspends in the first period and changes nothing after a renewal', () => {
    expect(licensesOf(after(2), ordered(), created(), refunded())).toMatchObject([{ status: 'suspended' }]);
    const renewed = subscription('subscription_updated', { renews_at: after(60), updated_at: periodEnd });
    const life = [
      ordered(),
      created(),
      renewed,
      paid('subscription_payment_success'),
      refunded({ updated_at: after(31) }),
    ];
    expect(licensesOf(after(31), ...life)).toMatchObject([{ status: 'active' }]);
    const ofPresent = paid('subscription_payment_refunded', { status: 'refunded', updated_at: after(32) });
    expect(licensesOf(after(32), ...life, ofPresent)).toMatchObject([{ status: 'suspended' }]);
  });
});

test('a message of no sale changes nothing, and another shop is unreadable', () => {
  expect(lemonSqueezy.read(eventOf('license_key_created', 'license-keys', { updated_at: bought }))).toMatchObject({
    facts: [],
    ignoredBecause: expect.stringMatching(/\.$/),
  });
  expect(() => lemonSqueezy.read(Buffer.from('{}'))).toThrow(MessageUnreadableError);
});
