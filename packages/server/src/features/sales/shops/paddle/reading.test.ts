import {
  type AdjustmentAction,
  type AdjustmentStatus,
  Paddle,
  SubscriptionCreatedEvent,
  type SubscriptionStatus,
} from '@paddle/paddle-node-sdk';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { addSeconds } from '../../../../lib/duration.ts';
import { licensesOf, stateOf, valuesOf } from '../../sales/life.fixture.ts';
import type { SaleFields } from '../sale-fact.ts';
import { MessageRefusedError, MessageUnreadableError } from '../shop.ts';
import {
  after,
  bought,
  eventOf,
  itemOf,
  paddleSecret,
  periodEnd,
  signed,
  subscriptionOf,
  transactionOf,
} from './paddle.fixture.ts';
import { paddle } from './paddle.ts';

type Subscription = Parameters<typeof subscriptionOf>[0];
const first = (fields?: Subscription) =>
  paddle.read(eventOf('subscription.created', { ...subscriptionOf(fields), transaction_id: 'txn_1' }, bought));
const later = (
  type: `subscription.${'updated' | 'canceled' | 'past_due' | 'paused' | 'resumed'}`,
  at: string,
  fields?: Subscription,
) => paddle.read(eventOf(type, subscriptionOf(fields), at));

afterEach(() => {
  vi.useRealTimers();
});

describe('the signature of Paddle', () => {
  const body = eventOf('subscription.created', { ...subscriptionOf(), transaction_id: 'txn_1' }, bought);
  const message = signed(body, bought);

  test("a message that Paddle's library accepts is verified, and read as the library reads it", async () => {
    vi.useFakeTimers({ now: Date.parse(bought), toFake: ['Date'] });
    const library = new Paddle('pdl_live_apikey_imitated');
    const header = message.headers['paddle-signature'] ?? '';
    const event = await library.webhooks.unmarshal(body.toString(), paddleSecret, header);
    expect(event).toBeInstanceOf(SubscriptionCreatedEvent);
    const { eventId, eventType, occurredAt, data } = event as SubscriptionCreatedEvent;
    expect(paddle.verify(message, paddleSecret)).toEqual({ id: eventId, type: eventType, occurredAt });
    expect(valuesOf(stateOf(paddle.read(body)))).toMatchObject({
      buyer: { reference: data.customerId },
      startedAt: data.startedAt,
      paidUntil: data.currentBillingPeriod?.endsAt,
      items: data.items.map(({ price, quantity }) => ({ externalId: price?.id, quantity })),
    });
  });

  test.for<[string, () => typeof message]>([
    ['no signature', () => ({ ...message, headers: {} })],
    ['another secret', () => signed(body, bought, 'pdl_ntfset_other')],
    ['another body', () => ({ ...message, body: Buffer.from(`${body.toString()} `) })],
    ['a signature of 301 seconds ago', () => ({ ...message, receivedAt: addSeconds(bought, 301) })],
    ['a body in another encoding', () => signed(Buffer.from(body.toString(), 'utf16le'), bought)],
  ])('%s is refused', ([, received]) => {
    expect(() => paddle.verify(received(), paddleSecret)).toThrow(MessageRefusedError);
  });

  test('one of several signatures is enough while a secret is replaced', () => {
    const other = signed(body, bought, 'pdl_ntfset_other').headers['paddle-signature']?.split(';')[1];
    const headers = { 'paddle-signature': `${message.headers['paddle-signature']};${other}` };
    expect(paddle.verify({ ...message, headers }, paddleSecret).type).toBe('subscription.created');
  });
});

