import { beforeAll, describe, expect, test } from 'vitest';
import type { TestTenant } from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';
import { badFields, created, newLicense, newPolicy } from '../support/licensing-catalog.ts';
import { webhookFixtures } from '../support/webhook-fixtures.ts';
import { deliver, loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';

const suite = useApp(loopbackWebhooks);
const receiver = useReceiver();
const { freshTenant, newEndpoint, deliveriesOf } = webhookFixtures(suite, receiver);
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await freshTenant();
});

const authorization = { name: 'Authorization', value: 'Bearer gateway-51c8' };
const trace = { name: 'X-Trace', value: 'a, b' };
const update = (id: string, fields: object) => tenant.asOwner('PUT', `/webhooks/${id}`, fields);

/** Reads the columns of an endpoint that are sealed. */
function sealedOf(id: string) {
  return suite.app.services.tenants.withTenantDb(tenant.id, ({ query }) =>
    query.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  );
}

/** Sends a test event and returns the headers that arrived, and the text of the delivery. */
async function sendTest({ id, path }: { readonly id: string; readonly path: string }) {
  const tested = await tenant.asOwner('POST', `/webhooks/${id}/test`);
  await deliver(suite.app, tenant);
  const delivery = `/webhook-deliveries/${tested.body.data.id}`;
  return { delivery, sent: receiver.at(path).at(-1)?.headers, text: (await tenant.asOwner('GET', delivery)).text };
}

describe('own headers', () => {
  test('they are sent with every attempt, and neither returned, recorded, audited nor stored as text', async () => {
    suite.app.secrets.note(authorization.value);
    const endpoint = await newEndpoint(tenant, { headers: [authorization, trace] });
    receiver.answer(endpoint.path, ({ headers }) => ({ status: 500, body: JSON.stringify(headers) }));
    const { delivery, sent, text } = await sendTest(endpoint);
    expect(sent).toMatchObject({ authorization: authorization.value, 'x-trace': trace.value });
    expect(sent).toMatchObject({ 'content-type': 'application/json', 'webhook-id': expect.any(String) });
    // The receiver has echoed the headers.
    expect(text).toContain('[removed]');
    await tenant.asOwner('POST', `${delivery}/resend`);
    await deliver(suite.app, tenant);
    const requests = receiver.at(endpoint.path);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill(authorization.value));
    const reads = [`/webhooks/${endpoint.id}?include=details`, '/webhooks', `/audit-logs?resource_id=${endpoint.id}`];
    const texts = await Promise.all([...reads, delivery].map(async (path) => (await tenant.asOwner('GET', path)).text));
    for (const read of texts) expect(read).not.toContain('gateway-51c8');
    expect(JSON.parse(texts[0] ?? '').data.headers).toEqual([{ name: 'Authorization' }, { name: 'X-Trace' }]);
    expect(JSON.stringify(await sealedOf(endpoint.id))).not.toContain('gateway-51c8');
  });

  test('a change replaces all headers, and a header without a value keeps its own', async () => {
    const endpoint = await newEndpoint(tenant, { headers: [authorization, trace] });
    const headers = [{ name: 'authorization' }, { name: 'X-New', value: 'new' }];
    const changed = await update(endpoint.id, { headers });
    expect(changed.body.data.headers).toEqual([{ name: 'authorization' }, { name: 'X-New' }]);
    await update(endpoint.id, { description: 'CRM' });
    const { sent } = await sendTest(endpoint);
    expect(sent).toMatchObject({ authorization: authorization.value, 'x-new': 'new' });
    expect(sent).not.toHaveProperty('x-trace');
    await update(endpoint.id, { headers: [{ name: 'X-New', value: 'newer' }] });
    const { body } = await tenant.asOwner('GET', `/audit-logs?resource_id=${endpoint.id}&event=WEBHOOK.UPDATED`);
    expect(body.data.map((record: { changes: object[] }) => record.changes.at(-1))).toEqual([
      { field: 'header_values', old: null, new: null },
      { field: 'description', old: null, new: 'CRM' },
      { field: 'header_values', old: null, new: null },
    ]);
    expect((await update(endpoint.id, { headers: [] })).body.data.headers).toEqual([]);
    await tenant.asOwner('DELETE', `/webhooks/${endpoint.id}`);
    expect(await sealedOf(endpoint.id)).toMatchObject({ sealed_secrets: '', sealed_headers: '' });
  });

  test('the values are entered again when the URL names another server, so that nobody can have them sent there', async () => {
    const { id, path } = await newEndpoint(tenant, { headers: [authorization] });
    const url = 'https://evil.example.com/';
    for (const fields of [{ url }, { url, headers: [{ name: 'Authorization' }] }])
      expect(badFields(await update(id, fields))).toEqual(['headers.0.value']);
    expect((await update(id, { url: receiver.url(`${path}/other`) })).status).toBe(200);
    expect((await update(id, { url, headers: [authorization] })).status).toBe(200);
    expect((await update(id, { url: receiver.url(path), headers: [] })).status).toBe(200);
  });

  const names = ['Host', 'CONTENT-LENGTH', 'transfer-encoding', 'Connection', 'TE', 'Trailer', 'Upgrade', 'Keep-Alive'];
  names.push('Proxy-Authorization', 'Content-Type', 'content-encoding', 'User-Agent', 'webhook-signature', 'Expect');
  names.push('', 'a b', 'a:', 'a\r\nb', 'ü', 'a'.repeat(65));
  const values = ['', ' a', 'a ', 'a\r\nb: c', 'a\u0000', 'a\tb', 'ü', 'a'.repeat(1001)];
  test.each<[headers: unknown, field: string]>([
    ...names.map((name): [unknown, string] => [[{ name, value: 'a' }], 'headers.0.name']),
    ...values.map((value): [unknown, string] => [[{ name: 'X-A', value }], 'headers.0.value']),
    [[{ name: 'X-A' }], 'headers.0.value'],
    [[authorization, { name: 'AUTHORIZATION', value: 'other' }], 'headers'],
    [Array.from({ length: 11 }, (_, index) => ({ name: `X-${index}`, value: 'a' })), 'headers'],
    [[{ ...trace, secret: true }], 'headers.0.secret'],
    [{ Authorization: 'Bearer 1' }, 'headers'],
  ])('the headers %j are refused', async (headers, field) => {
    const { id } = await newEndpoint(tenant);
    const refused = await update(id, { headers });
    expect([refused.status, badFields(refused)]).toEqual([422, [field]]);
    expect(refused.text).not.toContain(authorization.value);
  });
});

