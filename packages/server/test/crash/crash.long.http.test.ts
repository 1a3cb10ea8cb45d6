import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { licensing } from '../commands/licensing.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, engine, startApp, stopApp, type TestSite } from '../support/harness.ts';
import { loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';
import { gather, makeParty, type Party } from './evidence.ts';
import { type Evidence, findFaults } from './findings.ts';
import type { Attempt } from './journal.ts';
import { startKillable } from './killable-service.ts';
import { seededRandom } from './random.ts';
import { Worker } from './worker.ts';

// Each run kills at other random points, so runs add up; the soak sets a high number.
const kills = Number(process.env['CRASH_KILLS'] ?? (engine === 'sqlite' ? 4 : 3));
const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 2 ** 32);
const reportFile = process.env['CRASH_REPORT'];

const tenantCount = 3;
const workersPerTenant = 2;
/** Maximum number of responses before a kill. The number is random, and so is the delay after it. */
const maxResponsesBeforeKill = 30;
const maxDelayBeforeKillMs = 20;
/** Minimum acknowledged and refused changes per kill. Without it, a load that changes nothing would pass. */
const minOutcomesPerKill = 2;
/**
 * Simulated downtime: longer than every lease of a dead process, and than the minute after which unreported events are
 * found.
 */
const downMs = 61_000;
const secondsPerKill = 60;
const faultsShown = 20;

const receiver = useReceiver();

/** Creates the tenants with a service that is stopped afterwards. */
async function prepare(site: TestSite): Promise<Party[]> {
  const app = await startApp(site, loopbackWebhooks);
  const admin = await createAdmin(app);
  const parties: Party[] = [];
  for (let index = 0; index < tenantCount; index += 1) {
    parties.push(await makeParty(await createTenant(app, admin, `Tenant ${index}`), receiver));
  }
  await stopApp(app);
  return parties;
}

function countOutcomes(all: readonly Pick<Worker, 'attempts'>[], outcome: Attempt['outcome']): number {
  return all.flatMap(({ attempts }) => attempts).filter((attempt) => attempt.outcome === outcome).length;
}

/** Returns the figures of one run, for the report file. */
function figuresOf(all: readonly Evidence[], workers: readonly Worker[]) {
  const received = all.flatMap((one) => one.received.map(({ headers }) => headers['webhook-id']));
  const events = new Set(received).size;
  return {
    engine,
    seed,
    kills,
    acknowledged: countOutcomes(workers, 'changed'),
    refused: countOutcomes(workers, 'unchanged'),
    unanswered: countOutcomes(workers, 'unknown'),
    events,
    duplicates: received.length - events,
  };
}

/** The workers that send requests to one process until it is killed. */
class Load {
  readonly ended: Promise<unknown>;
  #responses = 0;
  #isReached: (responses: number) => boolean = () => false;
  readonly #reached = Promise.withResolvers<void>();

  constructor(workers: readonly Worker[], address: string) {
    const onAnswer = () => {
      this.#responses += 1;
      if (this.#isReached(this.#responses)) this.#reached.resolve();
    };
    this.ended = Promise.all(workers.map((worker) => worker.run(address, onAnswer)));
  }

  /** Resolves when the number of responses satisfies `isReached`, or when every worker has stopped. */
  async waitUntil(isReached: (responses: number) => boolean): Promise<void> {
    this.#isReached = isReached;
    await Promise.race([this.#reached.promise, this.ended]);
  }
}

test(`a service that is killed ${kills} times under load loses no acknowledged change and no event, and reports no other change (CRASH_SEED=${seed})`, {
  timeout: 60_000 + kills * secondsPerKill * 1000,
}, async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const env = { ...site.env, ...loopbackWebhooks, LOG_LEVEL: 'warn' };
  const parties = await prepare(site);
  const random = seededRandom(seed);
  const staffed = parties.map((party) => ({
    party,
    workers: Array.from({ length: workersPerTenant }, () => new Worker(party, seededRandom(random() * 2 ** 32))),
  }));
  const workers = staffed.flatMap((one) => one.workers);
  const minOutcomes = () => Math.min(countOutcomes(workers, 'changed'), countOutcomes(workers, 'unchanged'));
  await (await startKillable(env, 0)).stop();
  for (let kill = 0; kill < kills; kill += 1) {
    const service = await startKillable(env, kill * downMs);
    const load = new Load(workers, service.address);
    const responsesMin = 1 + random() * maxResponsesBeforeKill;
    await load.waitUntil((responses) => responses >= responsesMin && minOutcomes() >= minOutcomesPerKill * (kill + 1));
    await delay(random() * maxDelayBeforeKillMs);
    await service.kill();
    await load.ended;
  }

  const service = await startKillable(env, kills * downMs);
  const evidence = await Promise.all(
    staffed.map(({ party, workers }) => gather(service, party, { receiver, workers, nudge: service.passLease })),
  );
  const figures = figuresOf(evidence, workers);
  expect(JSON.parse((await licensing(['jobs', 'list', '--state', 'dead', '--json'], env)).stdout)).toEqual([]);
  expect(workers.flatMap(({ surprises }) => surprises)).toEqual([]);
  expect(evidence.flatMap(findFaults).slice(0, faultsShown)).toEqual([]);
  expect(Math.min(minOutcomes(), figures.events)).toBeGreaterThanOrEqual(minOutcomesPerKill * kills);
  if (reportFile !== undefined) appendFileSync(reportFile, `${JSON.stringify(figures)}\n`);
});
