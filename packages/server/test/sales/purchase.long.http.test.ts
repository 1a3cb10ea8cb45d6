import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { askPortal, openPortal } from '../holders/portal-data.ts';
import { newDraft, newRelease } from '../releases/release-data.ts';
import { createAdmin, createTenant, freshAddress, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { badFields, newProduct } from '../support/licensing-catalog.ts';
import { statementsIn } from '../support/statements.ts';
import { type CustomShop, connectShop, offerItems } from './custom-shop.ts';

const clock = useClock('2026-11-20T12:00:00.000Z');
const suite = useTenant();
const minuteMs = 60_000;
let shop: CustomShop;
let handle: string;

beforeAll(async () => {
  shop = await connectShop(suite.app, suite.tenant);
  await offerItems(shop, { pro: { quantity: 'licenses' }, fee: { quantity: 'ignore' } }, { name: 'Pro' });
  handle = await openPortal(suite.tenant);
});

const waiting = { state: 'waiting', licenses: [], licenses_count: 0, has_downloads: false, email_hint: null };

/** Buys `pro` and returns the id of the checkout. */
async function buy(fields: object = {}): Promise<string> {
  const checkout_id = randomUUID();
  const buyer = { id: 'customer-1', name: 'Ada Lovelace', email: 'ada@example.com' };
  const sale = { id: `order-${checkout_id}`, checkout_id, buyer, items: [{ id: 'pro', quantity: 1 }], ...fields };
  await shop.tell('sale.completed', sale);
  return checkout_id;
}

const ask = (id: string, { connection = shop.id, portal = handle } = {}) =>
  askPortal(suite.app, portal, 'GET', `/purchase?connection=${connection}&id=${encodeURIComponent(id)}`);

/** Returns the data of a purchase. */
const purchaseOf = async (id: string) => (await ask(id)).body.data;

async function keysOf(checkoutId: string): Promise<string[]> {
  const [sale] = await shop.sales(`?q=order-${checkoutId}`);
  const keys: string[] = [];
  for (const id of sale.license_ids) keys.push((await suite.tenant.asOwner('GET', `/licenses/${id}`)).body.data.key);
  return keys;
}

test('a buyer without a login reads the key of the purchase and who gets the mail, and no cache keeps it', async () => {
  const id = await buy();
  const [key = ''] = await keysOf(id);
  const answer = await ask(id);
  expect(answer.status).toBe(200);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.body.data).toEqual({
    state: 'ready',
    licenses: [{ product_name: expect.any(String), policy_name: 'Pro', key, key_hint: `…${key.slice(-4)}` }],
    licenses_count: 1,
    has_downloads: false,
    email_hint: 'a…@example.com',
  });
});

test('a purchase says whether there is something to download: a published release of its product', async () => {
  const id = await buy();
  const [sale] = await shop.sales(`?q=order-${id}`);
  const { product_id } = (await suite.tenant.asOwner('GET', `/licenses/${sale.license_ids[0]}`)).body.data;
  await newDraft(suite.tenant, product_id, '2.0.0');
  await newRelease(suite.tenant, (await newProduct(suite.tenant)).id, '1.0.0');
  expect((await purchaseOf(id)).has_downloads).toBe(false);
  const { id: releaseId } = await newRelease(suite.tenant, product_id, '1.0.0');
  expect((await purchaseOf(id)).has_downloads).toBe(true);
  await suite.tenant.asOwner('POST', `/products/${product_id}/releases/${releaseId}/yank`, {
    reason: 'It loses files.',
  });
  expect((await purchaseOf(id)).has_downloads).toBe(false);
});

test('an hour after the checkout the page shows masked keys and no address, also if the message comes late or again', async () => {
  const id = await buy();
  const late = await buy({ started_at: new Date(Date.now() - 61 * minuteMs).toISOString() });
  const ahead = await buy({ started_at: new Date(Date.now() + 24 * 60 * minuteMs).toISOString() });
  expect((await purchaseOf(late)).licenses[0]).toMatchObject({ key: null, key_hint: expect.stringMatching(/^…/) });
  expect((await purchaseOf(ahead)).licenses[0].key).not.toBeNull();
  clock.advance(59 * minuteMs);
  expect((await purchaseOf(id)).licenses[0].key).not.toBeNull();
  clock.advance(2 * minuteMs);
  const sale = { id: `order-${id}`, checkout_id: id };
  await shop.tell('subscription.changed', sale);
  for (const old of [id, ahead]) {
    const purchase = await purchaseOf(old);
    expect(purchase).toMatchObject({ state: 'ready', licenses_count: 1, email_hint: null });
    expect(purchase.licenses[0].key).toBeNull();
  }
});