describe('a subscription of Paddle', () => {
  const states: Record<SubscriptionStatus, SaleFields['state']> = {
    trialing: 'active',
    active: 'active',
    past_due: 'past_due',
    paused: 'paused',
    canceled: 'ended',
  };
  test.for(Object.entries(states))('the status %s is the state %s', ([status, state]) => {
    const body = eventOf('subscription.updated', { ...subscriptionOf(), status }, after(1));
    expect(stateOf(paddle.read(body)).state?.value).toBe(state);
  });

  test('the transaction of its checkout is no second sale', () => {
    const items = [itemOf()];
    const completed = paddle.read(
      eventOf('transaction.completed', transactionOf({ subscription_id: 'sub_1', items }), after(0)),
    );
    expect(valuesOf(stateOf(first(), completed))).toMatchObject({ kind: 'subscription', checkoutId: 'txn_1' });
    expect(licensesOf(after(1), first(), completed)).toHaveLength(1);
  });

  test('what is paid once beside a subscription is a sale of its own', () => {
    const items = [itemOf(), itemOf('pri_setup', 1, null)];
    const { facts } = paddle.read(
      eventOf('transaction.completed', transactionOf({ subscription_id: 'sub_1', items }), bought),
    );
    expect(facts.map(({ saleId, fields }) => [saleId, fields.items])).toEqual([
      ['txn_1', [{ externalId: 'pri_setup', quantity: 1 }]],
      ['sub_1', undefined],
    ]);
  });

  test('the payment of a renewal says only when it was made', () => {
    const renewal = transactionOf({
      id: 'txn_2',
      subscription_id: 'sub_1',
      origin: 'subscription_recurring',
      items: [itemOf()],
    });
    expect(paddle.read(eventOf('transaction.completed', renewal, periodEnd))).toMatchObject({
      facts: [{ saleId: 'sub_1', payment: { id: 'txn_2' }, fields: {} }],
      ignoredBecause: expect.stringContaining('subscription'),
    });
  });

  test('a cancellation at the end of the period can be taken back, and one at once ends at once', () => {
    const scheduled_change = { action: 'cancel', effective_at: periodEnd, resume_at: null };
    const canceled = later('subscription.updated', after(1), { scheduled_change });
    expect(stateOf(first(), canceled).endsAt?.value).toBe(periodEnd);
    expect(stateOf(first(), canceled, later('subscription.updated', after(2))).endsAt?.value).toBeNull();
    const items = [{ ...itemOf(), status: 'inactive' }];
    const ended = { status: 'canceled', canceled_at: after(3), current_billing_period: null, items } as const;
    const life = [first(), canceled, later('subscription.canceled', after(3), ended)];
    expect(licensesOf(after(3), ...life)).toMatchObject([{ expiresAt: after(3), maxActivations: 3 }]);
  });

  test('of two events of the same time the end decides, in either order', () => {
    const ended = later('subscription.canceled', after(3), { status: 'canceled', canceled_at: after(3) });
    const changed = later('subscription.updated', after(3));
    expect(stateOf(ended, changed).state?.value).toBe('ended');
    expect(stateOf(changed, ended).state?.value).toBe('ended');
  });

  test('a pause suspends and a resumption reinstates', () => {
    const paused = later('subscription.paused', after(30), { status: 'paused', current_billing_period: null });
    expect(licensesOf(after(30), first(), paused)).toMatchObject([{ status: 'suspended' }]);
    const period = { starts_at: after(40), ends_at: after(70) };
    const resumed = later('subscription.resumed', after(40), { current_billing_period: period });
    expect(licensesOf(after(40), first(), paused, resumed)).toMatchObject([{ status: 'active', expiresAt: after(70) }]);
  });

  test('a missing payment is dated by its own event, and a payment recovers it', () => {
    const pastDue = later('subscription.past_due', after(30), { status: 'past_due' });
    const changed = later('subscription.updated', after(36), { status: 'past_due' });
    const period = { starts_at: after(30), ends_at: after(60) };
    const life = [first(), pastDue, changed];
    expect(stateOf(...life).pastDueSince?.value).toBe(after(30));
    expect(licensesOf(after(38), ...life)).toMatchObject([{ status: 'suspended' }]);
    const recovered = later('subscription.updated', after(38), { current_billing_period: period });
    expect(licensesOf(after(38), ...life, recovered)).toMatchObject([{ status: 'active', expiresAt: after(60) }]);
  });

  test('another plan and another quantity replace the items', () => {
    const changed = later('subscription.updated', after(1), { items: [itemOf('pri_team', 9)] });
    expect(stateOf(first(), changed).items?.value).toEqual([{ externalId: 'pri_team', quantity: 9 }]);
  });
});

const adjusted = (action: AdjustmentAction, status: AdjustmentStatus, at = after(2), fields: object = {}) =>
  paddle.read(
    eventOf(
      'adjustment.updated',
      {
        id: 'adj_1',
        action,
        type: 'full',
        transaction_id: 'txn_1',
        subscription_id: null,
        status,
        items: [],
        ...fields,
      },
      at,
    ),
  );

