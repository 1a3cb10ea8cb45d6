import type Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { toTimestamp } from '../../../../lib/clock.ts';
import { licensesOf, stateOf, valuesOf } from '../../sales/life.fixture.ts';
import type { SaleFields } from '../sale-fact.ts';
import { MessageRefusedError, MessageUnreadableError } from '../shop.ts';
import { bought, eventOf, month, sessionOf, signed, stripeSecret, subscriptionOf } from './stripe.fixture.ts';
import { stripe } from './stripe.ts';

const at = (seconds: number) => toTimestamp(seconds * 1000);
const day = 86_400;

const created = (fields?: Parameters<typeof subscriptionOf>[0], seconds = bought) =>
  stripe.read(eventOf('customer.subscription.created', subscriptionOf(fields), seconds));
const updated = (
  fields: Parameters<typeof subscriptionOf>[0],
  seconds: number,
  previous: Partial<Stripe.Subscription> = {},
) => stripe.read(eventOf('customer.subscription.updated', subscriptionOf(fields), seconds, previous));

describe('the signature of Stripe', () => {
  const body = eventOf('customer.subscription.created', subscriptionOf(), bought);

  test("a message that Stripe's library signs is verified", () => {
    const message = signed(body, bought + 5);
    expect(stripe.verify(message, stripeSecret)).toEqual({
      id: JSON.parse(body.toString()).id,
      type: 'customer.subscription.created',
      occurredAt: at(bought),
    });
  });

  test('one of several signatures is enough while a secret is replaced', () => {
    const own = signed(body, bought).headers['stripe-signature'];
    const other = signed(body, bought, 'whsec_other').headers['stripe-signature']?.split(',')[1];
    const headers = { 'stripe-signature': `${own},${other}` };
    expect(stripe.verify({ ...signed(body, bought), headers }, stripeSecret).type).toContain('created');
  });

  test.for<[string, () => ReturnType<typeof signed>]>([
    ['no signature', () => ({ ...signed(body, bought), headers: {} })],
    ['a signature with another secret', () => signed(body, bought, 'whsec_other')],
    ['another body', () => ({ ...signed(body, bought), body: Buffer.from(`${body.toString()} `) })],
    ['a signature of 301 seconds ago', () => ({ ...signed(body, bought), receivedAt: at(bought + 301) })],
    ['a signature of the future', () => ({ ...signed(body, bought), receivedAt: at(bought - 301) })],
    ['a body in another encoding', () => signed(Buffer.from(body.toString(), 'utf16le'), bought)],
    ['a signed text that is not an event', () => signed(Buffer.from('"evt_1"'), bought)],
    ['a header without a time', () => ({ ...signed(body, bought), headers: { 'stripe-signature': 'v1=00' } })],
  ])('%s is refused', ([, message]) => {
    expect(() => stripe.verify(message(), stripeSecret)).toThrow(MessageRefusedError);
  });
});

