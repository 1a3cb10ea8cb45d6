import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { makeParty, type Party } from '../crash/evidence.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, startApp } from '../support/harness.ts';
import { onServer } from '../support/platform-template.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';
import { createJumpingClock, Load, rounds, seed } from './load.ts';

const receiver = useReceiver();
const responsesPerStep = 15;

interface Scene {
  readonly address: string;
  readonly load: Load;
  readonly parties: readonly Party[];
  /** The proxies to the platform's server and to the first tenant server. */
  readonly platform: TcpProxy;
  readonly first: TcpProxy;
  readonly ofFirst: readonly Party[];
  readonly ofSecond: readonly Party[];
  readonly databaseNames: readonly string[];
  end(): Promise<void>;
}

/** Starts a service under load, with separate proxies to the platform and to two tenant servers. */
async function begin(): Promise<Scene> {
  const site = await createSite();
  const shared = inject('postgresUrl');
  const [platform, first, second] = await Promise.all([
    startTcpProxy(String(site.env['DATABASE_URL'])),
    startTcpProxy(shared),
    startTcpProxy(shared),
  ]);
  const clock = createJumpingClock();
  const env = {
    ...loopbackWebhooks,
    DATABASE_URL: platform.url,
    TENANT_DATABASE_URLS: `${first.url},${second.url}`,
  };
  const app = await startApp(site, env, undefined, clock);
  onTestFinished(async () => {
    await app.close();
    await Promise.all([platform.close(), first.close(), second.close()]);
    await site.remove();
  });
  const admin = await createAdmin(app);
  const parties: Party[] = [];
  for (let index = 0; index < 2; index += 1) {
    parties.push(await makeParty(await createTenant(app, admin, `Tenant ${index}`), receiver));
  }
  const rows = await app.services.platform.query
    .selectFrom('tenants')
    .select(['id', 'placement', 'database_name'])
    .execute();
  const firstIds = rows.filter(({ placement }) => placement === new URL(first.url).host).map(({ id }) => id);
  const address = await app.listen();
  const load = new Load(parties, () => address);
  await load.served(responsesPerStep);
  return {
    address,
    load,
    parties,
    platform,
    first,
    ofFirst: parties.filter(({ tenantId }) => firstIds.includes(tenantId)),
    ofSecond: parties.filter(({ tenantId }) => !firstIds.includes(tenantId)),
    databaseNames: [new URL(platform.url).pathname.slice(1), ...rows.map((row) => String(row.database_name))],
    end: () => load.expectNothingLost(address, receiver, clock),
  };
}

describe(`under load (FAULT_SEED=${seed})`, () => {
  const timeout = 120_000 + rounds * 60_000;

  test('no acknowledged change and no event is lost when the server or the network cuts connections', {
    timeout,
  }, async () => {
    const scene = await begin();
    const { load, databaseNames } = scene;
    const names = databaseNames.map((name) => `'${name}'`).join(',');
    for (let cut = 0; cut < 5 * rounds; cut += 1) {
      await onServer(inject('postgresUrl'), [
        `select pg_terminate_backend(pid) from pg_stat_activity where datname in (${names})`,
      ]);
      await load.served(3);
      scene.first.reset();
      scene.platform.reset();
      await load.served(3);
    }
    await load.served(responsesPerStep);
    await scene.end();
  });

  test('a slow server slows only its own tenants, and every response is correct', { timeout }, async () => {
    const scene = await begin();
    const { load, first, ofFirst, ofSecond, address } = scene;
    for (let round = 0; round < rounds; round += 1) {
      first.set({ kind: 'slow', delayMs: 150 });
      const before = ofFirst.map((party) => load.responsesOf(party));
      await load.served(4 * responsesPerStep, ofSecond);
      const gained = ofFirst.map((party, index) => load.responsesOf(party) - (before[index] ?? 0));
      for (const count of gained) expect(count).toBeLessThan(4 * responsesPerStep);
      await load.served(2, ofFirst);
      expect((await fetch(`${address}/health/ready`)).status).toBe(200);
      first.set({ kind: 'open' });
      await load.served(responsesPerStep);
    }
    await scene.end();
  });

  test.runIf(rounds > 1)('every request gets a response while a network drops all packets', { timeout }, async () => {
    const scene = await begin();
    const { load, first, platform, ofSecond } = scene;
    for (let round = 0; round < Math.ceil(rounds / 5); round += 1) {
      first.set({ kind: 'silent' });
      await load.served(responsesPerStep, ofSecond);
      await delay(25_000);
      first.set({ kind: 'open' });
      await load.served(responsesPerStep);
      platform.set({ kind: 'silent' });
      await delay(25_000);
      platform.set({ kind: 'open' });
      await load.served(responsesPerStep);
    }
    expect(load.unavailable).toBeGreaterThan(0);
    await scene.end();
  });
});
