import { once } from 'node:events';
import { pino } from 'pino';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { DatabaseUnavailableError } from '../../src/db/errors.ts';
import { reviveJob } from '../../src/jobs/queries.ts';
import { createJobRunner } from '../../src/jobs/runner.ts';
import { newId } from '../../src/lib/ids.ts';
import { type Account, createAdmin, createTenant } from '../support/accounts.ts';
import { startApp, stopApp, useApp, useClock } from '../support/harness.ts';
import { inMs, jobRow, recordedJob, runnerOf, scheduleJob } from './job-rows.ts';

const clock = useClock();
const suite = useApp();
let admin: Account;
let tenantId: string;

beforeAll(async () => {
  admin = await createAdmin(suite.app);
  tenantId = (await createTenant(suite.app, admin)).id;
});

const rowOf = (kind: string) => jobRow(suite.app, tenantId, kind);
const scheduleAt = (kind: string, dueAt?: string) => scheduleJob(suite.app, tenantId, kind, dueAt);
const setStatus = (id: string, status: string) =>
  suite.app.request({
    method: 'PATCH',
    url: `/api/v1/admin/tenants/${id}`,
    headers: admin.auth,
    payload: { status },
  });
const counted = async (kind: string) => {
  const { text } = await suite.app.request({ method: 'GET', url: '/metrics' });
  const lines = text.split('\n').filter((line) => line.startsWith(`jobs_total{kind="${kind}"`));
  return Object.fromEntries(lines.map((line) => [/result="(\w+)"/.exec(line)?.[1], Number(line.split(' ').at(-1))]));
};

/** Creates a job whose runs wait until `open` is called. */
function gatedJob() {
  const gate = Promise.withResolvers<null>();
  const begun = Promise.withResolvers<void>();
  const job = recordedJob(() => {
    begun.resolve();
    return gate.promise;
  });
  onTestFinished(() => gate.resolve(null));
  return { job, begun: begun.promise, open: () => gate.resolve(null) };
}

describe('due jobs', () => {
  test('a job runs once when it is due, on the database of its tenant, and again at the time that its run returns', async () => {
    const next = inMs(60_000);
    const nextDueTimes = [next, null];
    const job = recordedJob(() => Promise.resolve(nextDueTimes.shift() ?? null));
    const runner = runnerOf(suite.app, [job]);
    await scheduleAt(job.kind, inMs(1000));
    await runner.runDue();
    expect(job.runs).toHaveLength(0);
    clock.advance(1000);
    await Promise.all([runner.runDue(), runner.runDue()]);
    expect(job.runs).toHaveLength(1);
    const identity = await job.runs[0]?.db.query.selectFrom('tenant_identity').select('tenant_id').executeTakeFirst();
    expect([job.runs[0]?.tenantId, identity?.tenant_id]).toEqual([tenantId, tenantId]);
    expect(await rowOf(job.kind)).toMatchObject({ status: 'waiting', due_at: next, attempts: 0, lease_owner: null });
    clock.advance(59_000);
    await runner.runDue();
    expect(job.runs).toHaveLength(2);
    expect(await rowOf(job.kind)).toMatchObject({ status: 'waiting', due_at: null });
    clock.advance(86_400_000);
    await runner.runDue();
    expect(job.runs).toHaveLength(2);
    expect(await counted(job.kind)).toEqual({ done: 2 });
  });

  test('a daily job runs every day at the same time of its tenant, even if its run returns null', async () => {
    const job = recordedJob(undefined, { daily: true });
    const runner = runnerOf(suite.app, [job]);
    await scheduleAt(job.kind);
    await runner.runDue();
    const first = (await rowOf(job.kind)).due_at ?? '';
    expect(Date.parse(first) - Date.now()).toBeLessThanOrEqual(86_400_000);
    clock.set(first.replace('000Z', 'Z'));
    await runner.runDue();
    expect(Date.parse((await rowOf(job.kind)).due_at ?? '') - Date.parse(first)).toBe(86_400_000);
    expect(job.runs).toHaveLength(2);
  });

  test('a job of an unknown kind is left to nodes that know the kind', async () => {
    const job = recordedJob();
    await scheduleAt(job.kind);
    await runnerOf(suite.app, [recordedJob()]).runDue();
    expect(await rowOf(job.kind)).toMatchObject({ status: 'waiting', attempts: 0 });
    await runnerOf(suite.app, [job]).runDue();
    expect(job.runs).toHaveLength(1);
  });

  test('a runner runs as many jobs at the same time as its concurrency allows, and finally all of them', async () => {
    let active = 0;
    let activeMax = 0;
    const threeAreActive = Promise.withResolvers<void>();
    const jobs = Array.from({ length: 10 }, () =>
      recordedJob(async ({ db }) => {
        active += 1;
        activeMax = Math.max(activeMax, active);
        if (active === 3) threeAreActive.resolve();
        await threeAreActive.promise;
        await db.query.selectFrom('settings').selectAll().execute();
        active -= 1;
        return null;
      }),
    );
    for (const { kind } of jobs)
      suite.app.services.wakeUps.scheduleAfterCommit(tenantId, kind, suite.app.services.clock.now());
    await suite.app.services.wakeUps.flush();
    await runnerOf(suite.app, jobs, 3).runDue();
    expect(jobs.map((job) => job.runs.length)).toEqual(jobs.map(() => 1));
    expect(activeMax).toBe(3);
  });

  test('a job that waits does not delay other jobs', async () => {
    const slow = gatedJob();
    const quick = recordedJob();
    const runner = runnerOf(suite.app, [slow.job, quick], 2);
    await scheduleAt(slow.job.kind);
    const all = runner.runDue();
    await slow.begun;
    await scheduleAt(quick.kind);
    await Promise.race([runner.runDue(), expect.poll(() => quick.runs.length).toBe(1)]);
    expect([slow.job.active, quick.runs.length]).toEqual([1, 1]);
    slow.open();
    await all;
  });
});

