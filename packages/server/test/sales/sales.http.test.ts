import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { eventsOf } from '../support/licensing-catalog.ts';
import { type CustomShop, connectShop, licenseOf, offerItems } from './custom-shop.ts';

const clock = useClock('2026-11-20T12:00:00.000Z');
const suite = useTenant();
let shop: CustomShop;
let offers: Awaited<ReturnType<typeof offerItems>>;

beforeAll(async () => {
  shop = await connectShop(suite.app, suite.tenant);
  offers = await offerItems(shop, {
    team: { quantity: 'seats', seats_per_unit: 2, on_payment_failure: 'suspend_after_days', suspend_after_days: 7 },
    business: { quantity: 'seats', seats_per_unit: 5 },
    single: { quantity: 'licenses' },
    fee: { quantity: 'ignore' },
  });
});

const ada = { id: 'customer-1', name: 'Ada Lovelace', email: 'ada@example.com' };
const dayMs = 86_400_000;
const day = (count: number) => new Date(Date.now() + count * dayMs).toISOString();
const stored = (iso: string) => iso.replace('Z', '000Z');

/** Returns the only sale with an id, and its licenses. */
async function stateOf(externalId: string) {
  const sales = await shop.sales(`?q=${externalId}`);
  const [sale] = sales;
  expect(sales).toHaveLength(1);
  const licenses = [];
  for (const id of sale.license_ids) licenses.push(await licenseOf(suite.tenant, id));
  return { sale, licenses };
}

async function subscribe(fields: object = {}) {
  const id = `sub-${randomUUID()}`;
  const sale = { id, buyer: ada, items: [{ id: 'team', quantity: 2 }], paid_until: day(30), ...fields };
  await shop.tell('sale.completed', sale);
  return id;
}