describe('a subscription of Stripe', () => {
  test('its prices, its paid period and its start are read', () => {
    expect(valuesOf(stateOf(created()))).toEqual({
      kind: 'subscription',
      startedAt: at(bought),
      items: [{ externalId: 'price_pro_month', quantity: 3 }],
      state: 'active',
      paidSince: at(bought),
      paidUntil: at(bought + month),
      endsAt: null,
      pastDueSince: null,
    });
  });

  // The type makes the table complete: a new status of Stripe's library fails the compilation.
  const states: Record<Stripe.Subscription.Status, SaleFields['state']> = {
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
    const object = { ...subscriptionOf(), status };
    expect(stateOf(stripe.read(eventOf('customer.subscription.updated', object, bought))).state?.value).toBe(state);
  });

  test('a period that stands at the subscription, as before the API of 2025, is read', () => {
    const { items, ...others } = subscriptionOf();
    const period = { current_period_start: bought, current_period_end: bought + month };
    const data = items.data.map(({ id, quantity, price }) => ({ id, quantity, price }));
    const object = { ...others, ...period, items: { ...items, data } };
    expect(valuesOf(stateOf(stripe.read(eventOf('customer.subscription.created', object, bought))))).toMatchObject({
      paidSince: at(bought),
      paidUntil: at(bought + month),
    });
  });

  test('the buyer of the checkout is added to the subscription, in either order', () => {
    const session = sessionOf({ mode: 'subscription', subscription: 'sub_1', customer: 'cus_1', payment_intent: null });
    const checkout = stripe.read(eventOf('checkout.session.completed', session, bought + 1));
    for (const readings of [
      [created(), checkout],
      [checkout, created()],
    ]) {
      expect(valuesOf(stateOf(...readings))).toMatchObject({
        kind: 'subscription',
        buyer: { reference: 'cus_1', name: 'Ada Lovelace', email: 'ada@example.com' },
        checkoutId: 'cs_1',
      });
    }
  });

  test('of two updates of one second the one that changed a field decides it, in either order', () => {
    const second = bought + 10;
    const activated = updated({ status: 'active', quantity: 3 }, second, { status: 'incomplete' });
    const changed = updated({ status: 'incomplete', quantity: 9 }, second, { items: undefined as never });
    for (const readings of [
      [activated, changed],
      [changed, activated],
    ]) {
      const { state, items } = valuesOf(stateOf(created({ status: 'incomplete' }), ...readings));
      expect([state, items]).toEqual(['active', [{ externalId: 'price_pro_month', quantity: 9 }]]);
    }
  });

  test('a creation and an activation of one second are an active subscription, in either order', () => {
    const activated = updated({ status: 'active' }, bought, { status: 'incomplete' });
    const begun = created({ status: 'incomplete' });
    expect(stateOf(activated, begun).state?.value).toBe('active');
    expect(stateOf(begun, activated).state?.value).toBe('active');
  });

  test('a cancellation at the end of the period ends the license with the period, and can be taken back', () => {
    const end = bought + month;
    const canceled = updated({ cancel_at_period_end: true, cancel_at: end, canceled_at: bought + day }, bought + day);
    expect(licensesOf(at(bought + day), created(), canceled)).toMatchObject([{ expiresAt: at(end), status: 'active' }]);
    const renewed = updated({ start: end }, end + 60);
    expect(licensesOf(at(end), created(), canceled, renewed)).toMatchObject([{ expiresAt: at(end + month) }]);
  });

  test('a cancellation at once ends the license at once', () => {
    const object = subscriptionOf({ status: 'canceled', canceled_at: bought + day, ended_at: bought + day });
    const ended = stripe.read(eventOf('customer.subscription.deleted', object, bought + day));
    expect(licensesOf(at(bought + day), created(), ended)).toMatchObject([{ expiresAt: at(bought + day) }]);
  });

  test('a trial is valid until its end', () => {
    const trial = created({ status: 'trialing', trial_end: bought + month });
    expect(licensesOf(at(bought), trial)).toMatchObject([{ status: 'active', expiresAt: at(bought + month) }]);
  });

  test('a missing payment suspends after the days of the offer, and a payment recovers it', () => {
    const start = bought + month;
    const failed = updated({ status: 'past_due', start }, start + 3600, { status: 'active' });
    const again = updated({ status: 'past_due', start }, start + 3 * day, { latest_invoice: 'in_1' });
    const life = [created(), failed, again];
    expect(licensesOf(at(start + 6 * day), ...life)).toMatchObject([{ status: 'active' }]);
    expect(licensesOf(at(start + 8 * day), ...life)).toMatchObject([{ status: 'suspended' }]);
    const recovered = updated({ start }, start + 9 * day, { status: 'past_due' });
    expect(licensesOf(at(start + 9 * day), ...life, recovered)).toMatchObject([{ status: 'active' }]);
  });

  test('a subscription whose payment Stripe has given up is paid until the period before', () => {
    const unpaid = updated({ status: 'unpaid', start: bought + month }, bought + month + 20 * day, {
      status: 'past_due',
    });
    expect(stateOf(created(), unpaid).paidUntil?.value).toBe(at(bought + month));
  });

  test('a subscription whose first payment never succeeded entitles to nothing that could be used', () => {
    const expired = updated({ status: 'incomplete_expired' }, bought + day, { status: 'incomplete' });
    expect(licensesOf(at(bought + day), created({ status: 'incomplete' }), expired)).toMatchObject([
      { expiresAt: at(bought) },
    ]);
  });

  test('a pause of the collection changes nothing, because the customer keeps the access', () => {
    const pause_collection = { behavior: 'void', resumes_at: null } as const;
    const paused = updated({ pause_collection }, bought + day, { pause_collection: null });
    expect(licensesOf(at(bought + day), created(), paused)).toMatchObject([{ status: 'active' }]);
  });

  test('another plan and quantity replace the items', () => {
    const changed = updated({ price: 'price_team_year', quantity: 12 }, bought + day, { items: undefined as never });
    expect(stateOf(created(), changed).items?.value).toEqual([{ externalId: 'price_team_year', quantity: 12 }]);
  });

  test('a message that contains only the first prices says nothing of the prices', () => {
    const object = subscriptionOf();
    const cut = { ...object, items: { ...object.items, has_more: true } };
    const reading = stripe.read(eventOf('customer.subscription.updated', cut, bought + day, { items: null }));
    expect(reading.facts.some(({ fields }) => 'items' in fields)).toBe(false);
  });
});