describe('a wake-up', () => {
  test('a wake-up moves a due time forward and never back', async () => {
    const { kind } = recordedJob();
    const early = inMs(60_000);
    for (const dueAt of [inMs(120_000), early, inMs(180_000)]) await scheduleAt(kind, dueAt);
    expect((await rowOf(kind)).due_at).toBe(early);
    const { wakeUps } = suite.app.services;
    const earliest = inMs(1000);
    for (const dueAt of [inMs(2000), earliest, inMs(3000)]) wakeUps.scheduleAfterCommit(tenantId, kind, dueAt);
    await wakeUps.flush();
    expect((await rowOf(kind)).due_at).toBe(earliest);
  });

  test.each([
    { returns: 'null', answer: null, expected: 'wake-up' },
    { returns: 'a later time', answer: 90_000, expected: 'wake-up' },
    { returns: 'an earlier time', answer: 30_000, expected: 'answer' },
  ])('a wake-up that arrives during a run is not lost if the run returns $returns', async ({ answer, expected }) => {
    const moments = { wakeUp: inMs(60_000), answer: answer === null ? null : inMs(answer) };
    const job = recordedJob(async () => {
      for (const dueAt of [inMs(70_000), moments.wakeUp, inMs(80_000)]) await scheduleAt(job.kind, dueAt);
      return moments.answer;
    });
    await scheduleAt(job.kind);
    await runnerOf(suite.app, [job]).runDue();
    expect(await rowOf(job.kind)).toMatchObject({
      status: 'waiting',
      wake_at: null,
      due_at: expected === 'wake-up' ? moments.wakeUp : moments.answer,
    });
  });

  test('a wake-up for due work makes a started runner poll immediately', async () => {
    const ran = Promise.withResolvers<void>();
    const job = recordedJob(() => {
      ran.resolve();
      return Promise.resolve(null);
    });
    const runner = runnerOf(suite.app, [job]);
    onTestFinished(() => runner.stop());
    suite.app.services.wakeUps.whenDue(() => runner.wake());
    runner.start();
    await scheduleAt(job.kind);
    await ran.promise;
    expect(job.runs).toHaveLength(1);
  });
});

