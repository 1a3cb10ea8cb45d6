import fc from 'fast-check';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { beforeAll, expect, test } from 'vitest';
import type { PlatformDb } from '../../src/db/database.ts';
import type { AnyJob } from '../../src/jobs/job.ts';
import { writeWakeUps } from '../../src/jobs/queries.ts';
import { createJobRunner, type JobRunner } from '../../src/jobs/runner.ts';
import { systemClock, toTimestamp } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import { createJobMetrics } from '../../src/metrics/backlog-metrics.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { engine, useApp } from '../support/harness.ts';

const suite = useApp();
let tenantId: string;

beforeAll(async () => {
  tenantId = (await createTenant(suite.app, await createAdmin(suite.app))).id;
});

/** Longer than a lease. */
const stallMs = 31_000;
const startMs = Date.UTC(2026, 10, 20, 12);

const subjects = ['platform 1', 'platform 2', 'tenant'] as const;
const outcomes = ['done', 'again', 'later', 'failed'] as const;

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ action: fc.constant('wake' as const), subject: fc.constantFrom(...subjects) }) },
  { weight: 4, arbitrary: fc.record({ action: fc.constant('poll' as const), node: fc.constantFrom(0, 1) }) },
  { weight: 1, arbitrary: fc.record({ action: fc.constant('renew' as const), node: fc.constantFrom(0, 1) }) },
  { weight: 1, arbitrary: fc.record({ action: fc.constant('stall' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const scenario = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 14 }),
  results: fc.array(fc.constantFrom(...outcomes), { maxLength: 6 }),
  /** True if the first process stops at the end, so that the second one must continue its work. */
  stops: fc.boolean(),
  scheduler: fc.scheduler(),
});

/** Returns the database as a process sees it whose requests and responses arrive when the scheduler delivers them. */
function delayed(platform: PlatformDb, scheduler: fc.Scheduler): PlatformDb {
  const deliver = <Value>(value: Value, label: string) => scheduler.schedule(Promise.resolve(value), label);
  return {
    ...platform,
    query: platform.query.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => deliver(result, 'response'),
    }),
    async transaction(work, options) {
      await deliver(undefined, 'request');
      return await deliver(await platform.transaction(work, options), 'response');
    },
  };
}

/** Two processes with the same jobs on one database. */
class Processes {
  readonly runners: readonly JobRunner[];
  readonly problems: string[] = [];
  readonly #platform: PlatformDb;
  readonly #scheduler: fc.Scheduler;
  readonly #results: (typeof outcomes)[number][];
  readonly #kinds = { platform: newId(), tenant: newId() };
  readonly #clock = systemClock(() => this.#nowMs);
  readonly #requested = new Map<string, number>();
  readonly #served = new Map<string, number>();
  readonly #pending: Promise<unknown>[] = [];
  #nowMs = startMs;

  constructor(scheduler: fc.Scheduler, results: readonly (typeof outcomes)[number][]) {
    this.#platform = suite.app.services.platform;
    this.#scheduler = scheduler;
    this.#results = [...results];
    this.runners = [this.#createRunner(), this.#createRunner()];
  }

  #createRunner(): JobRunner {
    const active = new Set<string>();
    const work = async (subjectId: string) => {
      if (active.has(subjectId)) this.problems.push(`${subjectId} ran twice at the same time in one process`);
      active.add(subjectId);
      this.#served.set(subjectId, this.#requested.get(subjectId) ?? 0);
      await this.#scheduler.schedule(Promise.resolve(), 'work');
      active.delete(subjectId);
      const result = this.#results.shift() ?? 'done';
      if (result === 'failed') throw new Error('failed');
      if (result === 'later') return toTimestamp(this.#nowMs + 3_600_000);
      return result === 'again' ? this.#clock.now() : null;
    };
    const jobs: AnyJob[] = [
      { kind: this.#kinds.platform, daily: false, runForPlatform: (run) => work(run.subjectId) },
      { kind: this.#kinds.tenant, daily: false, runUnopened: (run) => work(run.tenantId) },
    ];
    return createJobRunner({
      jobs,
      platform: delayed(this.#platform, this.#scheduler),
      tenants: suite.app.services.tenants,
      clock: this.#clock,
      logger: pino({ level: 'silent' }),
      metrics: createJobMetrics([new Registry()]),
      concurrency: 2,
    });
  }

  #nameOf(subject: (typeof subjects)[number]) {
    if (subject === 'tenant') return { subjectId: tenantId, kind: this.#kinds.tenant };
    return { subjectId: `${subject} ${this.#kinds.platform}`, kind: this.#kinds.platform };
  }

  /** Starts one step. Only the write of a wake-up ends before it returns. */
  async take(next: Step): Promise<void> {
    if (next.action === 'stall') this.#nowMs += stallMs;
    if (next.action === 'poll') this.#pending.push(this.#runner(next.node).runDue());
    if (next.action === 'renew') this.#pending.push(this.#runner(next.node).heartbeat());
    if (next.action !== 'wake') return;
    const name = this.#nameOf(next.subject);
    this.#requested.set(name.subjectId, (this.#requested.get(name.subjectId) ?? 0) + 1);
    const at = this.#clock.now();
    await writeWakeUps(this.#platform, [{ ...name, dueAt: at }], at);
  }

  #runner(node: number): JobRunner {
    const runner = this.runners[node];
    if (runner === undefined) throw new Error(`There is no process ${node}.`);
    return runner;
  }

  /** Waits for everything that was started, and then lets both processes look for due work a last time. */
  async settle(stops: boolean): Promise<void> {
    if (stops) await this.#runner(0).stop();
    await Promise.all(this.#pending);
    for (const runner of this.runners) await runner.runDue();
  }

  /** Adds a problem for each row that no process runs although it should. */
  async inspect(): Promise<void> {
    const kinds = Object.values(this.#kinds);
    const rows = await this.#platform.query.selectFrom('jobs').selectAll().where('kind', 'in', kinds).execute();
    const at = this.#clock.now();
    for (const { subject_id, status, due_at } of rows) {
      if (status === 'running') this.problems.push(`${subject_id} waits for the end of a lease`);
      else if (due_at !== null && due_at <= at) this.problems.push(`${subject_id} is due and was not started`);
    }
    const failed = new Set(rows.filter(({ attempts }) => attempts > 0).map((row) => row.subject_id));
    for (const [subjectId, requested] of this.#requested) {
      if (this.#served.get(subjectId) !== requested && !failed.has(subjectId))
        this.problems.push(`no run of ${subjectId} started after its last wake-up`);
    }
    await this.#platform.query.deleteFrom('jobs').where('kind', 'in', kinds).execute();
  }
}

test('in every order of claims, runs, releases, wake-ups and stalls, a process runs a subject once at a time, starts every due row, and leaves no row waiting for a lease', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ steps, results, stops, scheduler }) => {
      const processes = new Processes(scheduler, results);
      const all = scheduler.scheduleSequence(
        steps.map((next) => ({ label: JSON.stringify(next), builder: () => processes.take(next) })),
      );
      await scheduler.waitFor(all.task.then(() => processes.settle(stops)));
      await processes.inspect();
      expect(processes.problems).toEqual([]);
    }),
    { numRuns: engine === 'sqlite' ? 100 : 25 },
  );
});
