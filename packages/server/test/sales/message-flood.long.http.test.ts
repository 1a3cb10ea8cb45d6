import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type KillableService, startKillable } from '../crash/killable-service.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, engine, startApp, stopApp } from '../support/harness.ts';
import { created, newPolicy } from '../support/licensing-catalog.ts';
import { startSampler } from '../support/validation-latencies.ts';
import { connectShop, offerItems, signed } from './custom-shop.ts';

// A shop sends very many messages at once. `FLOOD_MESSAGES=60000` is a minute of a thousand per second.

const messages = Number(process.env['FLOOD_MESSAGES'] ?? 400);
const perSecond = 1000;
/** Messages of one sale: it is paid once and then changed. */
const messagesPerSale = 20;
/** Requests on their way at one time. A shop that gets no answer waits too. */
const onTheirWayMax = 64;
const idleSamples = 400;

interface Message {
  readonly id: string;
  readonly body: object;
}

/** Messages about sales whose seats change again and again. */
function changesOfSales(): Message[] {
  const startMs = Date.now();
  return Array.from({ length: messages }, (_, index) => {
    const id = `sale-${Math.floor(index / messagesPerSale)}`;
    const step = index % messagesPerSale;
    const at = new Date(startMs - 60_000 + step * 1000).toISOString();
    const buyer = { id, email: `${id}@example.com` };
    const items = [{ id: 'team', quantity: step + 1 }];
    const type = step === 0 ? 'sale.completed' : 'subscription.changed';
    return { id: randomUUID(), body: { type, at, sale: { id, buyer, items } } };
  });
}

/** Sends messages at the rate of the flood, as far as they are accepted. Returns how many seconds that took. */
async function send(url: string, secret: string, all: readonly Message[]): Promise<number> {
  const startedMs = performance.now();
  let next = 0;
  const sender = async () => {
    for (let index = next++; index < all.length; index = next++) {
      const waitMs = startedMs + (index / perSecond) * 1000 - performance.now();
      if (waitMs > 0) await delay(waitMs);
      // Below the length of the list. A shop signs each attempt with its own time.
      const { id, body } = all[index] as Message;
      const { headers, payload } = signed(secret, body, { id });
      const answer = await fetch(url, { method: 'POST', headers, body: payload });
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: onTheirWayMax }, sender));
  return (performance.now() - startedMs) / 1000;
}

// biome-ignore lint/suspicious/noExplicitAny: the response of any route; the assertions check its shape.
type Read = (path: string) => Promise<any>;

function reader({ address }: KillableService, headers: Record<string, string>): Read {
  return async (path) => (await fetch(`${address}/api/v1/tenant${path}`, { headers })).json();
}

/** Returns all licenses with the columns that messages change. */
async function licensesOf(read: Read): Promise<object[]> {
  const all: object[] = [];
  for (let cursor = ''; ; ) {
    const { data, meta } = await read(`/licenses?limit=100${cursor}`);
    for (const { id, status, max_activations, updated_at } of data) {
      all.push({ id, status, max_activations, updated_at });
    }
    if (meta.next_cursor === null) return all;
    cursor = `&cursor=${meta.next_cursor}`;
  }
}

test('a flood of messages is accepted whole, applied once each, and changes nothing when it is repeated', {
  timeout: 3_600_000,
}, async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const settings = { USER_TOKEN_TTL_DAYS: '365' };
  const app = await startApp(site, settings);
  const admin = await createAdmin(app);
  const tenant = await createTenant(app, admin);
  const payload = { limits: { integration_requests_per_minute: 1_000_000, licenses: 'unlimited' } };
  const url = `/api/v1/admin/tenants/${tenant.id}`;
  expect((await app.request({ method: 'PATCH', url, headers: admin.auth, payload })).status).toBe(200);
  const shop = await connectShop(app, tenant);
  await offerItems(shop, { team: { quantity: 'seats', seats_per_unit: 1 } });
  const policy = await newPolicy(tenant);
  const license = { policy_id: policy.id, max_activations: messagesPerSale };
  const { key } = created(await tenant.asOwner('POST', '/licenses', license));
  await stopApp(app);
  const service = await startKillable({ ...site.env, ...settings }, 0);
  const read = reader(service, tenant.owner.auth);
  const sampler = await startSampler({ address: service.address, apiKey: tenant.apiKey, keys: [key] });
  const { p99Ms: idleMs } = await sampler.takeNext(idleSamples);

  const all = changesOfSales();
  const webhook = `${service.address}/webhooks/sales/${shop.id}`;
  const startedMs = performance.now();
  const seconds = await send(webhook, shop.secret, all);
  const { p99Ms: floodMs } = sampler.take();
  const pending = `/connections/${shop.id}/events?state=pending&limit=1`;
  while ((await read(pending)).data.length > 0) await sampler.during(200);
  const { p99Ms: applyMs } = sampler.take();
  const appliedSeconds = (performance.now() - startedMs) / 1000;
  await sampler.stop();

  expect((await read(`/connections/${shop.id}/events?state=failed`)).data).toEqual([]);
  const before = await licensesOf(read);
  expect(before).toHaveLength(1 + messages / messagesPerSale);
  for (const one of before) expect(one).toMatchObject({ status: 'active', max_activations: messagesPerSale });
  await send(webhook, shop.secret, all);
  expect((await read(pending)).data).toEqual([]);
  expect(await licensesOf(read)).toEqual(before);
  await service.stop();
  process.stderr.write(
    `${engine}: ${messages} messages accepted in ${seconds.toFixed(1)} s; ` +
      `p99 of a validation ${idleMs.toFixed(1)} ms idle, ${floodMs.toFixed(1)} ms in the flood, ` +
      `${applyMs.toFixed(1)} ms while the rest is applied, until ${appliedSeconds.toFixed(0)} s after the start\n`,
  );
});
