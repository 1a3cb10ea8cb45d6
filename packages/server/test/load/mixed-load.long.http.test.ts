import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { gather, makeParty, type Party } from '../crash/evidence.ts';
import { findFaults } from '../crash/findings.ts';
import { type KillableService, startKillable } from '../crash/killable-service.ts';
import { seededRandom } from '../crash/random.ts';
import { Worker } from '../crash/worker.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, engine, startApp, stopApp, type TestSite } from '../support/harness.ts';
import { defineEntitlements, newPolicy } from '../support/licensing-catalog.ts';
import { onServer } from '../support/platform-template.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';
import { type Growth, judgeLevel, judgeSize, lowestIn, type Point, theilSenSlope } from './growth.ts';
import { countRows, type Sample, type Sampled, Stopwatch, takeSample } from './sampler.ts';
import { Visitor } from './visitor.ts';

// A few seconds in `npm run test:long`, an hour in `npm run test:soak`.
const minutes = Number(process.env['LOAD_MINUTES'] ?? 0.05);
const seed = Number(process.env['LOAD_SEED'] ?? Date.now() % 2 ** 32);
const reportFile = process.env['LOAD_REPORT'];

const isLong = minutes >= 1;
/** Tenants of which every change, event and counter is compared. Their endpoint fails now and then. */
const partyCount = isLong ? 4 : 1;
/** Tenants with requests of all kinds. Each third one has no endpoint, one that fails, or one that hangs. */
const visitorCount = isLong ? 12 : 3;
const licensesPerVisitor = 5;
const pauseMs = isLong ? 250 : 20;
const sampleEveryMs = isLong ? 5_000 : 500;
const samplesPerRowCount = isLong ? 6 : 1;
/** A shorter run fills caches most of the time, so its growth says nothing. */
const judgedFromMinutes = 20;
/** The heap contains garbage until the next collection, and under this load a complete one comes every few minutes. */
const collectionSeconds = 180;
const hangMs = 20_000;
/** The share of deliveries that a party's endpoint refuses at first. */
const failureShare = 0.02;
const faultsShown = 20;
const mebibyte = 2 ** 20;

const receiver = useReceiver();

/** Creates the site, on PostgreSQL with a server of its own, which is as durable as by default. */
async function prepareSite(): Promise<{ readonly site: TestSite; readonly serverUrl: string | undefined }> {
  const site = await createSite('sqlite');
  onTestFinished(() => site.remove());
  if (engine === 'sqlite') return { site, serverUrl: undefined };
  const server = await startPostgres({ durable: true });
  onTestFinished(() => server.stop());
  await onServer(server.url, ["create database platform encoding utf8 lc_collate 'C' lc_ctype 'C' template template0"]);
  const url = new URL(server.url);
  url.pathname = '/platform';
  return { site: { ...site, env: { ...site.env, DATABASE_URL: url.href } }, serverUrl: server.url };
}

/** Creates the tenants with a service that is stopped afterwards. */
async function prepareTenants(site: TestSite, random: () => number) {
  const app = await startApp(site, loopbackWebhooks);
  const admin = await createAdmin(app);
  const parties: Party[] = [];
  for (let index = 0; index < partyCount; index += 1) {
    const party = await makeParty(await createTenant(app, admin, `Party ${index}`), receiver);
    receiver.answer(party.path, () => ({ status: random() < failureShare ? 500 : 200 }));
    parties.push(party);
  }
  const visitors: Visitor[] = [];
  for (let index = 0; index < visitorCount; index += 1) {
    const tenant = await createTenant(app, admin, `Visitor ${index}`);
    await defineEntitlements(tenant, { calls: 'metered' });
    const fields = { max_activations: 2, offline_ttl_seconds_max: 3600, entitlements: [{ code: 'calls' }] };
    const { id: policyId } = await newPolicy(tenant, fields);
    const path = `/${tenant.id}`;
    if (index % 3 > 0) await tenant.asOwner('POST', '/webhooks', { url: receiver.url(path), events: ['*'] });
    if (index % 3 === 1) receiver.answer(path, 500);
    if (index % 3 === 2) receiver.answer(path, () => delay(hangMs, { status: 200 }));
    const account = { token: tenant.owner.token, apiKey: tenant.apiKey, policyId };
    visitors.push(new Visitor(tenant, account, licensesPerVisitor, seededRandom(random() * 2 ** 32)));
  }
  await stopApp(app);
  return { parties, visitors };
}

/** Samples the service until the time is over. */
async function sampleUntilEnd(sampled: Sampled, stopwatch: Stopwatch): Promise<Sample[]> {
  const samples: Sample[] = [];
  const startMs = performance.now();
  const endMs = startMs + minutes * 60_000;
  while (performance.now() < endMs) {
    await delay(sampleEveryMs);
    const second = Math.round((performance.now() - startMs) / 100) / 10;
    const sample = await takeSample(sampled, stopwatch);
    const isCounted = samples.length % samplesPerRowCount === 0;
    samples.push({ second, ...sample, ...(isCounted && { rows: await countRows(sampled) }) });
  }
  return samples;
}