const charge = {
  id: 'ch_1',
  object: 'charge',
  amount: 4900,
  amount_refunded: 4900,
  refunded: true,
  created: bought + 2,
  currency: 'jpy',
  payment_intent: 'pi_1',
} satisfies Partial<Stripe.Charge>;
const refunded = (fields: Partial<Stripe.Charge> = {}, seconds = bought + day) =>
  stripe.read(eventOf('charge.refunded', { ...charge, ...fields }, seconds));
const dispute = {
  id: 'dp_1',
  object: 'dispute',
  charge: 'ch_1',
  payment_intent: 'pi_1',
} satisfies Partial<Stripe.Dispute>;
const disputed = (type: Stripe.Event.Type, status: Stripe.Dispute.Status, seconds = bought + day) =>
  stripe.read(eventOf(type, { ...dispute, status }, seconds));

/** The two messages that lead from the payment to the subscription. */
const payment = stripe.read(
  eventOf(
    'invoice_payment.paid',
    { id: 'inpay_1', invoice: 'in_1', payment: { type: 'payment_intent', payment_intent: 'pi_1' } },
    bought + 2,
  ),
);
const invoice = stripe.read(
  eventOf(
    'invoice.paid',
    {
      id: 'in_1',
      customer: 'cus_1',
      customer_name: null,
      customer_email: 'ada@example.com',
      parent: { type: 'subscription_details', subscription_details: { subscription: 'sub_1', metadata: {} } },
    },
    bought + 2,
  ),
);

describe('a refund of Stripe', () => {
  test('it names only the payment and finds its subscription, before and after the messages that connect them', () => {
    const expected = [{ status: 'suspended' }];
    expect(licensesOf(at(bought + day), created(), payment, invoice, refunded())).toMatchObject(expected);
    expect(licensesOf(at(bought + day), refunded(), invoice, payment, created())).toMatchObject(expected);
  });

  test('a partial refund changes nothing', () => {
    const partial = refunded({ refunded: false, amount_refunded: 100 });
    expect(licensesOf(at(bought + day), created(), payment, invoice, partial)).toMatchObject([{ status: 'active' }]);
  });

  test('a refund of an earlier period changes nothing, and does not undo that of the present one', () => {
    const start = bought + month;
    const renewed = updated({ start }, start);
    const ofEarlier = refunded({}, start + 2 * day);
    const life = [created(), payment, invoice, renewed];
    expect(licensesOf(at(start + 2 * day), ...life, ofEarlier)).toMatchObject([{ status: 'active' }]);
    const ofPresent = refunded({ id: 'ch_2', created: start + 3600 }, start + day);
    expect(licensesOf(at(start + 2 * day), ...life, ofPresent, ofEarlier)).toMatchObject([{ status: 'suspended' }]);
  });

  test('a refund that fails gives the license back', () => {
    const refund: Partial<Stripe.Refund> = { charge: 'ch_1', payment_intent: 'pi_1', status: 'failed' };
    const failed = stripe.read(eventOf('refund.failed', refund, bought + 2 * day));
    expect(licensesOf(at(bought + 2 * day), created(), payment, invoice, refunded(), failed)).toMatchObject([
      { status: 'active' },
    ]);
  });
});

describe('a dispute of Stripe', () => {
  const states: Record<Stripe.Dispute.Status, SaleFields['dispute']> = {
    needs_response: 'open',
    under_review: 'open',
    lost: 'lost',
    won: 'none',
    warning_needs_response: 'none',
    warning_under_review: 'none',
    warning_closed: 'none',
    prevented: 'none',
    appeal_needs_response: 'open',
    appeal_under_review: 'open',
  };
  test.for(Object.entries(states))('its status %s is %s', ([status, expected]) => {
    const reading = stripe.read(eventOf('charge.dispute.updated', { ...dispute, status }, bought));
    expect(reading.facts[0]?.fields).toEqual({ dispute: expected });
  });

  test('an open dispute suspends, a won one reinstates', () => {
    const open = disputed('charge.dispute.created', 'needs_response');
    const life = [created(), payment, invoice, open];
    expect(licensesOf(at(bought + day), ...life)).toMatchObject([{ status: 'suspended' }]);
    // The end of the dispute and the return of the money are reported in the same second.
    const won = disputed('charge.dispute.closed', 'won', bought + 9 * day);
    const back = disputed('charge.dispute.funds_reinstated', 'won', bought + 9 * day);
    expect(licensesOf(at(bought + 9 * day), ...life, won, back)).toMatchObject([{ status: 'active' }]);
  });
});

