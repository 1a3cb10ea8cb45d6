import { createHmac, randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { type Installation, install, type Running } from './support/running.ts';

const secret = 'whsec_of_the_shop';
let installation: Installation;
let policyId: string;

beforeAll(async () => {
  installation = await install('shop-webhook');
  const productId = inject('examples').products['editor'] ?? '';
  policyId = (await installation.management.policies.create({ productId, code: 'shop', name: 'Shop' })).id;
  return installation.remove;
});

async function start(): Promise<{ server: Running; url: string }> {
  const { accessToken: LICENSING_TOKEN } = inject('examples');
  const env = { LICENSING_TOKEN, LICENSING_POLICY_ID: policyId, STRIPE_WEBHOOK_SECRET: secret };
  const server = await installation.start({ env });
  const [, url = ''] = await server.printed(/Listening on (http:\S+)/);
  return { server, url };
}

function checkout(fields: object = {}) {
  const customer_details = { email: 'ada@example.com', name: 'Ada Lovelace' };
  const object = { id: `cs_test_${randomUUID()}`, payment_status: 'paid', customer_details, ...fields };
  return { id: `evt_${randomUUID()}`, type: 'checkout.session.completed', data: { object } };
}

/** Sends an event as Stripe does, signed with each of the keys, or as an attacker does. */
async function deliver(url: string, event: object, { keys = [secret], ageSeconds = 0, sent = event } = {}) {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds;
  const sign = (key: string) =>
    createHmac('sha256', key)
      .update(`${timestamp}.${JSON.stringify(event)}`)
      .digest('hex');
  const signature = [`t=${timestamp}`, ...keys.map((key) => `v1=${sign(key)}`)].join(',');
  const headers = { 'stripe-signature': signature };
  return (await fetch(`${url}/webhooks/stripe`, { method: 'POST', headers, body: JSON.stringify(sent) })).status;
}

async function licensesOf(reference: string) {
  const { data } = await installation.management.licenses.list({ holderReference: reference }).page();
  return data;
}

test('a paid checkout creates one license, however often and however concurrently it is delivered', async () => {
  const { server, url } = await start();
  const event = checkout();
  const { id } = event.data.object;
  const statuses = await Promise.all([1, 2, 3, 4].map(() => deliver(url, event)));
  expect(statuses).toContain(200);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  // The same payment reported by another event, signed with the old and the new secret during a rotation.
  const again = { ...event, id: 'evt_other', type: 'checkout.session.async_payment_succeeded' };
  expect(await deliver(url, again, { keys: ['whsec_old', secret] })).toBe(200);
  const licenses = await licensesOf(id);
  expect(licenses).toMatchObject([{ policyId, holder: { email: 'ada@example.com', name: 'Ada Lovelace' } }]);
  const page = await fetch(`${url}/thanks?session_id=${id}`);
  expect(await page.text()).toBe(`Thank you! Your license key: ${licenses[0]?.key}`);
  expect(page.headers.get('cache-control')).toBe('no-store');
  server.kill('SIGTERM');
  expect(await server.ended).toMatchObject({ code: 0, signal: null });
  for (const unlogged of [licenses[0]?.key ?? '', secret, inject('examples').accessToken, 'ada@example.com']) {
    expect(server.output).not.toContain(unlogged);
  }
});

test('forged, changed and old deliveries, and checkouts that are not paid, create nothing', async () => {
  const { server, url } = await start();
  const event = checkout();
  const other = checkout();
  expect(await deliver(url, event, { keys: ['wrong'] })).toBe(400);
  expect(await deliver(url, event, { keys: [] })).toBe(400);
  expect(await deliver(url, event, { sent: other })).toBe(400);
  expect(await deliver(url, event, { ageSeconds: 301 })).toBe(400);
  const unpaid = checkout({ payment_status: 'unpaid' });
  expect(await deliver(url, unpaid)).toBe(200);
  for (const { data } of [event, other, unpaid]) expect(await licensesOf(data.object.id)).toEqual([]);
  expect((await fetch(`${url}/thanks?session_id=${unpaid.data.object.id}`)).status).toBe(404);
  expect((await fetch(`${url}/thanks?session_id=`)).status).toBe(404);
  server.kill('SIGINT');
  expect(await server.ended).toMatchObject({ code: 0 });
});

test('while the service is away the shop is asked to deliver again, and then the license is created', async () => {
  const { server, url } = await start();
  const event = checkout();
  await installation.gate.close();
  expect(await deliver(url, event)).toBe(503);
  expect(server.output).toContain('failed: NETWORK.UNREACHABLE');
  await installation.gate.open();
  expect(await deliver(url, event)).toBe(200);
  expect(await licensesOf(event.data.object.id)).toHaveLength(1);
  server.kill('SIGTERM');
  await server.ended;
});

test('a missing variable is named', async () => {
  const { code, output } = await (await installation.start()).ended;
  expect(code).toBe(1);
  expect(output).toContain('Set the environment variable STRIPE_WEBHOOK_SECRET.');
});
