import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startKillable } from '../crash/killable-service.ts';
import { connectShop, offerItems, signed } from '../sales/custom-shop.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, engine, startApp, stopApp } from '../support/harness.ts';

/** How long messages arrive: 60 for the figures. */
const seconds = Number(process.env['LOAD_SECONDS'] ?? 15);
const perSecond = Number(process.env['LOAD_RATE'] ?? 1000);
/** The messages about one sale: bought, and then renewed. */
const perSale = 20;
const tickMs = 10;

type Post = (message: ReturnType<typeof signed>) => Promise<number>;

/** Returns a function that posts on connections that stay open. */
function poster(address: string, id: string): Post {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  const { hostname, port } = new URL(address);
  return ({ headers, payload }) =>
    new Promise((resolve, reject) => {
      const sent = request(
        { agent, hostname, port, path: `/webhooks/sales/${id}`, method: 'POST', headers },
        (response) => {
          response.resume().on('end', () => resolve(response.statusCode ?? 0));
        },
      );
      sent.on('error', reject).end(payload);
    });
}

test('1,000 messages a second are all stored and applied', { timeout: 1_800_000 }, async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const app = await startApp(site);
  const tenant = await createTenant(app, await createAdmin(app));
  const shop = await connectShop(app, tenant);
  await offerItems(shop, { pro: {} });
  await stopApp(app);
  const service = await startKillable(site.env, 0);
  const post = poster(service.address, shop.id);
  const latencies: number[] = [];
  const inFlight: Promise<void>[] = [];
  let repeated = 0;
  let sent = 0;
  const deliver = async (index: number) => {
    const at = new Date().toISOString();
    const paid_until = new Date(Date.now() + (30 + (index % perSale)) * 86_400_000).toISOString();
    const sale = { id: `sub-${Math.floor(index / perSale)}`, items: [{ id: 'pro' }], paid_until };
    const message = signed(shop.secret, { type: 'sale.completed', at, sale }, { id: randomUUID() });
    const startedMs = performance.now();
    while ((await post(message).catch(() => 0)) !== 200) {
      repeated += 1;
      await delay(1000);
    }
    latencies.push(performance.now() - startedMs);
  };
  const startedMs = performance.now();
  while (sent < seconds * perSecond) {
    const due = Math.min(seconds * perSecond, Math.floor(((performance.now() - startedMs) * perSecond) / 1000));
    for (; sent < due; sent += 1) inFlight.push(deliver(sent));
    await delay(tickMs);
  }
  await Promise.all(inFlight);
  const storedMs = performance.now() - startedMs;
  latencies.sort((one, other) => one - other);
  const p = (share: number) => Math.round(latencies[Math.floor(latencies.length * share)] ?? 0);
  process.stderr.write(
    `${engine}: ${sent} messages in ${Math.round(storedMs / 1000)} s, response p50 ${p(0.5)} ms, p99 ${p(0.99)} ms, ` +
      `${repeated} repeated\n`,
  );
  const path = `${service.address}/api/v1/tenant/connections/${shop.id}/events?state=pending&limit=1`;
  const isWaiting = async () => {
    const response = await fetch(path, { headers: tenant.owner.auth });
    return ((await response.json()) as { data: unknown[] }).data.length > 0;
  };
  while (await isWaiting()) await delay(500);
  const appliedMs = performance.now() - startedMs;
  await service.stop();
  const again = await startApp(site);
  const counts = await again.services.tenants.withTenantDb(tenant.id, async ({ query }) => {
    const messages = await query.selectFrom('sale_messages').select(['state']).execute();
    const licenses = await query.selectFrom('licenses').select('id').execute();
    return {
      messages: messages.length,
      failed: messages.filter(({ state }) => state === 'failed').length,
      licenses: licenses.length,
    };
  });
  await stopApp(again);
  process.stderr.write(`${engine}: all applied after ${Math.round(appliedMs / 1000)} s\n`);
  expect(counts).toEqual({ messages: sent, failed: 0, licenses: Math.ceil(sent / perSale) });
});