describe('failing jobs', () => {
  const failing = () => recordedJob(() => Promise.reject(new Error('no\u0000luck')));

  test('a failing job is retried after growing waits that no wake-up shortens, and is then dead until an operator retries it', async () => {
    const job = failing();
    const runner = runnerOf(suite.app, [job]);
    await scheduleAt(job.kind);
    const waits: number[] = [];
    for (let attempt = 1; attempt < 8; attempt += 1) {
      await runner.runDue();
      await scheduleAt(job.kind);
      const row = await rowOf(job.kind);
      expect(row).toMatchObject({ status: 'waiting', attempts: attempt, last_error: 'no luck' });
      const waitMs = Date.parse(row.due_at ?? '') - Date.now();
      waits.push(waitMs / 1000);
      clock.advance(waitMs - 1);
      await runner.runDue();
      expect(job.runs).toHaveLength(attempt);
      clock.advance(1);
    }
    expect(waits).toEqual([5, 30, 120, 600, 1800, 7200, 21_600]);
    await runner.runDue();
    expect(await rowOf(job.kind)).toMatchObject({ status: 'dead', due_at: null, attempts: 8, lease_owner: null });
    await scheduleAt(job.kind);
    clock.advance(7 * 86_400_000);
    await runner.runDue();
    expect(job.runs).toHaveLength(8);
    expect(await counted(job.kind)).toEqual({ failed: 7, dead: 1 });
    expect((await suite.app.request({ method: 'GET', url: '/metrics' })).text).toMatch(/^jobs_dead 1$/m);

    const { platform, clock: now } = suite.app.services;
    const name = { subject_id: tenantId, kind: job.kind };
    expect(await reviveJob(platform, name, now.now())).toBe('dead');
    const repaired = recordedJob(undefined, { kind: job.kind });
    await runnerOf(suite.app, [repaired]).runDue();
    expect(repaired.runs).toHaveLength(1);
    expect(await rowOf(job.kind)).toMatchObject({ status: 'waiting', attempts: 0, last_error: null });
    expect(await reviveJob(platform, name, now.now())).toBe('waiting');
    expect(await reviveJob(platform, { ...name, kind: newId() }, now.now())).toBeUndefined();
  });

  test('a success resets the failure count of a job', async () => {
    const job = recordedJob(() =>
      job.runs.length % 2 === 1 ? Promise.reject(new Error('once')) : Promise.resolve(inMs(1000)),
    );
    const runner = runnerOf(suite.app, [job]);
    await scheduleAt(job.kind);
    for (let round = 0; round < 20; round += 1) {
      await runner.runDue();
      clock.advance(5000);
    }
    expect(job.runs).toHaveLength(20);
    expect(await rowOf(job.kind)).toMatchObject({ status: 'waiting', attempts: 0 });
  });

  test('a job whose database is unavailable never becomes dead and waits ten minutes at most', async () => {
    const job = recordedJob(() => Promise.reject(new DatabaseUnavailableError('down')));
    const runner = runnerOf(suite.app, [job]);
    await scheduleAt(job.kind);
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      await runner.runDue();
      expect(job.runs).toHaveLength(attempt);
      clock.advance(600_000);
    }
    expect(await rowOf(job.kind)).toMatchObject({ status: 'waiting', attempts: 12, last_error: 'down' });
  });

  test('a failing job does not delay other jobs', async () => {
    const jobs = [failing(), recordedJob(), failing(), recordedJob()];
    for (const job of jobs) await scheduleAt(job.kind);
    await runnerOf(suite.app, jobs, 1).runDue();
    expect(jobs.map((job) => job.runs.length)).toEqual([1, 1, 1, 1]);
  });
});

