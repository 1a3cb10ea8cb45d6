import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Served, startServe } from '../commands/licensing.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { freePort } from '../support/free-port.ts';
import { createSite, startApp, stopApp } from '../support/harness.ts';
import { createLicensingData } from '../support/licensing-data.ts';

/** Each node twice: a restart meets a node that has never restarted, and one that has. */
const restarts = 4;
const clients = 6;
/** Between two requests of a client. A request is lost when a node stops or starts, so more in between show nothing. */
const pauseMs = 15;
/** Between two checks of the readiness, as a load balancer sends them. */
const checkMs = 200;
const drainSeconds = 2;

/** Returns the nodes that are ready, as a load balancer sees them until `signal` aborts. It knows nothing else. */
function watchReadiness(addresses: readonly string[], signal: AbortSignal) {
  const ready = new Set<string>();
  const watch = async (address: string) => {
    while (!signal.aborted) {
      const isReady = await fetch(`${address}/health/ready`).then(
        (response) => response.arrayBuffer().then(() => response.ok),
        () => false,
      );
      if (isReady) ready.add(address);
      else ready.delete(address);
      await delay(checkMs);
    }
  };
  return { ready, ended: Promise.all(addresses.map(watch)) };
}

test(`${restarts} rolling restarts of two nodes under load lose no request`, { timeout: 600_000 }, async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const app = await startApp(site);
  const admin = await createAdmin(app);
  const tenant = await createTenant(app, admin);
  const { licenseKey } = await createLicensingData(tenant);
  const payload = { limits: { integration_requests_per_minute: 1_000_000 } };
  const limited = { method: 'PATCH', url: `/api/v1/admin/tenants/${tenant.id}`, headers: admin.auth, payload } as const;
  expect((await app.request(limited)).status).toBe(200);
  await stopApp(app);

  const ports = [await freePort(), await freePort()];
  const start = (port = 0) =>
    startServe([], { ...site.env, PORT: String(port), DRAIN_SECONDS: String(drainSeconds), LOG_LEVEL: 'warn' });
  const nodes: Served[] = await Promise.all(ports.map(start));
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const balancer = watchReadiness(
    nodes.map(({ address }) => address),
    stop.signal,
  );
  const allReady = async () => {
    while (balancer.ready.size < nodes.length) await delay(checkMs);
  };
  await allReady();

  const outcomes = new Map<string, number>();
  const work = async () => {
    for (let turn = 0; !stop.signal.aborted; turn += 1) {
      const addresses = [...balancer.ready];
      const url = `${addresses[turn % addresses.length]}/api/v1/integration/licenses/${licenseKey}/validate`;
      const outcome = await fetch(url, { method: 'POST', headers: { 'x-api-key': tenant.apiKey } }).then(
        async (response) => `${response.status} ${((await response.json()) as { data?: { code: string } }).data?.code}`,
        (error: Error) => String(error.cause ?? error),
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      await delay(pauseMs);
    }
  };
  const load = Promise.all(Array.from({ length: clients }, work));
  for (let restart = 0; restart < restarts; restart += 1) {
    const node = nodes[restart % nodes.length];
    node?.signal('SIGTERM');
    expect(await node?.ended).toBe(0);
    nodes[restart % nodes.length] = await start(ports[restart % nodes.length]);
    await allReady();
  }
  stop.abort();
  await Promise.all([load, balancer.ended]);
  expect([...outcomes.keys()]).toEqual(['200 LICENSE.VALID']);
  expect(outcomes.get('200 LICENSE.VALID')).toBeGreaterThan(restarts * 100);
});
