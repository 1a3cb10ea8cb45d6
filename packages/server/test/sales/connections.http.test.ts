import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { scheduleJob } from '../jobs/job-rows.ts';
import { bothSurfaces, createTenant, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { badFields, created, eventsOf, newPolicy } from '../support/licensing-catalog.ts';
import { connectShop, offerItems, signed } from './custom-shop.ts';
import { imitateStripe } from './imitated-stripe.ts';

const clock = useClock('2026-11-20T12:00:00.000Z');
const suite = useTenant();
const dayMs = 86_400_000;

describe('reading messages', () => {
  test('owners and admins read the body, viewers do not', async () => {
    const shop = await connectShop(suite.app, suite.tenant);
    const sale = { id: 'order-1', buyer: { email: 'ada@example.com' }, items: [{ id: 'pro' }] };
    const message = { type: 'sale.completed', at: new Date().toISOString(), sale };
    await shop.send(message, { id: 'read' });
    const [event] = await shop.events();
    const path = `/connections/${shop.id}/events/${event.id}`;
    const owner = await suite.tenant.asOwner('GET', path);
    expect(JSON.parse(owner.body.data.body)).toEqual(message);
    const token = created(await suite.tenant.asOwner('POST', '/access-tokens', { name: 'Reader', role: 'viewer' }));
    const viewer = await suite.app.request({
      method: 'GET',
      url: `/api/v1/tenant${path}`,
      headers: { authorization: `Bearer ${token.token}` },
    });
    expect([viewer.status, viewer.body.data.body]).toEqual([200, null]);
  });

  test('the stored bodies are encrypted', async () => {
    const rows = await suite.app.services.tenants.withTenantDb(suite.tenant.id, ({ query }) =>
      query.selectFrom('sale_messages').select('sealed_body').execute(),
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { sealed_body } of rows) {
      expect(Buffer.from(sealed_body, 'base64url').toString('latin1')).not.toContain('ada@example.com');
    }
  });
});

describe.each(bothSurfaces(suite))('connections through the $surface surface', ({ prefix, auth, suffix }) => {
  const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) =>
    suite.app.request({ method, url: prefix() + path, headers: auth(), ...(payload && { payload }) });
  const connect = async (fields: object = {}) =>
    created(await send('POST', '/connections', { provider: 'custom', name: 'Shop', ...fields }));

  test('a connection is created, read, listed, changed and deleted, and its secrets are returned never or once', async () => {
    const made = await send('POST', '/connections', { provider: 'custom', name: 'Shop' });
    const { signing_secret, ...connection } = created(made);
    expect(signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made.headers['cache-control']).toBe('no-store');
    expect(connection).toMatchObject({
      provider: 'custom',
      name: 'Shop',
      status: 'active',
      webhook_url: `${suite.app.config.publicUrl}/webhooks/sales/${connection.id}`,
      has_signing_secret: true,
      has_api_key: false,
      compares_itself: false,
      last_event_at: null,
      problems_count: 0,
    });
    const path = `/connections/${connection.id}`;
    expect((await send('GET', path)).body.data).toEqual(connection);
    expect((await send('GET', '/connections')).body.data).toContainEqual(connection);
    const secret = `whsec_${btoa(randomUUID())}`;
    const changed = await send('PUT', path, { name: 'Other', signing_secret: secret });
    expect(changed.body.data).toMatchObject({ name: 'Other', has_signing_secret: true });
    for (const answer of [changed, await send('GET', path)]) {
      expect(answer.text).not.toContain(secret);
      expect(answer.text).not.toContain(signing_secret);
    }
    const records = (await send('GET', `/audit-logs?resource_id=${connection.id}`)).text;
    for (const text of [secret, signing_secret]) expect(records).not.toContain(text);
    const url = `/webhooks/sales/${connection.id}`;
    const message = { type: 'sale.completed', at: new Date().toISOString(), sale: { id: randomUUID(), items: [] } };
    const former = await suite.app.request({ method: 'POST', url, ...signed(signing_secret, message) });
    const present = await suite.app.request({ method: 'POST', url, ...signed(secret, message) });
    expect([former.status, present.status]).toEqual([401, 200]);
    expect((await send('GET', path)).body.data.last_event_at).not.toBeNull();
    expect((await send('DELETE', path)).status).toBe(200);
    expect((await send('GET', path)).status).toBe(404);
    expect(await eventsOf(suite.tenant, connection.id)).toEqual([
      `CONNECTION.DELETED${suffix}`,
      `CONNECTION.UPDATED${suffix}`,
      `CONNECTION.CREATED${suffix}`,
    ]);
  });

  test.for([
    [{ provider: 'gumroad' }, ['api_key']],
    [{ api_key: 'of no use' }, ['api_key', 'api_key']],
    [{ compares_itself: true }, ['compares_itself']],
    [{ signing_secret: 'short' }, ['signing_secret']],
    [{ signing_secret: 'with white space' }, ['signing_secret']],
  ] as const)('a creation with %j is refused with the names of the fields', async ([fields, names]) => {
    const answer = await send('POST', '/connections', { provider: 'custom', name: 'Shop', ...fields });
    expect(answer.status).toBe(422);
    expect(new Set(badFields(answer))).toEqual(new Set(names));
  });

  test('a repeated creation with one idempotency key makes one connection, and repeats no secret', async () => {
    for (const provider of ['custom', 'stripe']) {
      const headers = { ...auth(), 'idempotency-key': randomUUID() };
      const create = () =>
        suite.app.request({
          method: 'POST',
          url: `${prefix()}/connections`,
          headers,
          payload: { provider, name: 'Once' },
        });
      const [first, second] = [await create(), await create()];
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.body.data).toEqual({ ...first.body.data, signing_secret: null });
    }
  });

  test('an offer is created, listed, changed and deleted', async () => {
    const { id } = await connect();
    const policy = await newPolicy(suite.tenant);
    const path = `/connections/${id}/offers`;
    const offer = created(await send('POST', path, { external_id: 'pro', policy_id: policy.id }));
    expect(offer).toMatchObject({
      external_id: 'pro',
      name: 'pro',
      quantity: 'policy',
      seats_per_unit: 1,
      on_refund: 'revoke',
      on_payment_failure: 'nothing',
      suspend_after_days: null,
    });
    const twice = await send('POST', path, { external_id: 'pro', policy_id: policy.id });
    expect([twice.status, twice.body.error.code]).toEqual([409, 'SALES.OFFER_TAKEN']);
    const terms = { on_payment_failure: 'suspend_after_days', suspend_after_days: 14, on_refund: 'suspend' };
    const changed = await send('PUT', `${path}/${offer.id}`, terms);
    expect(changed.body.data).toMatchObject(terms);
    expect((await send('GET', path)).body.data).toEqual([changed.body.data]);
    const back = await send('PUT', `${path}/${offer.id}`, { on_payment_failure: 'nothing', seats_per_unit: 2 });
    expect(back.body.data).toMatchObject({ suspend_after_days: null, quantity: 'seats' });
    expect((await send('DELETE', `${path}/${offer.id}`)).status).toBe(200);
    expect((await send('DELETE', `${path}/${offer.id}`)).status).toBe(404);
    expect((await send('GET', path)).body.data).toEqual([]);
  });

  test.for([
    [{ policy_id: randomUUID() }, ['policy_id']],
    [{ on_payment_failure: 'suspend_after_days' }, ['suspend_after_days']],
    [{ on_payment_failure: 'nothing', suspend_after_days: 3 }, ['suspend_after_days']],
  ] as const)('an offer with %j is refused with the names of the fields', async ([fields, names]) => {
    const { id } = await connect();
    const policy = await newPolicy(suite.tenant);
    const body = { external_id: 'pro', policy_id: policy.id, ...fields };
    const answer = await send('POST', `/connections/${id}/offers`, body);
    expect([answer.status, badFields(answer)]).toEqual([422, names]);
  });

  test('what the shop sells needs a key of its API', async () => {
    const { id } = await connect();
    const answer = await send('GET', `/connections/${id}/catalog`);
    expect([answer.status, answer.body.error.code]).toEqual([422, 'SALES.NO_API']);
  });

  test('what the shop sells is offered with its prices, in whatever currencies it sells', async () => {
    const { fetch, prices } = imitateStripe();
    Object.assign(suite.app.services, { shopFetch: fetch });
    prices.push({ id: 'price_eur', name: 'Pro', amount: 4900, currency: 'eur', interval: 'year' });
    prices.push({ id: 'price_jpy', name: 'Pro', amount: 980, currency: 'jpy', interval: 'month' });
    prices.push({ id: 'price_kwd', name: 'Team', amount: 12_345, currency: 'kwd' });
    const fields = { provider: 'stripe', name: 'Shop', api_key: 'rk_test_1' };
    const { id } = created(await send('POST', '/connections', fields));
    const { status, body } = await send('GET', `/connections/${id}/catalog`);
    expect([status, body.data.items]).toEqual([
      200,
      [
        { external_id: 'price_eur', name: 'Pro', price: 'EUR 49.00 per year' },
        { external_id: 'price_jpy', name: 'Pro', price: 'JPY 980 per month' },
        { external_id: 'price_kwd', name: 'Team', price: 'KWD 12.345' },
      ],
    ]);
  });
});