function judge(samples: readonly Sample[]) {
  const level = (name: 'residentBytes' | 'heapBytes' | 'handles' | 'largestLogBytes' | 'dueJobs') =>
    samples.map((sample): Point => ({ x: sample.second, y: sample[name] }));
  const sizes = samples.flatMap((sample) =>
    sample.rows === undefined ? [] : [{ x: sample.rows, y: sample.databaseBytes }],
  );
  return {
    residentBytes: judgeLevel(level('residentBytes'), { share: 0.1, absolute: 16 * mebibyte }),
    heapBytes: judgeLevel(lowestIn(level('heapBytes'), collectionSeconds), { share: 0.1, absolute: 8 * mebibyte }),
    handles: judgeLevel(level('handles'), { share: 0.05, absolute: 4 }),
    largestLogBytes: judgeLevel(level('largestLogBytes'), { share: 0.1, absolute: mebibyte }),
    dueJobs: judgeLevel(level('dueJobs'), { share: 0.1, absolute: 4 }),
    databaseBytes: judgeSize(sizes),
  };
}

test(`under mixed load for ${minutes} minutes every response is correct, nothing is lost, and memory, handles and files do not grow (LOAD_SEED=${seed})`, {
  timeout: 300_000 + minutes * 120_000,
}, async () => {
  const random = seededRandom(seed);
  const { site, serverUrl } = await prepareSite();
  const { parties, visitors } = await prepareTenants(site, random);
  const service = await startKillable(
    { ...site.env, ...loopbackWebhooks, TRUST_PROXY: 'loopback', LOG_LEVEL: 'warn' },
    0,
  );
  const staffed = parties.map((party) => ({ party, workers: [new Worker(party, seededRandom(random() * 2 ** 32))] }));
  const workers = [...visitors, ...staffed.flatMap((one) => one.workers)];
  const stopwatch = new Stopwatch();
  const stop = new AbortController();
  const options = { signal: stop.signal, pauseMs, onTimed: stopwatch.note };
  const ended = Promise.all(workers.map((worker) => worker.runThrough(() => service.address, options)));
  const { address, processId } = service;
  const samples = await sampleUntilEnd({ address, processId, dataDir: site.dataDir, serverUrl }, stopwatch);
  stop.abort();
  await ended;
  const growth = judge(samples);
  report(samples, growth);
  expect(workers.flatMap(({ surprises }) => surprises).slice(0, faultsShown)).toEqual([]);
  const failed = workers.map(({ figures }) => figures.unavailable + figures.unanswered);
  expect(failed).toEqual(workers.map(() => 0));
  for (const visitor of visitors) expect((await visitor.findLosses(address)).slice(0, faultsShown)).toEqual([]);
  await expectNothingLost(service, staffed);
  if (minutes >= judgedFromMinutes) {
    expect(Object.entries(growth).filter(([, { grows }]) => grows)).toEqual([]);
  }
});

async function expectNothingLost(
  service: KillableService,
  staffed: readonly { readonly party: Party; readonly workers: readonly Worker[] }[],
): Promise<void> {
  for (const { party, workers } of staffed) {
    // Failed deliveries are sent again after minutes.
    const evidence = await gather(service, party, { receiver, workers, nudge: service.passTenMinutes });
    expect(findFaults(evidence).slice(0, faultsShown)).toEqual([]);
    expect(evidence.attempts.filter(({ outcome }) => outcome === 'changed').length).toBeGreaterThan(0);
  }
}

function report(samples: readonly Sample[], growth: Readonly<Record<string, Growth | object>>): void {
  if (reportFile === undefined) return;
  writeFileSync(reportFile, JSON.stringify({ engine, minutes, seed, growth, samples }));
}

test('a level that grows by more than its tolerance is found despite outliers, and a level with a saw-tooth is not', () => {
  const saw = Array.from({ length: 600 }, (_, index) => ({ x: index * 5, y: 100 + (index % 20) }));
  const leaking = saw.map(({ x, y }) => ({ x, y: x % 100 === 0 ? 900 : y + x / 60 }));
  const tolerance = { share: 0.1, absolute: 5 };
  expect(judgeLevel(saw, tolerance).grows).toBe(false);
  expect(judgeLevel(leaking, tolerance).grows).toBe(true);
  expect(theilSenSlope([{ x: 0, y: 1 }])).toBe(0);
});

test('garbage that waits longer for its collection does not count as growth, and what is left after collections does', () => {
  const heap = (left: (second: number) => number) =>
    Array.from({ length: 600 }, (_, index) => {
      const second = index * 5;
      // Collections come every 100 s, and find more and more garbage.
      return { x: second, y: left(second) + (second % 100) * (1 + second / 3000) };
    });
  const grows = (points: Point[]) => judgeLevel(lowestIn(points, 180), { share: 0.1, absolute: 5 }).grows;
  expect(
    judgeLevel(
      heap(() => 100),
      { share: 0.1, absolute: 5 },
    ).grows,
  ).toBe(true);
  expect(grows(heap(() => 100))).toBe(false);
  expect(grows(heap((second) => 100 + second / 60))).toBe(true);
});

test('growth of files proportional to their rows is accepted, and faster growth is reported', () => {
  const points = Array.from({ length: 100 }, (_, index) => ({ x: index * 10, y: index * 4096 }));
  expect(judgeSize(points).grows).toBe(false);
  expect(judgeSize(points.map(({ x, y }, index) => ({ x, y: y + (index > 50 ? (index - 50) * 4096 : 0) }))).grows).toBe(
    true,
  );
});
