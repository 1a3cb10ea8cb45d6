import { expect, test } from 'vitest';
import { type PlatformJob, type PlatformJobRun, platformSubject } from '../../src/jobs/job.ts';
import { enqueueJob } from '../../src/jobs/queries.ts';
import { createJobRunner } from '../../src/jobs/runner.ts';
import { createJobSweep } from '../../src/jobs/sweep.ts';
import type { Timestamp } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import { useApp, useClock } from '../support/harness.ts';

const suite = useApp();
const clock = useClock();

interface RecordedJob extends PlatformJob {
  readonly runs: PlatformJobRun[];
}

/** Creates a platform job of a unique kind that records its runs. */
function platformJob(work: (run: PlatformJobRun) => Promise<Timestamp | null>, daily = false): RecordedJob {
  const runs: PlatformJobRun[] = [];
  const runForPlatform = (run: PlatformJobRun) => {
    runs.push(run);
    return work(run);
  };
  return { kind: newId(), daily, runs, runForPlatform };
}

const complete = () => Promise.resolve(null);

function runnerOf(...jobs: PlatformJob[]) {
  const { services } = suite.app;
  return createJobRunner({ ...services, metrics: services.metrics.jobs, jobs });
}

function enqueue(kind: string, subjectId: string): Promise<void> {
  const { platform, clock: now } = suite.app.services;
  return platform.transaction((tx) => enqueueJob(tx, { subjectId, kind, dueAt: now.now() }, now.now()));
}

const rowsOf = (kind: string) =>
  suite.app.services.platform.query.selectFrom('jobs').selectAll().where('kind', '=', kind).execute();

test('an enqueued platform job runs once for its subject, and its row is deleted when it is complete', async () => {
  const job = platformJob(complete);
  const subjectId = newId();
  await enqueue(job.kind, subjectId);
  await enqueue(job.kind, subjectId);
  await Promise.all([runnerOf(job).runDue(), runnerOf(job).runDue()]);
  expect(job.runs.map((run) => run.subjectId)).toEqual([subjectId]);
  expect(await rowsOf(job.kind)).toEqual([]);
});

test('a platform job that was enqueued in a rolled-back transaction never runs', async () => {
  const job = platformJob(complete);
  const { platform, clock: now } = suite.app.services;
  const rolledBack = platform.transaction(async (tx) => {
    await enqueueJob(tx, { subjectId: newId(), kind: job.kind, dueAt: now.now() }, now.now());
    throw new Error('the change failed');
  });
  await expect(rolledBack).rejects.toThrow('the change failed');
  await runnerOf(job).runDue();
  expect(job.runs).toEqual([]);
});

test('a platform job that is enqueued during its own run runs again afterwards', async () => {
  const subjectId = newId();
  const job = platformJob(async () => {
    if (job.runs.length === 1) await enqueue(job.kind, subjectId);
    return null;
  });
  await enqueue(job.kind, subjectId);
  await runnerOf(job).runDue();
  expect(job.runs).toHaveLength(2);
  expect(await rowsOf(job.kind)).toEqual([]);
});

test('a failing platform job is retried after a wait, and finally stays as a dead row for the operator', async () => {
  const job = platformJob(() => Promise.reject(new Error('no response')));
  await enqueue(job.kind, newId());
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    await runnerOf(job).runDue();
    expect(job.runs).toHaveLength(attempt);
    await runnerOf(job).runDue();
    expect(job.runs).toHaveLength(attempt);
    clock.advance(86_400_000);
  }
  expect(await rowsOf(job.kind)).toMatchObject([{ status: 'dead', last_error: 'no response' }]);
});

test('a daily platform job is scheduled once for the platform, and again after each run', async () => {
  const job = platformJob(complete, true);
  const sweep = createJobSweep({ ...suite.app.services, jobs: [job] });
  await sweep.sweepNext();
  await sweep.sweepNext();
  expect(await rowsOf(job.kind)).toMatchObject([{ subject_id: platformSubject, status: 'waiting' }]);
  for (const day of [1, 2]) {
    clock.advance(86_400_000);
    await runnerOf(job).runDue();
    expect(job.runs).toHaveLength(day);
  }
});