describe('leases', () => {
  test('no other node claims a job while its lease is renewed', async () => {
    const { job, begun, open } = gatedJob();
    const [one, other] = [runnerOf(suite.app, [job]), runnerOf(suite.app, [job])];
    await scheduleAt(job.kind);
    const first = one.runDue();
    await begun;
    for (let beat = 0; beat < 4; beat += 1) {
      clock.advance(29_000);
      await one.heartbeat();
      await other.runDue();
    }
    expect(job.runs).toHaveLength(1);
    open();
    await first;
    expect(await rowOf(job.kind)).toMatchObject({ status: 'waiting', attempts: 0 });
  });

  test('another node takes over a job whose lease is not renewed, and the first run is aborted and changes nothing', async () => {
    const stuck = gatedJob();
    const successor = recordedJob(() => Promise.resolve(inMs(60_000)), { kind: stuck.job.kind });
    const dying = runnerOf(suite.app, [stuck.job]);
    await scheduleAt(successor.kind);
    const lost = dying.runDue();
    await stuck.begun;
    const other = runnerOf(suite.app, [successor]);
    clock.advance(29_999);
    await other.runDue();
    expect(successor.runs).toHaveLength(0);
    clock.advance(1);
    await other.runDue();
    expect(successor.runs).toHaveLength(1);
    const after = await rowOf(successor.kind);
    expect(stuck.job.runs[0]?.signal.aborted).toBe(false);
    await dying.heartbeat();
    expect(stuck.job.runs[0]?.signal.aborted).toBe(true);
    stuck.open();
    await lost;
    expect(await rowOf(successor.kind)).toEqual(after);
    expect(await counted(successor.kind)).toEqual({ done: 1, lost: 1 });
  });

  test('a renewal while a run records its result reports no lost lease', async () => {
    for (let turns = 0; turns < 40; turns += 1) {
      const { job, begun, open } = gatedJob();
      const warnings: string[] = [];
      const logger = pino({ level: 'warn' }, { write: (line) => void warnings.push(JSON.parse(line).msg) });
      const { services } = suite.app;
      const runner = createJobRunner({ ...services, logger, metrics: services.metrics.jobs, jobs: [job] });
      await scheduleAt(job.kind);
      const run = runner.runDue();
      await begun;
      open();
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      await Promise.all([runner.heartbeat(), run]);
      expect(warnings).toEqual([]);
      expect(await rowOf(job.kind)).toMatchObject({ status: 'waiting', attempts: 0 });
    }
  });

  test('a process whose lease ended while it stalled runs the job again after the first run has ended, and not beside it', async () => {
    const { job, begun, open } = gatedJob();
    const runner = runnerOf(suite.app, [job]);
    await scheduleAt(job.kind);
    const first = runner.runDue();
    await begun;
    clock.advance(31_000);
    const second = runner.runDue();
    await expect.poll(async () => (await rowOf(job.kind)).attempts).toBe(2);
    await runner.heartbeat();
    expect([job.runs.length, job.runs[0]?.signal.aborted]).toEqual([1, false]);
    open();
    await Promise.all([first, second]);
    expect(await rowOf(job.kind)).toMatchObject({ status: 'waiting', attempts: 0, lease_owner: null });
    expect(job.runs).toHaveLength(2);
    expect(await counted(job.kind)).toEqual({ lost: 1, done: 1 });
  });
});

test('two services on the same databases run each job once and never concurrently', async () => {
  const other = await startApp(suite.app.site);
  onTestFinished(() => stopApp(other));
  let overlapped = false;
  const jobs = Array.from({ length: 40 }, () => {
    const job = recordedJob(async ({ db }) => {
      await db.query.selectFrom('settings').selectAll().execute();
      overlapped ||= job.active > 1;
      return null;
    });
    return job;
  });
  for (const { kind } of jobs)
    suite.app.services.wakeUps.scheduleAfterCommit(tenantId, kind, suite.app.services.clock.now());
  await suite.app.services.wakeUps.flush();
  const runners = [runnerOf(suite.app, jobs, 8), runnerOf(other, jobs, 8), runnerOf(other, jobs, 8)];
  await Promise.all(runners.map((runner) => runner.runDue()));
  expect(jobs.map((job) => job.runs.length)).toEqual(jobs.map(() => 1));
  expect(overlapped).toBe(false);
});

test.each(['suspended', 'closed'])('jobs of a %s tenant are parked and do not delay other jobs', async (status) => {
  admin = await createAdmin(suite.app);
  const { id } = await createTenant(suite.app, admin);
  const jobs = Array.from({ length: 5 }, () => recordedJob());
  for (const job of jobs) await scheduleJob(suite.app, id, job.kind);
  await setStatus(id, status);
  const own = recordedJob();
  await scheduleAt(own.kind);
  await runnerOf(suite.app, [...jobs, own], 2).runDue();
  expect(own.runs).toHaveLength(1);
  for (const job of jobs) {
    expect(job.runs).toHaveLength(0);
    expect(await jobRow(suite.app, id, job.kind)).toMatchObject({ status: 'parked', due_at: null });
  }
});

describe('stopping', () => {
  test('a stopping runner claims no more jobs, aborts the active run, waits for it and records its result', async () => {
    const next = inMs(1000);
    const begun = Promise.withResolvers<void>();
    const job = recordedJob(async ({ signal }) => {
      begun.resolve();
      await once(signal, 'abort');
      return next;
    });
    const late = recordedJob();
    const runner = runnerOf(suite.app, [job, late], 2);
    await scheduleAt(job.kind);
    runner.start();
    await begun.promise;
    const stopped = runner.stop();
    await scheduleAt(late.kind);
    runner.wake();
    await stopped;
    expect([job.active, late.runs.length]).toEqual([0, 0]);
    expect(await rowOf(job.kind)).toMatchObject({ status: 'waiting', due_at: next, attempts: 0 });
    await Promise.all([runner.stop(), runner.runDue()]);
    expect(late.runs).toHaveLength(0);
  });
});
