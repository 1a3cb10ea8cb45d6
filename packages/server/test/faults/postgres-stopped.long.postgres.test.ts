import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { makeParty, type Party } from '../crash/evidence.ts';
import { type Account, createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, startApp, type TestApp, type TestSite } from '../support/harness.ts';
import { createPlatformDatabase, onServer } from '../support/platform-template.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';
import { createJumpingClock, Load, rounds, seed } from './load.ts';

const receiver = useReceiver();
let server: PostgresServer;

beforeAll(async () => {
  // Acknowledged changes must survive an immediate shutdown.
  server = await startPostgres({ durable: true });
});

afterAll(() => server.stop());

const responsesPerStep = 15;

async function makeParties(app: TestApp, count: number): Promise<Party[]> {
  const admin: Account = await createAdmin(app);
  const parties: Party[] = [];
  for (let index = 0; index < count; index += 1) {
    parties.push(await makeParty(await createTenant(app, admin, `Tenant ${index}`), receiver));
  }
  return parties;
}

/** Returns the placement of each tenant. */
async function placements(app: TestApp): Promise<ReadonlyMap<string, string>> {
  const rows = await app.services.platform.query.selectFrom('tenants').select(['id', 'placement']).execute();
  return new Map(rows.map(({ id, placement }) => [id, placement]));
}

async function statusOf(address: string, path: string): Promise<number> {
  return (await fetch(address + path)).status;
}

async function removeTenants(site: TestSite, app: TestApp, serverUrl: string): Promise<void> {
  const here = new URL(serverUrl).host;
  const rows = await app.services.platform.query.selectFrom('tenants').select(['placement', 'database_name']).execute();
  await app.close();
  for (const { placement, database_name } of rows) {
    if (placement !== here) continue;
    await onServer(serverUrl, [`drop database ${database_name} with (force)`, `drop role ${database_name}`]);
  }
  await site.remove();
}

/**
 * Expects two lines about each of `outages` stops: one of level 50 that names the cause, and one about its end with the
 * number of failures; and hardly another line about a failure, of whatever request, job or buffer.
 */
async function expectTwoLinesPerOutage({ secrets }: TestApp, outages: number): Promise<void> {
  const ended = () => secrets.linesWith('an outage ended');
  while (ended().length < outages) await delay(50);
  const began = secrets.linesWith('an outage began: The PostgreSQL database');
  expect(began.map(({ level }) => level)).toEqual(Array(outages).fill(50));
  for (const { count, outage_seconds } of ended()) expect([count > 1, outage_seconds > 0]).toEqual([true, true]);
  const others = secrets.linesWith('"err"').filter(({ msg }) => !msg.startsWith('an outage'));
  expect(others.map(({ msg }) => msg).slice(3 * outages)).toEqual([]);
  expect(secrets.linesWith('"error":')).toEqual([]);
}

type Stop = 'fast' | 'immediate';

/** Returns one stop in a short run; in the soak test both kinds alternate. */
const stopsOf = (only: Stop): Stop[] =>
  rounds === 1 ? [only] : Array.from({ length: rounds }, (_, index) => (index % 2 === 0 ? 'fast' : 'immediate'));

describe(`a PostgreSQL server that is stopped and started again (FAULT_SEED=${seed})`, () => {
  test('a stopped tenant server makes only its own tenants unavailable, is two lines of the log, and loses no acknowledged change', {
    timeout: 120_000 + rounds * 30_000,
  }, async () => {
    const site = await createSite();
    const shared = inject('postgresUrl');
    const clock = createJumpingClock();
    const env = { ...loopbackWebhooks, TENANT_DATABASE_URLS: `${shared},${server.url}` };
    const app = await startApp(site, env, undefined, clock);
    onTestFinished(() => removeTenants(site, app, shared));
    const parties = await makeParties(app, 2);
    const places = await placements(app);
    const isStopped = ({ tenantId }: Party) => places.get(tenantId) === new URL(server.url).host;
    const [stopped, others] = [parties.filter(isStopped), parties.filter((party) => !isStopped(party))];
    expect([stopped.length, others.length]).toEqual([1, 1]);
    const address = await app.listen();
    const load = new Load(parties, () => address);
    for (const how of stopsOf('immediate')) {
      await load.served(responsesPerStep);
      await server.halt(how);
      // Responses from before the stop may still be in transit.
      await load.served(1, others);
      const before = stopped.map((party) => load.responsesOf(party));
      await load.served(responsesPerStep, others);
      for (const [index, party] of stopped.entries()) expect(load.responsesOf(party)).toBe(before[index]);
      expect(await statusOf(address, '/health/ready')).toBe(200);
      await server.start();
    }
    await load.served(responsesPerStep);
    expect(load.unavailable).toBeGreaterThan(0);
    await load.expectNothingLost(address, receiver, clock);
    await expectTwoLinesPerOutage(app, rounds);
  });

  test('a stopped platform server makes everything but /health unavailable, is two lines of the log, and loses no acknowledged change', {
    timeout: 120_000 + rounds * 30_000,
  }, async () => {
    const site = await createSite();
    const shared = inject('postgresUrl');
    const clock = createJumpingClock();
    const platformUrl = await createPlatformDatabase(server.url, `platform_${Date.now()}`, 'template0');
    const env = { ...loopbackWebhooks, DATABASE_URL: platformUrl, TENANT_DATABASE_URLS: shared };
    const app = await startApp(site, env, undefined, clock);
    onTestFinished(() => removeTenants(site, app, shared));
    const parties = await makeParties(app, 2);
    const address = await app.listen();
    const load = new Load(parties, () => address);
    for (const how of stopsOf('fast')) {
      await load.served(responsesPerStep);
      await server.halt(how);
      const before = load.unavailable;
      await expect.poll(() => load.unavailable).toBeGreaterThan(before + responsesPerStep);
      expect(await statusOf(address, '/health')).toBe(200);
      const notReady = await fetch(`${address}/health/ready`);
      expect([notReady.status, await notReady.json()]).toMatchObject([
        503,
        { error: { details: [{ field: 'platform_database' }] } },
      ]);
      await server.start();
    }
    await load.served(responsesPerStep);
    expect(await statusOf(address, '/health/ready')).toBe(200);
    await load.expectNothingLost(address, receiver, clock);
    await expectTwoLinesPerOutage(app, rounds);
  });
});