describe('a one-time purchase at Paddle', () => {
  const completed = paddle.read(eventOf('transaction.completed', transactionOf(), bought));

  test('it is a sale of its own, whose buyer has no email address without the API', () => {
    expect(valuesOf(stateOf(completed))).toMatchObject({
      kind: 'one_time',
      state: 'active',
      items: [{ externalId: 'pri_lifetime', quantity: 1 }],
      buyer: { reference: 'ctm_1', name: null, email: null },
      checkoutId: 'txn_1',
      paidUntil: null,
    });
  });

  test('only an approved full refund revokes', () => {
    expect(adjusted('refund', 'pending_approval').facts).toEqual([]);
    const partial = adjusted('refund', 'approved', after(2), { type: 'partial' });
    expect(licensesOf(after(2), completed, partial)).toMatchObject([{ status: 'active' }]);
    expect(licensesOf(after(2), completed, adjusted('refund', 'approved'))).toMatchObject([{ status: 'revoked' }]);
  });

  test('a chargeback suspends, its reversal reinstates, and a warning or a credit changes nothing', () => {
    const chargeback = adjusted('chargeback', 'approved');
    expect(licensesOf(after(2), completed, chargeback)).toMatchObject([{ status: 'suspended' }]);
    const reversed = adjusted('chargeback_reverse', 'approved', after(9));
    expect(licensesOf(after(9), completed, chargeback, reversed)).toMatchObject([{ status: 'active' }]);
    expect(adjusted('chargeback_warning', 'approved').facts).toEqual([]);
    expect(adjusted('credit', 'approved').facts).toEqual([]);
  });
});

test('a refund that names only the first transaction finds its subscription', () => {
  const completed = paddle.read(
    eventOf('transaction.completed', transactionOf({ subscription_id: 'sub_1', items: [itemOf()] }), bought),
  );
  expect(licensesOf(after(2), adjusted('refund', 'approved'), completed, first())).toMatchObject([
    { status: 'suspended' },
  ]);
});

test.for([
  ['an earlier period changes nothing', 'refund', 'txn_1', 'active'],
  ['the present period suspends', 'refund', 'txn_2', 'suspended'],
  ['an earlier period changes nothing', 'chargeback', 'txn_1', 'active'],
  ['the present period suspends', 'chargeback', 'txn_2', 'suspended'],
] as const)('of a payment of %s: a %s of %s', ([, action, transaction_id, status]) => {
  const ofSubscription = { subscription_id: 'sub_1', items: [itemOf()] };
  const paid = (id: string, billed_at: string) =>
    paddle.read(eventOf('transaction.completed', transactionOf({ id, billed_at, ...ofSubscription }), billed_at));
  const period = { starts_at: after(30), ends_at: after(60) };
  const renewed = later('subscription.updated', after(30), { current_billing_period: period });
  const back = adjusted(action, 'approved', after(31), { transaction_id, subscription_id: 'sub_1' });
  const life = [first(), paid('txn_1', bought), renewed, paid('txn_2', after(30)), back];
  for (const order of [life, life.toReversed()]) expect(licensesOf(after(31), ...order)).toMatchObject([{ status }]);
});

test.for([
  ['an event of no sale', eventOf('customer.updated', { id: 'ctm_1' }, bought)],
  ['a transaction that is not completed', eventOf('transaction.paid', transactionOf({ status: 'paid' }), bought)],
] as const)('%s changes nothing and says why', ([, body]) => {
  expect(paddle.read(body)).toMatchObject({ facts: [], ignoredBecause: expect.stringMatching(/\.$/) });
});

test('a message of Paddle Classic is unreadable', () => {
  const classic = Buffer.from('alert_name=subscription_created&subscription_id=1');
  expect(() => paddle.read(classic)).toThrow(MessageUnreadableError);
});

test('the page of a sale is in the dashboard', () => {
  expect(paddle.saleUrl('sub_1')).toBe('https://vendors.paddle.com/subscriptions-v2/sub_1');
  expect(paddle.saleUrl('txn_/..')).toBe('https://vendors.paddle.com/transactions-v2/txn_%2F..');
});
