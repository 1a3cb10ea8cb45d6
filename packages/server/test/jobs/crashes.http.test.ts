import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { claimDue } from '../../src/jobs/claim.ts';
import type { WaitingJob } from '../../src/jobs/job.ts';
import { newId } from '../../src/lib/ids.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { inMs, jobRow, recordedJob, runnerOf, scheduleJob } from './job-rows.ts';

const clock = useClock();
const suite = useApp();
let tenantId: string;

beforeAll(async () => {
  tenantId = (await createTenant(suite.app, await createAdmin(suite.app))).id;
});

const rowOf = (kind: string) => jobRow(suite.app, tenantId, kind);
const scheduleAt = (kind: string) => scheduleJob(suite.app, tenantId, kind);

/** Claims the due rows of these kinds like a process that then dies, as often as given. */
async function dieRepeatedly(kinds: readonly string[], deaths: number, outlasting = kinds): Promise<void> {
  const { platform, clock: now } = suite.app.services;
  for (let death = 0; death < deaths; death += 1) {
    const lease = { now: now.now(), leaseEndsAt: inMs(30_000), processAgeMs: 30_000 };
    const { claims } = await claimDue(platform, { ...lease, kinds, outlastingKinds: new Set(outlasting), limit: 9 });
    expect(claims).toHaveLength(kinds.length);
    clock.advance(30_000);
  }
}

test('a job becomes dead after sixteen deaths of its process, and a job that outlasts crashes runs again', async () => {
  const [ordinary, lasting] = [recordedJob(), { ...recordedJob(), outlastsCrashes: true }];
  const proven = runnerOf(suite.app, [ordinary, lasting]);
  for (const { kind } of [ordinary, lasting]) await scheduleAt(kind);
  await dieRepeatedly([ordinary.kind, lasting.kind], 16, [lasting.kind]);
  await proven.runDue();
  expect([ordinary.runs.length, lasting.runs.length]).toEqual([0, 1]);
  expect(await rowOf(ordinary.kind)).toMatchObject({ status: 'dead', attempts: 16, lease_owner: null });
  expect(await rowOf(lasting.kind)).toMatchObject({ status: 'waiting', attempts: 0, last_error: null });
});

test.each([
  ['a job', false],
  ['a job that outlasts crashes', true],
])('after eight deaths a new process does other work for 30 s before it runs %s', async (_job, outlastsCrashes) => {
  const [unlucky, other] = [{ ...recordedJob(), outlastsCrashes }, recordedJob()];
  await scheduleAt(unlucky.kind);
  await dieRepeatedly([unlucky.kind], 8, outlastsCrashes ? [unlucky.kind] : []);
  const young = runnerOf(suite.app, [unlucky, other]);
  await scheduleAt(other.kind);
  await young.runDue();
  expect([unlucky.runs.length, other.runs.length]).toEqual([0, 1]);
  clock.advance(30_000);
  await young.runDue();
  expect(unlucky.runs).toHaveLength(1);
  expect(await rowOf(unlucky.kind)).toMatchObject({ status: 'waiting', attempts: 0 });
});

test('a job whose runs make progress is run at once by every new process, however often its process was killed', async () => {
  const killed = Promise.withResolvers<null>();
  onTestFinished(() => killed.resolve(null));
  let begun = Promise.withResolvers<void>();
  const job: WaitingJob = {
    kind: newId(),
    daily: false,
    outlastsCrashes: true,
    runUnopened({ reportProgress }) {
      reportProgress();
      begun.resolve();
      return killed.promise;
    },
  };
  await scheduleAt(job.kind);
  for (let kill = 0; kill < 12; kill += 1) {
    begun = Promise.withResolvers();
    void runnerOf(suite.app, [job]).runDue();
    await begun.promise;
    await expect.poll(async () => (await rowOf(job.kind)).attempts).toBe(1);
    clock.advance(30_000);
  }
});

test('processes that die do not count as failures of a job that outlasts crashes', async () => {
  const job = { ...recordedJob(() => Promise.reject(new Error('once'))), outlastsCrashes: true };
  const runner = runnerOf(suite.app, [job]);
  await scheduleAt(job.kind);
  await dieRepeatedly([job.kind], 12);
  await runner.runDue();
  expect(await rowOf(job.kind)).toMatchObject({ status: 'waiting', attempts: 1, due_at: inMs(5000) });
});
