import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type KillableService, startKillable } from '../crash/killable-service.ts';
import type { TestTenant } from '../support/accounts.ts';
import type { TestApp } from '../support/harness.ts';
import {
  call,
  type KilledTenant,
  kills,
  killWhileWorking,
  prepareTenant,
  settled,
  validationsDuring,
} from '../support/killed-work.ts';
import { created } from '../support/licensing-catalog.ts';
import { offerItems } from './custom-shop.ts';
import { type ImitatedStripe, imitateStripe, subscriptionsOf } from './imitated-stripe.ts';

// The service is killed while it compares a shop and while it applies what it found. `COMPARED_SUBSCRIPTIONS=100000` measures
// a large shop.

/** Three pages: one for each process. */
const killedSubscriptions = 210;
const measuredSubscriptions = Number(process.env['COMPARED_SUBSCRIPTIONS'] ?? 300);
const pageSize = 100;

interface Scene extends KilledTenant {
  readonly connectionId: string;
  readonly stripe: ImitatedStripe;
}

/** Serves the imitated Stripe, for the process of the service, on loopback. */
async function serveStripe(stripe: ImitatedStripe, waitMs: number): Promise<number> {
  const server = createServer((request, response) => {
    const answer = async () => {
      await delay(waitMs);
      const answered = await stripe.fetch(`https://api.stripe.com${request.url}`);
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      response.end(await answered.text());
    };
    void answer();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address with one.
  return (server.address() as AddressInfo).port;
}

/** Creates a tenant with a connection to the imitated shop, with a service that is stopped afterwards. */
async function prepare(count: number, waitMs: number): Promise<Scene> {
  const stripe = imitateStripe(subscriptionsOf(count));
  const port = await serveStripe(stripe, waitMs);
  // The requests of the process go to loopback instead of Stripe. The address of the API itself is fixed.
  const redirect =
    'const send = globalThis.fetch; globalThis.fetch = (url, init) =>' +
    ` send(String(url).replace("https://api.stripe.com", "http://127.0.0.1:${port}"), init);`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(redirect)}`;
  const fill = async (_app: TestApp, tenant: TestTenant) => {
    const connection = { provider: 'stripe', name: 'Shop', api_key: 'rk_test_1' };
    const { id: connectionId } = created(await tenant.asOwner('POST', '/connections', connection));
    await offerItems({ id: connectionId, tenant }, { pro: {} });
    return { connectionId, stripe };
  };
  return await prepareTenant(fill, { NODE_OPTIONS });
}

const comparisonsOf = ({ connectionId }: Scene) => `/connections/${connectionId}/comparisons`;

const latest = async (service: KillableService, scene: Scene) =>
  (await call(service, scene, `${comparisonsOf(scene)}?limit=1`))[0];

/** Waits until the latest comparison has ended and nothing is left to apply. */
const ended = (service: KillableService, scene: Scene) =>
  settled(
    () => latest(service, scene),
    (comparison) => comparison.ended_at !== null && comparison.continues_at === null,
  );

test('a comparison that is killed again and again reads every page and applies every sale once', {
  timeout: 1_200_000,
}, async () => {
  const scene = await prepare(killedSubscriptions, 400);
  const first = await startKillable(scene.env, 0);
  expect((await call(first, scene, comparisonsOf(scene), {})).state).toBe('running');
  const pagesRead = async (service: KillableService) => {
    const { seen, ended_at } = await latest(service, scene);
    return ended_at === null ? seen : Number.POSITIVE_INFINITY;
  };
  const aheadMs = await killWhileWorking(first, scene, pagesRead);
  const second = await startKillable(scene.env, aheadMs);
  const read = await ended(second, scene);
  expect(read).toMatchObject({ state: 'done', seen: killedSubscriptions, differences: killedSubscriptions });
  // Each process that died has repeated at most the page that it had not stored.
  expect(scene.stripe.pages()).toBeLessThanOrEqual(Math.ceil(killedSubscriptions / pageSize) + kills);
  await call(second, scene, `${comparisonsOf(scene)}/${read.id}/apply`, {});
  const applied = async (service: KillableService) => {
    if ((await latest(service, scene)).continues_at === null) return Number.POSITIVE_INFINITY;
    return (await call(service, scene, `/connections/${scene.connectionId}/sales?limit=100`)).length;
  };
  const last = await startKillable(scene.env, await killWhileWorking(second, scene, applied, { aheadMs }));
  await ended(last, scene);
  const sales: { readonly external_id: string; readonly license_ids: readonly string[] }[] = [];
  for (let cursor = ''; ; ) {
    const path = `/api/v1/tenant/connections/${scene.connectionId}/sales?limit=100${cursor}`;
    const page = await (await fetch(`${last.address}${path}`, { headers: scene.auth })).json();
    // biome-ignore lint/suspicious/noExplicitAny: the response of a route; the assertions check its shape.
    const { data, meta } = page as any;
    sales.push(...data);
    if (meta.next_cursor === null) break;
    cursor = `&cursor=${meta.next_cursor}`;
  }
  expect(new Set(sales.map(({ external_id }) => external_id)).size).toBe(killedSubscriptions);
  expect(sales.filter(({ license_ids }) => license_ids.length !== 1)).toEqual([]);
  const again = await call(last, scene, comparisonsOf(scene), {});
  expect(again.state).toBe('running');
  expect(await ended(last, scene)).toMatchObject({ seen: killedSubscriptions, differences: 0 });
  await last.stop();
});

test('every validation is answered while a large shop is compared', { timeout: 3_600_000 }, async () => {
  const scene = await prepare(measuredSubscriptions, 0);
  const count = measuredSubscriptions;
  await validationsDuring(scene, { name: 'subscriptions compared', count }, async (service) => {
    await call(service, scene, comparisonsOf(scene), {});
    expect(await ended(service, scene)).toMatchObject({ state: 'done', seen: count, differences: count });
  });
});
