import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type KillableService, startKillable } from '../crash/killable-service.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, startApp, stopApp } from '../support/harness.ts';
import { connectShop, offerItems, signed } from './custom-shop.ts';

// A shop repeats a message until it is accepted. The service is killed while it stores and applies messages.

const kills = 3;
const salesPerLife = 15;
/** The most answers before a kill. */
const answersMax = 30;
/** Longer than every lease. */
const downMs = 200_000;

interface Message {
  readonly id: string;
  readonly body: object;
}

/** The messages of one sale: it is paid, gets more seats, is renewed, and every third is refunded and ended. */
function lifeOf(index: number, bornMs: number): Message[] {
  const id = `sub-${index}-${randomUUID()}`;
  const at = (second: number) => new Date(bornMs + second * 1000).toISOString();
  const until = (days: number) => new Date(bornMs + days * 86_400_000).toISOString();
  const buyer = { id: `customer-${index}`, email: `buyer-${index}@example.com` };
  const bodies = [
    { type: 'sale.completed', sale: { id, buyer, items: [{ id: 'team', quantity: 1 }], paid_until: until(30) } },
    { type: 'subscription.changed', sale: { id, items: [{ id: 'team', quantity: 3 }] } },
    { type: 'subscription.renewed', sale: { id, paid_until: until(60) } },
    ...(index % 3 === 0
      ? [
          { type: 'sale.refunded', sale: { id } },
          { type: 'subscription.ended', sale: { id } },
        ]
      : []),
  ];
  return bodies.map((body, second) => ({ id: randomUUID(), body: { ...body, at: at(second) } }));
}

test('every sale has one license with its final terms, although the service is killed again and again', {
  timeout: 1_200_000,
}, async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const app = await startApp(site, { USER_TOKEN_TTL_DAYS: '365' });
  const tenant = await createTenant(app, await createAdmin(app));
  const shop = await connectShop(app, tenant);
  await offerItems(shop, { team: { quantity: 'seats', seats_per_unit: 2 } });
  await stopApp(app);
  const env = { ...site.env, USER_TOKEN_TTL_DAYS: '365' };
  const { auth } = tenant.owner;
  const read = async (service: KillableService, path: string) => {
    const response = await fetch(`${service.address}/api/v1/tenant${path}`, { headers: auth });
    // biome-ignore lint/suspicious/noExplicitAny: the response of any route; the assertions check its shape.
    return (await response.json()) as any;
  };

  const waiting: Message[] = [];
  let shiftMs = 0;
  let born = 0;
  let answers = 0;
  const deliver = async (service: KillableService, isOver: () => boolean) => {
    for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
      const { headers, payload } = signed(shop.secret, message.body, {
        id: message.id,
        at: new Date(Date.now() + shiftMs),
      });
      const url = `${service.address}/webhooks/sales/${shop.id}`;
      const answer = await fetch(url, { method: 'POST', headers, body: payload }).catch(() => undefined);
      if (answer !== undefined) answers += 1;
      if (answer?.status !== 200) waiting.push(message);
      if (isOver()) return;
    }
  };
  for (let kill = 0; kill < kills; kill += 1) {
    const service = await startKillable(env, shiftMs, { checks: false });
    for (let count = 0; count < salesPerLife; count += 1) {
      waiting.push(...lifeOf(born, Date.now() + shiftMs));
      born += 1;
    }
    // In another order, as they arrive after an outage.
    waiting.sort(() => Math.random() - 0.5);
    let isKilled = false;
    const load = Promise.all([1, 2, 3].map(() => deliver(service, () => isKilled)));
    const goal = answers + 1 + Math.floor(Math.random() * answersMax);
    while (answers < goal) await delay(2);
    await delay(Math.random() * 20);
    await service.kill();
    isKilled = true;
    await load;
    shiftMs += downMs;
  }
  const service = await startKillable(env, shiftMs);
  while (waiting.length > 0) await deliver(service, () => false);
  const isWaiting = async () =>
    (await read(service, `/connections/${shop.id}/events?state=pending&limit=1`)).data.length > 0;
  while (await isWaiting()) await delay(200);
  expect((await read(service, `/connections/${shop.id}/events?state=failed`)).data).toEqual([]);

  expect((await checkedSales(read, service, shop.id)).size).toBe(born);
  await service.stop();
});

// biome-ignore lint/suspicious/noExplicitAny: the response of any route; the assertions check its shape.
type Read = (service: KillableService, path: string) => Promise<any>;

/** Expects every sale to have its license with its final terms, and returns the shop's ids of the sales. */
async function checkedSales(read: Read, service: KillableService, connectionId: string): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  for (let cursor = ''; ; ) {
    const page = await read(service, `/connections/${connectionId}/sales?limit=100${cursor}`);
    for (const sale of page.data) {
      seen.add(sale.external_id);
      await checkLicenses(sale, (path) => read(service, path));
    }
    if (page.meta.next_cursor === null) return seen;
    cursor = `&cursor=${page.meta.next_cursor}`;
  }
}

interface CheckedSale {
  readonly external_id: string;
  readonly license_ids: readonly string[];
  readonly paid_until: string;
}

async function checkLicenses(
  { external_id, license_ids, paid_until }: CheckedSale,
  read: (path: string) => ReturnType<Read>,
) {
  const isRefunded = Number(external_id.split('-')[1]) % 3 === 0;
  // A sale whose refund arrived first never had a license.
  if (isRefunded && license_ids.length === 0) return;
  expect([external_id, license_ids.length]).toEqual([external_id, 1]);
  const { data: license } = await read(`/licenses/${license_ids[0]}`);
  expect(license.status).toBe(isRefunded ? 'revoked' : 'active');
  // Nothing changes a revoked license, so it keeps the terms that it had.
  if (!isRefunded) expect([license.max_activations, license.expires_at]).toEqual([6, paid_until]);
  const { data: records } = await read(`/audit-logs?resource_id=${license.id}&event=LICENSE.CREATED`);
  expect(records).toHaveLength(1);
}
