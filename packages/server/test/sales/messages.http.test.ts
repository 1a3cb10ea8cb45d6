import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTenant, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created, newPolicy } from '../support/licensing-catalog.ts';
import { type CustomShop, connectShop, licenseOf, offerItems, signed } from './custom-shop.ts';

const clock = useClock('2026-11-20T12:00:00.000Z');
const suite = useTenant();
let shop: CustomShop;

beforeAll(async () => {
  shop = await connectShop(suite.app, suite.tenant);
  await offerItems(shop, { pro: {} });
});

const order = (fields: object = {}) => {
  const sale = { id: `order-${randomUUID()}`, buyer: { email: 'ada@example.com' }, items: [{ id: 'pro' }], ...fields };
  return { type: 'sale.completed', at: new Date().toISOString(), sale };
};

const receive = (id: string, request: object) =>
  suite.app.request({ method: 'POST', url: `/webhooks/sales/${id}`, ...request });
const licensesOf = async (id: string) => (await shop.sales(`?q=${id}`))[0]?.license_ids ?? [];
const metric = async (result: string) => {
  const text = await suite.app.services.metrics.text();
  return Number(new RegExp(`sales_messages_total\\{result="${result}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
};

describe('the address of a connection', () => {
  test('a message without a signature is short, few are accepted a minute, and only the ids in it are stored', async () => {
    const unsigned = { provider: 'gumroad', name: 'Gumroad', api_key: 'gumroad-token' };
    const { id } = created(await suite.tenant.asOwner('POST', '/connections', unsigned));
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const ping = (rest: string) => receive(id, { headers, payload: `sale_id=s1&email=eve@example.com&${rest}` });
    expect((await ping('a&'.repeat(500_000))).body.error.code).toBe('REQUEST.TOO_LARGE');
    // Within the length, but with more fields than are parsed.
    expect((await ping('a&'.repeat(8_000))).body.error.code).toBe('SALES.SIGNATURE_INVALID');
    const statuses: number[] = [];
    for (let count = 0; count < 130; count += 1) statuses.push((await ping(`count=${count}`)).status);
    expect(Map.groupBy(statuses, (status) => status).get(429)).toHaveLength(10);
    expect((await ping('')).headers['retry-after']).toMatch(/^\d+$/);
    const { body } = await suite.tenant.asOwner('GET', `/connections/${id}/events?limit=1`);
    const shown = await suite.tenant.asOwner('GET', `/connections/${id}/events/${body.data[0].id}`);
    expect(shown.text).not.toContain('eve@example.com');
    clock.advance(60_000);
    expect((await ping('later')).status).toBe(200);
  });

  test('a sender of refused messages is refused for a minute, and other connections and the shop are not', async () => {
    const other = await connectShop(suite.app, await createTenant(suite.app, suite.admin));
    const forged = () => receive(other.id, { headers: { 'content-type': 'application/json' }, payload: '{}' });
    for (let count = 0; count < 60; count += 1) expect((await forged()).status).toBe(401);
    expect((await forged()).status).toBe(429);
    const elsewhere = { ...signed(other.secret, order()), remoteAddress: '192.0.2.7' };
    expect((await receive(other.id, elsewhere)).status).toBe(200);
    expect((await shop.send(order())).status).toBe(200);
    clock.advance(60_000);
    expect((await forged()).status).toBe(401);
  });

  test('an address in upper case is the same, and a day in a message is that day of the tenant', async () => {
    await suite.tenant.asOwner('PUT', '/settings', { timezone: 'America/Los_Angeles' });
    const message = order({ kind: 'subscription', paid_until: '2027-06-30', ends_at: '2027-06-30' });
    expect((await receive(shop.id.toUpperCase(), signed(shop.secret, message))).status).toBe(200);
    await shop.work();
    const [sale] = await shop.sales(`?q=${message.sale.id}`);
    const end = '2027-07-01T06:59:59.999999Z';
    expect(sale).toMatchObject({ paid_until: end, ends_at: end });
    expect(await licenseOf(suite.tenant, sale.license_ids[0])).toMatchObject({ expires_at: end });
    await suite.tenant.asOwner('PUT', '/settings', { timezone: 'UTC' });
  });

  test('a signed message is stored, is not cached, and is not repeated', async () => {
    const message = order();
    const first = await shop.send(message, { id: 'once' });
    expect([first.status, first.body.data, first.headers['cache-control']]).toEqual([
      200,
      { received: true },
      'no-store',
    ]);
    for (let count = 0; count < 3; count += 1) expect((await shop.send(message, { id: 'once' })).status).toBe(200);
    await shop.work();
    expect((await shop.events()).filter(({ external_id }) => external_id === 'once')).toHaveLength(1);
    expect(await licensesOf(message.sale.id)).toHaveLength(1);
  });

  test.for([
    ['without a signature', () => ({ headers: { 'content-type': 'application/json' }, payload: '{}' })],
    ['with a signature of another secret', () => signed(`whsec_${btoa('another secret')}`, order())],
    ['that is older than five minutes', () => signed(shop.secret, order(), { at: new Date(Date.now() - 301_000) })],
    ['from the future', () => signed(shop.secret, order(), { at: new Date(Date.now() + 301_000) })],
    [
      'whose body was changed',
      () => {
        const { headers, payload } = signed(shop.secret, order());
        return { headers, payload: payload.replace('ada@', 'eve@') };
      },
    ],
    [
      'whose id was changed, to deliver it again',
      () => {
        const { headers, payload } = signed(shop.secret, order());
        return { headers: { ...headers, 'webhook-id': 'other' }, payload };
      },
    ],
    [
      'in another encoding',
      () => {
        const { headers, payload } = signed(shop.secret, order());
        return { headers, payload: Buffer.from(payload, 'utf16le') };
      },
    ],
    ['without a body', () => ({ headers: signed(shop.secret, order()).headers })],
  ] as const)('a message %s is 401, counted and not stored', async ([, make]) => {
    const [before, refused] = [(await shop.events()).length, await metric('refused')];
    const answer = await receive(shop.id, make());
    expect([answer.status, answer.body.error.code]).toEqual([401, 'SALES.SIGNATURE_INVALID']);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect((await shop.events()).length).toBe(before);
    expect(await metric('refused')).toBe(refused + 1);
  });

  test('a message of more than 1 MiB is 413', async () => {
    const answer = await shop.send({ ...order(), padding: 'x'.repeat(1024 * 1024) });
    expect([answer.status, answer.body.error.code]).toEqual([413, 'REQUEST.TOO_LARGE']);
  });

  test.for(['00000000-0000-7000-8000-000000000000', 'unknown', '..%2f..%2fadmin', '%00', 'a'.repeat(200)])(
    'the unknown connection %s is 404, with a valid signature of another connection too',
    async (id) => {
      const answer = await receive(id, signed(shop.secret, order()));
      expect([answer.status, answer.body.error.code.split('.')[1]]).toEqual([404, 'NOT_FOUND']);
    },
  );

  test("a message that is signed for another tenant's connection is refused there", async () => {
    const other = await createTenant(suite.app, suite.admin);
    const foreign = await connectShop(suite.app, other);
    expect((await receive(foreign.id, signed(shop.secret, order()))).status).toBe(401);
    const answer = await suite.tenant.asOwner('GET', `/connections/${foreign.id}/events`);
    expect(answer.status).toBe(404);
  });

  test('a disabled connection is 404, and keeps what waited until it is active again', async () => {
    const other = await connectShop(suite.app, suite.tenant);
    await offerItems(other, { pro: {} });
    const message = order();
    expect((await other.send(message)).status).toBe(200);
    await suite.tenant.asOwner('PUT', `/connections/${other.id}`, { status: 'disabled' });
    await other.work();
    expect((await other.send(order())).status).toBe(404);
    expect((await other.events()).map(({ state }) => state)).toEqual(['pending']);
    await suite.tenant.asOwner('PUT', `/connections/${other.id}`, { status: 'active' });
    await other.work();
    expect((await other.events()).map(({ state }) => state)).toEqual(['applied']);
  });

  test('a message that the service cannot read fails alone, and those after it are applied', async () => {
    const [damaged, later] = [order(), order()];
    await shop.send(damaged, { id: 'damaged' });
    await suite.app.services.tenants.withTenantDb(suite.tenant.id, (db) =>
      db.query.updateTable('sale_messages').set({ sealed_body: '?' }).where('external_id', '=', 'damaged').execute(),
    );
    await shop.send(later);
    await shop.work();
    expect(await licensesOf(later.sale.id)).toHaveLength(1);
    const [failed] = (await shop.events('?state=failed')).filter(({ external_id }) => external_id === 'damaged');
    expect(failed).toMatchObject({ attempts: 1, reason: expect.stringContaining('could not apply') });
    expect(failed.next_attempt_at).not.toBeNull();
  });

  test('a connection that is deleted while messages wait issues nothing and is unknown', async () => {
    const other = await connectShop(suite.app, suite.tenant);
    await offerItems(other, { pro: {} });
    await other.send(order());
    expect((await suite.tenant.asOwner('DELETE', `/connections/${other.id}`)).status).toBe(200);
    await other.work();
    expect((await other.send(order())).status).toBe(404);
    expect((await suite.tenant.asOwner('GET', `/connections/${other.id}`)).status).toBe(404);
    const { body } = await suite.tenant.asOwner('GET', '/connections');
    expect(body.data.map(({ id }: { id: string }) => id)).not.toContain(other.id);
  });

  test('a connection without a secret refuses messages until it has one', async () => {
    const { id } = created(await suite.tenant.asOwner('POST', '/connections', { provider: 'custom', name: 'Shop' }));
    await suite.app.services.tenants.withTenantDb(suite.tenant.id, ({ query }) =>
      query.updateTable('connections').set({ sealed_secret: null }).where('id', '=', id).execute(),
    );
    expect((await receive(id, signed(`whsec_${btoa('guessed')}`, order()))).status).toBe(401);
    const secret = `whsec_${btoa('the secret of the shop')}`;
    await suite.tenant.asOwner('PUT', `/connections/${id}`, { signing_secret: secret });
    expect((await receive(id, signed(secret, order()))).status).toBe(200);
  });
});

test("a suspended tenant's messages are stored and applied when it is active again", async () => {
  const tenant = await createTenant(suite.app, suite.admin);
  const other = await connectShop(suite.app, tenant);
  await offerItems(other, { pro: {} });
  const status = (value: string) => suite.asAdmin('PATCH', `/tenants/${tenant.id}`, { status: value });
  expect((await status('suspended')).status).toBe(200);
  expect((await other.send(order())).status).toBe(200);
  await other.work();
  await status('active');
  expect((await other.events()).map(({ state }) => state)).toEqual(['pending']);
  clock.advance(61_000);
  await other.work();
  expect((await other.events()).map(({ state }) => state)).toEqual(['applied']);
});

test('200 copies of a message and 50 messages about one sale at the same time issue one license', async () => {
  const message = order();
  const copies = Array.from({ length: 200 }, () => shop.send(message, { id: 'copied' }));
  const others = Array.from({ length: 50 }, (_, index) => shop.send(message, { id: `other-${index}` }));
  const statuses = (await Promise.all([...copies, ...others])).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  await Promise.all([shop.work(), shop.work()]);
  expect(await licensesOf(message.sale.id)).toHaveLength(1);
});

describe('a message that cannot be applied', () => {
  const notifications = async (type: string) =>
    (await suite.tenant.asOwner('GET', '/notifications?limit=100')).body.data.filter(
      (one: { type: string; resource_id: string }) => one.type === type,
    );

  test('an item without an offer is a problem, and its offer issues the licenses that wait', async () => {
    const other = await connectShop(suite.app, suite.tenant);
    await offerItems(other, { pro: {} });
    const sale = { items: [{ id: 'pro' }, { id: 'extra', quantity: 2 }] };
    const ids = [];
    for (let count = 0; count < 3; count += 1) {
      const message = order(sale);
      ids.push(message.sale.id);
      expect((await other.send(message)).status).toBe(200);
    }
    await other.work();
    const events = await other.events();
    expect(events.map(({ state }) => state)).toEqual(Array(3).fill('failed'));
    expect(events[0].reason).toContain('extra');
    const waiting = await other.sales('?problem=unmapped');
    expect(waiting.map(({ problem, license_ids }) => [problem.code, license_ids])).toEqual(
      Array(3).fill(['unmapped', []]),
    );
    const connection = (await suite.tenant.asOwner('GET', `/connections/${other.id}`)).body.data;
    expect(connection.problems_count).toBe(3);
    const notices = async () =>
      (await notifications('sales.problem')).filter(
        ({ resource_id }: { resource_id: string }) => resource_id === other.id,
      );
    // Somebody may be adding the offer just now.
    expect(await notices()).toEqual([]);
    clock.set(new Date(Date.parse(events[0].next_attempt_at) + 1).toISOString());
    await other.work();
    expect(await notices()).toMatchObject([{ severity: 'warning', resource_type: 'connection' }]);
    expect((await other.events()).map(({ next_attempt_at }) => next_attempt_at)).toEqual(Array(3).fill(null));
    const policy = await newPolicy(suite.tenant);
    const offer = { external_id: 'extra', policy_id: policy.id };
    created(await suite.tenant.asOwner('POST', `/connections/${other.id}/offers`, offer));
    await other.work();
    const applied = await other.sales();
    expect(applied.map(({ problem, license_ids }) => [problem, license_ids.length])).toEqual(Array(3).fill([null, 2]));
    expect((await other.events()).map(({ state }) => state)).toEqual(Array(3).fill('applied'));
    expect((await suite.tenant.asOwner('GET', `/connections/${other.id}`)).body.data.problems_count).toBe(0);
  });

  test('a plan limit refuses a paid license, is critical, and one click after the upgrade issues it', async () => {
    const tenant = await createTenant(suite.app, suite.admin);
    const other = await connectShop(suite.app, tenant);
    await offerItems(other, { pro: {} });
    const limit = (licenses: number) => suite.asAdmin('PATCH', `/tenants/${tenant.id}`, { limits: { licenses } });
    await limit(1);
    for (let count = 0; count < 2; count += 1) await other.send(order());
    await other.work();
    const [refused] = await other.sales('?problem=limit_reached');
    expect(refused).toMatchObject({ license_ids: [], problem: { code: 'limit_reached' } });
    const { body } = await tenant.asOwner('GET', '/notifications');
    const [notice] = body.data.filter(({ type }: { type: string }) => type === 'sales.limit_reached');
    expect(notice).toMatchObject({ severity: 'critical', resource_id: other.id });
    const [event] = await other.events('?state=failed');
    expect(event.next_attempt_at).not.toBeNull();
    const apply = () => tenant.asOwner('POST', `/connections/${other.id}/sales/${refused.id}/apply`);
    expect([(await apply()).status, (await apply()).body.error.code]).toEqual([403, 'PLAN.LIMIT_REACHED']);
    await limit(5);
    const applied = await apply();
    expect([applied.status, applied.body.data.license_ids.length, applied.body.data.problem]).toEqual([200, 1, null]);
    expect((await apply()).body.data.license_ids).toEqual(applied.body.data.license_ids);
    await other.work();
    expect(await other.events('?state=failed')).toEqual([]);
  });

  test('a deleted policy refuses the license until the offer has another one', async () => {
    const policy = await newPolicy(suite.tenant);
    const offer = { external_id: 'gone', policy_id: policy.id };
    const { id } = created(await suite.tenant.asOwner('POST', `/connections/${shop.id}/offers`, offer));
    expect((await suite.tenant.asOwner('DELETE', `/policies/${policy.id}`)).status).toBe(200);
    const message = order({ items: [{ id: 'gone' }] });
    await shop.send(message, { id: 'gone' });
    await shop.work();
    const [sale] = await shop.sales(`?q=${message.sale.id}`);
    expect([sale.problem.code, sale.license_ids]).toEqual(['refused', []]);
    const { id: policy_id } = await newPolicy(suite.tenant);
    await suite.tenant.asOwner('PUT', `/connections/${shop.id}/offers/${id}`, { policy_id });
    const [event] = await shop.events('?state=failed');
    await suite.tenant.asOwner('POST', `/connections/${shop.id}/events/${event.id}/retry`);
    await shop.work();
    const [license] = await licensesOf(message.sale.id);
    expect((await licenseOf(suite.tenant, license)).policy_id).toBe(policy_id);
  });

  test('a failed message is tried again for a day, then the tenant is told', async () => {
    const policy = await newPolicy(suite.tenant);
    const other = await connectShop(suite.app, suite.tenant);
    const offer = { external_id: 'late', policy_id: policy.id };
    created(await suite.tenant.asOwner('POST', `/connections/${other.id}/offers`, offer));
    await suite.tenant.asOwner('DELETE', `/policies/${policy.id}`);
    await other.send(order({ items: [{ id: 'late' }] }));
    const isAbout = ({ resource_id }: { resource_id: string }) => resource_id === other.id;
    const times: (string | null)[] = [];
    const startedMs = Date.now();
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      await other.work();
      const [event] = await other.events();
      times.push(event.next_attempt_at);
      if (event.next_attempt_at === null) break;
      expect((await notifications('sales.problem')).filter(isAbout)).toEqual([]);
      clock.set(new Date(Date.parse(event.next_attempt_at) + 1).toISOString());
    }
    expect([times.length, times.at(-1)]).toEqual([7, null]);
    expect(Date.now() - startedMs).toBeGreaterThan(23 * 3_600_000);
    expect(Date.now() - startedMs).toBeLessThan(25 * 3_600_000);
    expect((await notifications('sales.problem')).filter(isAbout)).toHaveLength(1);
  });

  test.for([
    ['is not JSON', 'hello'],
    ['has more than 32 levels', `{"extra":${'['.repeat(32)}${']'.repeat(32)}}`, /nested too deeply/],
    ['has an unknown type', JSON.stringify({ ...order(), type: 'sale.won' })],
    ['has no time', JSON.stringify({ type: 'sale.completed', sale: { id: 'a' } })],
    ['has an unknown field', JSON.stringify({ ...order(), extra: 1 })],
    ['has a control character in an id', JSON.stringify({ ...order(), sale: { id: 'a\u0000b' } })],
    ['has an id of 201 characters', JSON.stringify({ ...order(), sale: { id: 'a'.repeat(201) } })],
  ] as const)(
    'a signed message that %s fails with a reason and is not tried again',
    async ([, payload, reason = /\w+ .*\.$/]) => {
      expect((await receive(shop.id, signed(shop.secret, payload))).status).toBe(200);
      await shop.work();
      const [event] = await shop.events();
      expect([event.state, event.next_attempt_at, event.sale_id]).toEqual(['failed', null, null]);
      expect(event.reason).toMatch(reason);
    },
  );

  test.for([
    ['one line', [{ id: 'single', quantity: 1001 }]],
    ['many lines', Array.from({ length: 20 }, () => ({ id: 'single', quantity: 51 }))],
  ])('more than 1,000 licenses of one sale are a problem instead of an hour of work: %s', async ([, items]) => {
    const other = await connectShop(suite.app, suite.tenant);
    await offerItems(other, { single: { quantity: 'licenses' } });
    await other.send(order({ items }));
    await other.work();
    expect((await other.sales())[0]).toMatchObject({ problem: { code: 'too_many' }, license_ids: [] });
  });
});

test('ids with path characters and foreign scripts keep their sales apart', async () => {
  const ids = ['../a', 'a/b?c=d#e', "a'; drop table sales; --", '注文', 'A', 'a'].map((id) => `${id}-${randomUUID()}`);
  for (const id of ids) await shop.send(order({ id }));
  await shop.work();
  const sales = await shop.sales('?limit=100');
  for (const id of ids)
    expect(sales.filter(({ external_id }) => external_id === id)).toMatchObject([{ problem: null }]);
});

test('a test sale goes through the real path: message, license, mail', async () => {
  const path = `/connections/${shop.id}/test-sale`;
  const { event_id, sale_external_id } = created(
    await suite.tenant.asOwner('POST', path, { email: 'test@example.com' }),
  );
  await shop.work();
  const { data } = (await suite.tenant.asOwner('GET', `/connections/${shop.id}/events/${event_id}`)).body;
  expect(data).toMatchObject({ state: 'applied', effects: [{ effect: 'issued' }] });
  const [license] = await licensesOf(sale_external_id);
  const mails = (await suite.tenant.asOwner('GET', `/mails?license_id=${license}`)).body.data;
  expect(mails).toMatchObject([{ type: 'license.issued', recipient: 'test@example.com' }]);
});