test('every license of a purchase is listed, a revoked one without its key, and a hundred at most', async () => {
  const id = await buy({ items: [{ id: 'pro', quantity: 2 }] });
  expect((await purchaseOf(id)).licenses.map(({ key }: { key: string }) => key)).toEqual(await keysOf(id));
  await shop.tell('sale.refunded', { id: `order-${id}` });
  expect((await purchaseOf(id)).licenses.map(({ key }: { key: null }) => key)).toEqual([null, null]);
  const many = await purchaseOf(await buy({ items: [{ id: 'pro', quantity: 101 }] }));
  expect([many.licenses.length, many.licenses_count]).toEqual([100, 101]);
});

test('a purchase is waiting until it is paid, and a problem while an item has no offer or its license was deleted', async () => {
  const pending = await buy({ state: 'pending' });
  expect(await purchaseOf(pending)).toEqual(waiting);
  await shop.tell('subscription.changed', { id: `order-${pending}`, state: 'active' });
  expect((await purchaseOf(pending)).state).toBe('ready');
  const unmapped = await buy({ items: [{ id: 'unknown', quantity: 1 }] });
  expect(await purchaseOf(unmapped)).toEqual({ ...waiting, state: 'problem' });
  const [sale] = await shop.sales(`?q=order-${pending}`);
  await suite.tenant.asOwner('DELETE', `/licenses/${sale.license_ids[0]}`);
  expect(await purchaseOf(pending)).toEqual({ ...waiting, state: 'problem' });
});

test('an address that gets no mail is not hinted at', async () => {
  const nobody = await buy({ buyer: { id: 'customer-2', name: 'Nobody', email: null } });
  expect((await purchaseOf(nobody)).email_hint).toBeNull();
  const switchMail = (is_on: boolean | null) =>
    suite.tenant.asOwner('PUT', '/mail-settings', { switches: [{ type: 'license.issued', is_on }] });
  expect((await switchMail(false)).status).toBe(200);
  const silent = await buy();
  expect((await purchaseOf(silent)).email_hint).toBeNull();
  await switchMail(null);
});

test('an unknown checkout and connection get the answer of a payment that was not reported, with the same statements', async () => {
  const known = await buy({ state: 'pending' });
  const other = await createTenant(suite.app, await createAdmin(suite.app), 'Other');
  const foreign = await connectShop(suite.app, other);
  const query = await suite.app.services.tenants.withTenantDb(suite.tenant.id, async (db) => db.query);
  const observe = async (id: string, connection = shop.id) => {
    let answer: { readonly status: number; readonly data: unknown } | undefined;
    const statements = await statementsIn(query, async () => {
      const { status, body } = await ask(id, { connection });
      answer = { status, data: body.data };
    });
    return { ...answer, statements };
  };
  const expected = await observe(known);
  expect(expected).toMatchObject({ status: 200, data: waiting });
  // The statement that reads the sale names the table of releases first.
  expect(expected.statements).toContain('select releases');
  expect(await observe(randomUUID())).toEqual(expected);
  expect(await observe("'; drop table sales; --/../\u{1f600}")).toEqual(expected);
  const paid = await buy();
  expect(await observe(paid, randomUUID())).toEqual(expected);
  expect(await observe(paid, foreign.id)).toEqual(expected);
  // The portal of another tenant does not find this tenant's sale.
  const answer = await ask(paid, { portal: await openPortal(other) });
  expect(answer.body.data).toEqual(waiting);
});

test.for([
  ['', ['connection', 'id']],
  ['?connection=1&id=a', ['connection']],
  [`?connection=${randomUUID()}&id=`, ['id']],
  [`?connection=${randomUUID()}&id=${'a'.repeat(201)}`, ['id']],
] as const)('the query %j is refused, and the response names %j', async ([query, fields]) => {
  const answer = await askPortal(suite.app, handle, 'GET', `/purchase${query}`);
  expect([answer.status, badFields(answer)]).toEqual([422, [...fields]]);
});

test('the page is not found while the portal is switched off', async () => {
  const id = await buy();
  await suite.tenant.asOwner('PUT', '/portal', { is_enabled: false });
  expect(await ask(id)).toMatchObject({ status: 404, body: { error: { code: 'PORTAL.NOT_FOUND' } } });
  await suite.tenant.asOwner('PUT', '/portal', { is_enabled: true });
  expect((await ask(id)).status).toBe(200);
});

test('a client address asks 60 times a minute, and is then told how long to wait', async () => {
  const remoteAddress = freshAddress();
  const url = `/api/v1/portal/${handle}/purchase?connection=${shop.id}&id=${randomUUID()}`;
  for (let attempt = 0; attempt < 60; attempt += 1) {
    expect((await suite.app.request({ method: 'GET', url, remoteAddress })).status).toBe(200);
  }
  const refused = await suite.app.request({ method: 'GET', url, remoteAddress });
  expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMIT.EXCEEDED']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await suite.app.request({ method: 'GET', url, remoteAddress: freshAddress() })).status).toBe(200);
});