test('a tenant has at most 100 connections', async () => {
  const tenant = await createTenant(suite.app, suite.admin);
  const connect = () => tenant.asOwner('POST', '/connections', { provider: 'custom', name: 'Shop' });
  for (let count = 0; count < 100; count += 1) created(await connect());
  const refused = await connect();
  expect([refused.status, refused.body.error.code]).toEqual([403, 'PLAN.LIMIT_REACHED']);
});

describe('the personal data of a buyer', () => {
  test('an erased buyer is in no sale, no message and no search, and its subscription continues', async () => {
    const shop = await connectShop(suite.app, suite.tenant);
    await offerItems(shop, { pro: {} });
    const email = `erased-${randomUUID()}@example.com`;
    const buyer = { id: 'customer-erased', name: 'Erased Person', email };
    const id = `sub-${randomUUID()}`;
    const until = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
    await shop.tell('sale.completed', { id, buyer, items: [{ id: 'pro' }], paid_until: until(30) });
    // Without an offer there is no license, and the address is known all the same.
    const waiting = `order-${randomUUID()}`;
    await shop.tell('sale.completed', { id: waiting, buyer, items: [{ id: 'unknown' }] });
    const exported = (await suite.tenant.asOwner('GET', `/customers/${email}/export`)).body.data;
    expect(exported.purchases.map((one: { external_id: string }) => one.external_id).sort()).toEqual(
      [waiting, id].sort(),
    );
    expect(exported.purchases[0].buyer).toEqual({ reference: buyer.id, name: buyer.name, email });
    // A message that cannot be read belongs to no sale, and names the address all the same.
    expect((await shop.send({ type: 'sale.completed', sale: { id: 7, buyer } })).status).toBe(200);
    await shop.work();
    expect((await suite.tenant.asOwner('DELETE', `/customers/${email}`)).status).toBe(200);
    const texts = [];
    for (const path of ['sales', 'sales?q=erased', 'events']) {
      texts.push((await suite.tenant.asOwner('GET', `/connections/${shop.id}/${path}`)).text);
    }
    for (const { id: event } of await shop.events()) {
      texts.push((await suite.tenant.asOwner('GET', `/connections/${shop.id}/events/${event}`)).text);
    }
    for (const text of texts) for (const secret of [email, buyer.name, buyer.id]) expect(text).not.toContain(secret);
    const rows = await suite.app.services.tenants.withTenantDb(suite.tenant.id, async ({ query }) => [
      ...(await query.selectFrom('sales').selectAll().where('connection_id', '=', shop.id).execute()),
      ...(await query.selectFrom('sale_licenses').selectAll().execute()),
      ...(await query.selectFrom('search_terms').selectAll().execute()),
    ]);
    expect(JSON.stringify(rows)).not.toContain('erased');
    clock.advance(1000);
    await shop.tell('subscription.renewed', { id, paid_until: until(60) });
    const [sale] = await shop.sales(`?q=${id}`);
    const { data: license } = (await suite.tenant.asOwner('GET', `/licenses/${sale.license_ids[0]}`)).body;
    expect(license.holder).toEqual({ name: null, email: null, reference: null });
    expect(license.expires_at).toBe(sale.paid_until);
  });

  test('messages are removed after the days of the settings, and a deleted connection with all of its sales', async () => {
    const tenant = await createTenant(suite.app, suite.admin);
    const [kept, deleted] = [await connectShop(suite.app, tenant), await connectShop(suite.app, tenant)];
    for (const shop of [kept, deleted]) {
      await offerItems(shop, { pro: {} });
      const buyer = { email: 'ada@example.com' };
      await shop.tell('sale.completed', { id: `order-${randomUUID()}`, buyer, items: [{ id: 'pro' }] });
    }
    await tenant.asOwner('DELETE', `/connections/${deleted.id}`);
    const count = (table: 'licenses' | 'connections' | 'offers' | 'sales' | 'sale_messages' | 'sale_licenses') =>
      suite.app.services.tenants.withTenantDb(tenant.id, async ({ query }) => {
        return (await query.selectFrom(table).selectAll().execute()).length;
      });
    const counts = async () => [
      await count('connections'),
      await count('offers'),
      await count('sales'),
      await count('sale_licenses'),
      await count('sale_messages'),
    ];
    const retain = async () => {
      await scheduleJob(suite.app, tenant.id, 'retention');
      await kept.work();
    };
    clock.advance(89 * dayMs);
    await retain();
    expect(await counts()).toEqual([2, 2, 2, 2, 2]);
    clock.advance(2 * dayMs);
    await retain();
    expect(await counts()).toEqual([1, 1, 1, 1, 0]);
    expect(await count('licenses')).toBe(2);
  });
});