test('a dispute about a payment of an earlier period changes nothing, whenever it is decided', () => {
  const start = bought + month;
  const life = [created(), payment, invoice, updated({ start }, start)];
  const open = disputed('charge.dispute.created', 'needs_response', start + day);
  expect(licensesOf(at(start + day), ...life, open)).toMatchObject([{ status: 'active' }]);
  const lost = disputed('charge.dispute.closed', 'lost', start + 9 * day);
  expect(licensesOf(at(start + 9 * day), ...life, open, lost)).toMatchObject([{ status: 'active' }]);
});

describe('a one-time purchase at Stripe', () => {
  const completed = (
    fields?: Partial<Stripe.Checkout.Session>,
    type: Stripe.Event.Type = 'checkout.session.completed',
  ) => stripe.read(eventOf(type, sessionOf(fields), bought + (type.endsWith('completed') ? 0 : day)));

  test('it is a sale of its own, of the payment link, because the message names no price', () => {
    expect(valuesOf(stateOf(completed({ payment_link: 'plink_1' })))).toMatchObject({
      kind: 'one_time',
      state: 'active',
      items: [{ externalId: 'plink_1', quantity: 1 }],
      paidUntil: null,
      endsAt: null,
      checkoutId: 'cs_1',
    });
    expect(stateOf(completed()).items?.value).toEqual([{ externalId: 'checkout', quantity: 1 }]);
  });

  test('a full refund revokes its license', () => {
    expect(licensesOf(at(bought + day), completed(), refunded())).toMatchObject([{ status: 'revoked' }]);
  });

  test('a payment by bank entitles to nothing until it has arrived', () => {
    const waiting = completed({ payment_status: 'unpaid' });
    expect(licensesOf(at(bought), waiting)).toEqual([]);
    const paid = completed({}, 'checkout.session.async_payment_succeeded');
    expect(licensesOf(at(bought + day), waiting, paid)).toMatchObject([{ status: 'active' }]);
    const failed = completed({ payment_status: 'unpaid' }, 'checkout.session.async_payment_failed');
    expect(licensesOf(at(bought + day), waiting, failed)).toMatchObject([{ expiresAt: at(bought) }]);
  });

  test('a buyer without an email address and with control characters in the name is read', () => {
    const details = { ...sessionOf().customer_details, email: null, name: 'Ada\u0000\nLovelace ' };
    const reading = completed({ customer_details: details as Stripe.Checkout.Session.CustomerDetails });
    expect(stateOf(reading).buyer?.value).toEqual({ reference: null, name: 'Ada Lovelace', email: null });
  });
});

test.for<[string, Buffer]>([
  ['a checkout that only stores a card', eventOf('checkout.session.completed', sessionOf({ mode: 'setup' }), bought)],
  ['an invoice without a subscription', eventOf('invoice.paid', { id: 'in_9', parent: null }, bought)],
  ['an event of no sale', eventOf('customer.updated', { id: 'cus_1' }, bought)],
  [
    'an event of a connected account',
    eventOf('customer.subscription.created', subscriptionOf(), bought, undefined, { account: 'acct_1' }),
  ],
])('%s changes nothing and says why', ([, body]) => {
  expect(stripe.read(body)).toMatchObject({ facts: [], objects: [], ignoredBecause: expect.stringMatching(/\.$/) });
});

test.for([
  [
    'a thin event',
    JSON.stringify({ id: 'evt_1', object: 'v2.core.event', type: 'v2.x', created: '2026-01-01T00:00:00Z' }),
  ],
  [
    'a subscription without an id',
    eventOf('customer.subscription.created', { object: 'subscription' }, bought).toString(),
  ],
  ['a text', 'hello'],
] as const)('%s is unreadable', ([, body]) => {
  expect(() => stripe.read(Buffer.from(body))).toThrow(MessageUnreadableError);
});

test('the page of a sale is in the dashboard, whatever characters its id contains', () => {
  expect(stripe.saleUrl('sub_1')).toBe('https://dashboard.stripe.com/subscriptions/sub_1');
  expect(stripe.saleUrl('cs_1/../x?y')).toBe('https://dashboard.stripe.com/search?query=cs_1%2F..%2Fx%3Fy');
});