describe('a subscription', () => {
  test('a sale becomes one license with the buyer, the seats and the end of the paid period', async () => {
    const id = await subscribe();
    const { sale, licenses } = await stateOf(id);
    expect(sale).toMatchObject({ kind: 'subscription', state: 'active', problem: null, shop_url: null });
    expect(sale.items).toEqual([
      { external_id: 'team', quantity: 2, offer_id: offers['team']?.offerId, policy_id: offers['team']?.policyId },
    ]);
    expect(licenses).toHaveLength(1);
    expect(licenses[0]).toMatchObject({
      policy_id: offers['team']?.policyId,
      status: 'active',
      max_activations: 4,
      expires_at: stored(day(30)),
      holder: { name: 'Ada Lovelace', email: 'ada@example.com', reference: 'customer-1' },
    });
    const records = (await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${licenses[0].id}`)).body.data;
    expect(records).toMatchObject([{ event: 'LICENSE.CREATED', actor_type: 'connection', actor_id: shop.id }]);
    const mails = (await suite.tenant.asOwner('GET', `/mails?license_id=${licenses[0].id}`)).body.data;
    expect(mails).toMatchObject([{ type: 'license.issued', recipient: 'ada@example.com' }]);
    const [event] = await shop.events();
    expect(event).toMatchObject({
      type: 'sale.completed',
      state: 'applied',
      attempts: 1,
      next_attempt_at: null,
      reason: null,
      sale_id: sale.id,
      effects: [{ effect: 'issued', license_id: licenses[0].id }],
    });
    const linked = await suite.tenant.asOwner('GET', `/licenses/${licenses[0].id}/sale`);
    expect(linked.body.data).toEqual({ connection_id: shop.id, provider: 'custom', sale });
  });

  test('a renewal, more seats and another plan change the same license', async () => {
    const id = await subscribe();
    const { licenses: before } = await stateOf(id);
    clock.advance(1000);
    await shop.tell('subscription.renewed', { id, paid_until: day(60) });
    clock.advance(1000);
    await shop.tell('subscription.changed', { id, items: [{ id: 'team', quantity: 3 }] });
    clock.advance(1000);
    await shop.tell('subscription.changed', { id, items: [{ id: 'business', quantity: 1 }] });
    const { licenses } = await stateOf(id);
    expect(licenses.map((license) => license.id)).toEqual(before.map((license) => license.id));
    expect(licenses[0]).toMatchObject({ policy_id: offers['business']?.policyId, max_activations: 5 });
    expect(await eventsOf(suite.tenant, licenses[0].id)).toEqual([
      'LICENSE.UPDATED',
      'LICENSE.UPDATED',
      'LICENSE.RENEWED',
      'LICENSE.CREATED',
    ]);
  });

  test('a message that was sent before what is known already changes nothing', async () => {
    const id = await subscribe();
    const earlier = new Date(Date.now() - dayMs).toISOString();
    await shop.tell('subscription.ended', { id, ends_at: earlier }, earlier);
    const { licenses, sale } = await stateOf(id);
    expect([sale.state, licenses[0].status]).toEqual(['active', 'active']);
  });

  test('a missing payment suspends the license after the days of the offer, and a payment reinstates it', async () => {
    const id = await subscribe({ paid_until: day(1) });
    clock.advance(dayMs);
    await shop.tell('subscription.changed', { id, state: 'past_due', past_due_since: day(0) });
    const late = (await stateOf(id)).licenses[0];
    expect([late.status, late.expires_at]).toEqual(['active', stored(day(7))]);
    clock.advance(7 * dayMs);
    await shop.work();
    const suspended = (await stateOf(id)).licenses[0];
    expect(suspended.status).toBe('suspended');
    await shop.tell('subscription.renewed', { id, paid_until: day(30) });
    const paid = (await stateOf(id)).licenses[0];
    expect([paid.id, paid.status, paid.expires_at]).toEqual([late.id, 'active', stored(day(30))]);
  });

  test('a subscription that ends keeps its license until the end of the paid period', async () => {
    const id = await subscribe({ paid_until: day(20) });
    await shop.tell('subscription.changed', { id, ends_at: day(20) });
    await shop.tell('subscription.ended', { id });
    const { licenses } = await stateOf(id);
    expect([licenses[0].status, licenses[0].expires_at]).toEqual(['active', stored(day(20))]);
    clock.advance(20 * dayMs);
    expect((await stateOf(id)).licenses[0].status).toBe('expired');
  });

  test('a full refund suspends a running subscription and revokes an ended one', async () => {
    const id = await subscribe();
    clock.advance(1000);
    await shop.tell('sale.refunded', { id });
    expect((await stateOf(id)).licenses[0].status).toBe('suspended');
    clock.advance(1000);
    await shop.tell('subscription.ended', { id, ends_at: day(0) });
    const { licenses } = await stateOf(id);
    expect([licenses.length, licenses[0].status]).toEqual([1, 'revoked']);
  });
});

describe('what was paid for last decides, with the minimal messages of the guide', () => {
  // Sold 35 days ago until the 40th day. A renewal pays until the 70th day.
  const start = () => Date.now() - 35 * dayMs;
  const on = (days: number) => new Date(start() + days * dayMs).toISOString();
  type Message = readonly [day: number, type: string, fields?: () => object];
  const renewal: Message = [30, 'subscription.renewed', () => ({ paid_until: on(70) })];
  const refundOf = (days: number) => () => ({ refund: { amount: 'full', payment_at: on(days) } });

  test.for<[name: string, messages: readonly Message[], status: string, endDay?: number]>([
    ['a payment after a refund makes the license usable again', [[10, 'sale.refunded'], renewal], 'active'],
    ['a payment after a dispute makes the license usable again', [[10, 'sale.disputed'], renewal], 'active'],
    ['a refund of the present period suspends', [renewal, [31, 'sale.refunded']], 'suspended'],
    ['a refund of an earlier period changes nothing', [renewal, [31, 'sale.refunded', refundOf(0)]], 'active'],
    [
      'a dispute about an earlier payment changes nothing',
      [renewal, [31, 'sale.disputed', () => ({ disputed_payment_at: on(0) })]],
      'active',
    ],
    [
      'of two refunds that of the present period counts',
      [renewal, [31, 'sale.refunded', refundOf(30)], [32, 'sale.refunded', refundOf(0)]],
      'suspended',
    ],
    [
      'a renewal moves an end that was planned before',
      [[10, 'subscription.changed', () => ({ ends_at: on(40) })], renewal],
      'active',
    ],
    [
      'a renewal takes back the end of a subscription',
      [[10, 'subscription.ended', () => ({ ends_at: on(10) })], renewal],
      'active',
    ],
    [
      'an end after the paid period stays planned',
      [[1, 'subscription.changed', () => ({ ends_at: on(365) })], renewal],
      'active',
      365,
    ],
    [
      'an end that is planned after the payment ends the license',
      [renewal, [31, 'subscription.changed', () => ({ ends_at: on(50) })]],
      'active',
      50,
    ],
  ])('%s, in any order of arrival', async ([, messages, status, endDay]) => {
    for (const order of [messages, messages.toReversed()]) {
      const id = `sub-${randomUUID()}`;
      const first = { id, buyer: ada, items: [{ id: 'team' }], paid_until: on(40) };
      await shop.tell('sale.completed', first, on(0));
      for (const [day, type, fields] of order) await shop.tell(type, { id, ...fields?.() }, on(day));
      const { sale, licenses } = await stateOf(id);
      expect(licenses.map((license) => license.status)).toEqual([status]);
      expect(licenses[0].expires_at).toBe(stored(on(Math.min(endDay ?? 70, 70))));
      expect([sale.paid_until, sale.ends_at]).toEqual([
        stored(on(70)),
        endDay === undefined ? null : stored(on(endDay)),
      ]);
      // One state, also where sales are looked for by their state.
      expect(sale.state).toBe(status === 'active' ? 'active' : 'refunded');
      expect(await shop.sales(`?state=${sale.state}&q=${id}`)).toHaveLength(1);
    }
  });
});

describe('a one-time sale', () => {
  const buy = async (fields: object) => {
    const id = `order-${randomUUID()}`;
    await shop.tell('sale.completed', { id, kind: 'one_time', buyer: ada, ...fields });
    return id;
  };

  test('each unit becomes a license of its own, and an ignored item none', async () => {
    const id = await buy({ items: [{ id: 'single', quantity: 3 }, { id: 'fee' }] });
    const { licenses } = await stateOf(id);
    expect(new Set(licenses.map((license) => license.key)).size).toBe(3);
    expect(licenses.map((license) => license.expires_at)).toEqual([null, null, null]);
  });

  test.for([
    ['a partial refund changes nothing', 'sale.refunded', { refund: { amount: 'partial' } }, 'active'],
    ['a full refund revokes', 'sale.refunded', {}, 'revoked'],
    ['an open dispute suspends', 'sale.disputed', {}, 'suspended'],
    ['a lost dispute revokes', 'sale.disputed', { dispute: 'lost' }, 'revoked'],
  ] as const)('%s', async ([, type, fields, status]) => {
    const id = await buy({ items: [{ id: 'single' }] });
    clock.advance(1000);
    await shop.tell(type, { id, ...fields });
    const { licenses, sale } = await stateOf(id);
    expect(licenses.map((license) => license.status)).toEqual([status]);
    expect(sale.state).toBe(status === 'active' ? 'active' : type === 'sale.refunded' ? 'refunded' : 'disputed');
  });

  test('a buyer without a usable address gets a license without a mail', async () => {
    const id = await buy({ items: [{ id: 'single' }], buyer: { email: 'no address' } });
    const { licenses } = await stateOf(id);
    expect(licenses[0].holder).toEqual({ name: null, email: null, reference: null });
  });

  test('an unpaid sale becomes a license when it is paid', async () => {
    const id = await buy({ items: [{ id: 'single' }], state: 'pending' });
    expect((await stateOf(id)).licenses).toEqual([]);
    expect((await shop.events())[0]).toMatchObject({ state: 'nothing', reason: 'The sale is not paid yet.' });
    clock.advance(1000);
    await shop.tell('sale.completed', { id });
    expect((await stateOf(id)).licenses).toHaveLength(1);
  });
});

describe('what a person changed', () => {
  test('a renewal leaves the seats, the order number and the revocation that a person chose', async () => {
    const [changed, revoked] = [await subscribe(), await subscribe()];
    const [{ licenses: one }, { licenses: other }] = [await stateOf(changed), await stateOf(revoked)];
    const mine = { max_activations: 99, order_number: `mine-${randomUUID()}` };
    await suite.tenant.asOwner('PUT', `/licenses/${one[0].id}`, mine);
    await suite.tenant.asOwner('POST', `/licenses/${other[0].id}/revoke`);
    clock.advance(1000);
    for (const id of [changed, revoked]) await shop.tell('subscription.renewed', { id, paid_until: day(90) });
    expect(await licenseOf(suite.tenant, one[0].id)).toMatchObject({ ...mine, expires_at: stored(day(90)) });
    expect((await stateOf(revoked)).licenses.map((license) => license.status)).toEqual(['revoked']);
  });

  test('a renewal does not take back the time that a person gave, and the end of the subscription does', async () => {
    const id = await subscribe();
    const { licenses } = await stateOf(id);
    clock.advance(1000);
    const given = day(200);
    await suite.tenant.asOwner('PUT', `/licenses/${licenses[0].id}`, { expires_at: given });
    await shop.tell('subscription.renewed', { id, paid_until: day(60) });
    expect((await licenseOf(suite.tenant, licenses[0].id)).expires_at).toBe(stored(given));
    clock.advance(1000);
    await shop.tell('subscription.ended', { id, ends_at: day(0) });
    expect((await licenseOf(suite.tenant, licenses[0].id)).status).toBe('expired');
  });

  test('a license that a person deleted is not issued again', async () => {
    const id = await subscribe();
    const { licenses } = await stateOf(id);
    await suite.tenant.asOwner('DELETE', `/licenses/${licenses[0].id}`);
    clock.advance(1000);
    await shop.tell('subscription.renewed', { id, paid_until: day(90) });
    const [sale] = await shop.sales(`?q=${id}`);
    expect(sale.license_ids).toEqual([licenses[0].id]);
  });

  test.for([
    ['suspended', 'POST', '/suspend'],
    ['revoked', 'POST', '/revoke'],
    ['deleted', 'DELETE', ''],
  ] as const)(
    'a payment for a license that was %s here is a problem until there is a license',
    async ([how, method, action]) => {
      const id = await subscribe();
      const { licenses } = await stateOf(id);
      const license = `/licenses/${licenses[0].id}`;
      await suite.tenant.asOwner(method, `${license}${action}`);
      clock.advance(1000);
      await shop.tell('subscription.changed', { id, items: [{ id: 'team', quantity: 3 }] });
      const problemOf = async () => (await shop.sales(`?q=${id}`))[0].problem;
      expect(await problemOf()).toBeNull();
      clock.advance(1000);
      await shop.tell('subscription.renewed', { id, paid_until: day(90) });
      const message = expect.stringMatching(new RegExp(`${how} here\\. .*reinstate.*, or stop the subscription`, 'i'));
      expect(await problemOf()).toEqual({ code: 'unusable', message });
      expect((await shop.events())[0]).toMatchObject({ state: 'failed', reason: message });
      const [sale] = await shop.sales(`?problem=unusable&q=${id}`);
      if (how === 'suspended') {
        await suite.tenant.asOwner('POST', `${license}/reinstate`);
        clock.advance(dayMs);
        await shop.work();
      } else {
        await suite.tenant.asOwner('POST', `/connections/${shop.id}/sales/${sale.id}/apply`);
      }
      expect(await problemOf()).toBeNull();
      const [{ license_ids }] = await shop.sales(`?q=${id}`);
      expect(license_ids).toHaveLength(how === 'suspended' ? 1 : 2);
      const usable = {
        status: 'active',
        max_activations: 6,
        expires_at: expect.stringContaining(sale.paid_until.slice(0, 10)),
      };
      expect(await licenseOf(suite.tenant, license_ids.at(-1))).toMatchObject(usable);
    },
  );
});

test('another buyer of the same sale becomes the holder of its licenses', async () => {
  const id = await subscribe();
  clock.advance(1000);
  await shop.tell('subscription.changed', {
    id,
    buyer: { id: 'customer-2', name: 'Grace', email: 'grace@example.com' },
  });
  const { licenses } = await stateOf(id);
  expect(licenses[0].holder).toEqual({ name: 'Grace', email: 'grace@example.com', reference: 'customer-2' });
  expect((await shop.events())[0].effects).toMatchObject([{ effect: 'holder_changed' }]);
});