describe('the filter by product', () => {
  test('an endpoint with a product gets the events of its licenses, devices and usage, and no others', async () => {
    const own = await freshTenant();
    const [one, other] = [await newPolicy(own), await newPolicy(own)];
    const filtered = await newEndpoint(own, { product_id: one.product_id });
    const all = await newEndpoint(own);
    const license = created(await own.asOwner('POST', '/licenses', { policy_id: one.id }));
    created(await own.asOwner('POST', '/licenses', { policy_id: other.id }));
    await own.asApplication(`/licenses/${license.key}/activations`, { fingerprint: 'laptop' });
    created(await own.asOwner('POST', '/api-keys', { name: 'Editor', product_id: one.product_id }));
    const typesOf = async (id: string) =>
      (await deliveriesOf(own, id)).map(({ event_type }: { event_type: string }) => event_type).toReversed();
    expect(await typesOf(filtered.id)).toEqual(['license.created', 'activation.created']);
    const everything = ['license.created', 'license.created', 'activation.created', 'api_key.created'];
    expect(await typesOf(all.id)).toEqual(everything);
    expect((await own.asOwner('POST', `/webhooks/${filtered.id}/test`)).status).toBe(200);

    const range = { since: '2020-01-01T00:00:00Z' };
    const late = await newEndpoint(own, { product_id: other.product_id });
    expect((await own.asOwner('POST', `/webhooks/${late.id}/recover`, range)).body.data).toEqual({ count: 1 });
    expect(await typesOf(late.id)).toEqual(['license.created']);
    await own.asOwner('PUT', `/webhooks/${late.id}`, { product_id: null });
    expect((await own.asOwner('POST', `/webhooks/${late.id}/recover`, range)).body.data).toEqual({ count: 3 });
  });

  test('a product that does not exist is refused, and a deleted one leaves an endpoint that gets nothing', async () => {
    const product = created(await tenant.asOwner('POST', '/products', { code: 'gone', name: 'Gone' }));
    const { id } = await newEndpoint(tenant, { product_id: product.id });
    expect((await tenant.asOwner('DELETE', `/products/${product.id}`)).status).toBe(200);
    expect(badFields(await update(id, { product_id: product.id }))).toEqual(['product_id']);
    await newLicense(tenant);
    expect(await deliveriesOf(tenant, id)).toEqual([]);
    expect((await update(id, { description: 'Still here' })).body.data.product_id).toBe(product.id);
  });
});

test('the rotation of a secret is an event without the secret', async () => {
  const own = await freshTenant();
  const { id, secret } = await newEndpoint(own, { events: ['license.created'], headers: [authorization] });
  const watcher = await newEndpoint(own, { events: ['webhook.secret_rotated'] });
  const rotated = await own.asOwner('POST', `/webhooks/${id}/rotate-secret`);
  await deliver(suite.app, own);
  const [event] = receiver.at(watcher.path);
  const { secret: newSecret, ...endpoint } = rotated.body.data;
  expect(JSON.parse(event?.body ?? '')).toMatchObject({
    type: 'webhook.secret_rotated',
    request_id: rotated.headers['x-request-id'],
    data: { ...endpoint, id, headers: [{ name: 'Authorization' }] },
  });
  for (const text of [secret, newSecret, authorization.value]) expect(event?.body).not.toContain(text);
});
