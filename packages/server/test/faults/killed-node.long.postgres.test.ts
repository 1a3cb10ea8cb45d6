import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { licensing } from '../commands/licensing.ts';
import { makeParty, type Party } from '../crash/evidence.ts';
import { type KillableService, startKillable } from '../crash/killable-service.ts';
import { seededRandom } from '../crash/random.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, startApp, stopApp } from '../support/harness.ts';
import { loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';
import { Load, rounds, seed } from './load.ts';

const receiver = useReceiver();
const kills = rounds === 1 ? 1 : 2 * rounds;
const responsesPerStep = 10;
const momentMaxMs = 50;

test(`when nodes on one platform are killed in turn under load, the other node takes over and nothing is lost (FAULT_SEED=${seed})`, {
  timeout: 120_000 + kills * 30_000,
}, async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const env = { ...site.env, ...loopbackWebhooks, LOG_LEVEL: 'warn' };
  const app = await startApp(site, loopbackWebhooks);
  const admin = await createAdmin(app);
  const parties: Party[] = [];
  for (let index = 0; index < 2; index += 1) {
    parties.push(await makeParty(await createTenant(app, admin, `Tenant ${index}`), receiver));
  }
  await stopApp(app);

  const nodes: KillableService[] = [];
  const start = async () => {
    const node = await startKillable(env, 0);
    nodes.push(node);
  };
  await start();
  await start();
  const random = seededRandom(seed);
  // Picks a random node, like a load balancer.
  const load = new Load(parties, () => nodes[Math.floor(Math.random() * nodes.length)]?.address ?? '');
  for (let kill = 0; kill < kills; kill += 1) {
    await load.served(responsesPerStep);
    await delay(random() * momentMaxMs);
    const [killed] = nodes.splice(kill % nodes.length, 1);
    await killed?.kill();
    await load.served(responsesPerStep);
    await start();
  }
  const [survivor] = nodes;
  const jump = () => {
    for (const node of nodes) node.passTenMinutes();
  };
  await load.expectNothingLost(survivor?.address ?? '', receiver, { jump });
  const { stdout } = await licensing(['jobs', 'list', '--state', 'dead', '--json'], env);
  expect(JSON.parse(stdout)).toEqual([]);
});
