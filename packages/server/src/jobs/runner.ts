import { toEpochMs, toTimestamp } from '../lib/clock.ts';
import type { JobMetrics } from '../metrics/backlog-metrics.ts';
import { readBacklog } from './backlog-queries.ts';
import { type Claim, claimDue, dueOf } from './claim.ts';
import { type AnyJob, isPlatformJob } from './job.ts';
import { giveBack, isAnyDue, type JobName, renewLease } from './queries.ts';
import { type ActiveRun, type RunDependencies, runJob } from './run-job.ts';

/** Runs the background jobs of all tenants and of the platform on one node. */
export interface JobRunner {
  /** Starts polling for due jobs, 20 times a second. */
  start(): void;
  /** Polls now instead of at the next interval. Does nothing before `start` and after `stop`. */
  wake(): void;
  /** Runs all due jobs, and waits for them and for jobs that run already. For tests and tools. */
  runDue(): Promise<void>;
  /** Renews the leases of active runs. Aborts a run if another process has claimed its row. */
  heartbeat(): Promise<void>;
  /**
   * Stops claiming, aborts the active runs and waits until they have ended. Rows that this process has claimed and not
   * started are due again for other processes.
   */
  stop(): Promise<void>;
}

interface JobRunnerOptions extends RunDependencies {
  readonly jobs: readonly AnyJob[];
  readonly metrics: JobMetrics;
  /** Maximum concurrent runs in this process, not counting kinds that have their own `slots`. */
  readonly concurrency?: number;
}

/** Short, so that work that another process has written starts within 100 ms. A poll reads the start of one index. */
const pollIntervalMs = 50;
const pollRetryMs = 1_000;
const backlogIntervalMs = 1_000;
/** After this time another process takes over the jobs of a process that died. */
const leaseMs = 30_000;
const heartbeatIntervalMs = leaseMs / 3;
/** Low enough to leave capacity for requests; high enough that one slow tenant does not delay others. */
const defaultConcurrency = 4;
/** Maximum rows per claim: an embedded database serves no other request while it writes. */
const claimMax = 32;

/**
 * The runs of one row in this process, one after another in one slot. A row can be claimed again before its run has
 * ended here: the run has released the row and its promise is not resolved yet, or its lease ended while the process
 * stalled.
 */
interface RowRuns {
  readonly job: AnyJob;
  /** The active run. If there is a `next` claim, this run no longer holds the row. */
  run: ActiveRun | undefined;
  /** The newest claim of the row. It runs as soon as `run` has ended. */
  next: Claim | undefined;
  ended: Promise<void>;
}

/** Kinds that share slots, and the number of slots. */
interface Pool {
  readonly kinds: readonly string[];
  readonly slots: number;
}

function poolsOf(jobs: readonly AnyJob[], concurrency: number): Pool[] {
  const shared = jobs.filter((job) => job.slots === undefined).map((job) => job.kind);
  const own = jobs.flatMap(({ kind, slots }) => (slots === undefined ? [] : [{ kinds: [kind], slots }]));
  return shared.length === 0 ? own : [{ kinds: shared, slots: concurrency }, ...own];
}

const keyOf = (name: JobName) => `${name.kind} ${name.subject_id}`;

/** Creates a runner, which claims no jobs by itself before `start`. */
export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const { jobs, platform, clock, logger, metrics, concurrency = defaultConcurrency } = options;
  const jobsByKind = new Map(jobs.map((job) => [job.kind, job]));
  const pools = poolsOf(jobs, concurrency);
  const outlastingKinds = new Set(jobs.filter((job) => job.outlastsCrashes).map((job) => job.kind));
  const platformKinds = new Set(jobs.filter(isPlatformJob).map((job) => job.kind));
  const runsByRow = new Map<string, RowRuns>();
  const timers: NodeJS.Timeout[] = [];
  let claiming: Promise<void> | undefined;
  let pausedUntilMs = 0;
  let claimAgain = false;
  let stopped = false;

  const createdAtMs = clock.nowMs();
  const leaseEnd = () => toTimestamp(clock.nowMs() + leaseMs);

  const requestFor = (kinds: readonly string[]) => {
    return { kinds, outlastingKinds, platformKinds, now: clock.now(), processAgeMs: clock.nowMs() - createdAtMs };
  };

  /** Runs a claim now, or as soon as the earlier run of its row has ended. */
  function accept(claim: Claim): void {
    const row = runsByRow.get(keyOf(claim));
    if (row !== undefined) {
      row.next = claim;
      return;
    }
    const job = jobsByKind.get(claim.kind);
    if (job === undefined) throw new Error(`The job kind ${claim.kind} was claimed and is not a kind of this runner.`);
    const first: RowRuns = { job, run: undefined, next: claim, ended: Promise.resolve() };
    runsByRow.set(keyOf(claim), first);
    first.ended = runClaims(first, keyOf(claim));
  }

  async function runClaims(row: RowRuns, key: string): Promise<void> {
    while (row.next !== undefined) {
      const claim = row.next;
      row.next = undefined;
      if (stopped) await release(claim);
      else {
        row.run = { claim, job: row.job, abort: new AbortController(), hasEnded: false };
        metrics.countRun(claim.kind, await runJob(options, row.run));
      }
    }
    // No await since the last check of `next`: a later claim of the row starts anew.
    runsByRow.delete(key);
    if (!stopped) void poll();
  }

  /** Makes the row of a claim that has not run due again, for another process. */
  async function release(claim: Claim): Promise<void> {
    const at = clock.now();
    const unclaimed = { status: 'waiting', due_at: at, attempts: claim.attempts - 1, updated_at: at } as const;
    await giveBack(platform, claim, claim.leaseOwner, unclaimed).catch((error: unknown) => {
      const context = { err: error, subject_id: claim.subject_id, kind: claim.kind };
      logger.warn(context, 'a background job was not released; another process runs it after its lease');
    });
  }

  function reportDead(name: JobName): void {
    metrics.countRun(name.kind, 'dead');
    logger.error(
      { subject_id: name.subject_id, kind: name.kind },
      'the process died repeatedly while it ran this background job, which stops: see "licensing jobs list"',
    );
  }

  /** Claims jobs up to the number that may run now. Only one poll runs at a time; a call during a poll causes another one. */
  function poll(): Promise<void> {
    claimAgain = true;
    claiming ??= claimWhileRequested();
    return claiming;
  }

  async function claimWhileRequested(): Promise<void> {
    while (claimAgain) {
      claimAgain = false;
      try {
        const open = pools.filter((pool) => freeSlots(pool) > 0);
        const kinds = open.flatMap((pool) => pool.kinds);
        // Always awaits: the caller must have assigned `claiming` before this function ends.
        if (await isAnyDue(platform, dueOf(requestFor(kinds)))) for (const pool of open) await claimUntilFull(pool);
      } catch (error) {
        pausedUntilMs = performance.now() + pollRetryMs;
        logger.warn({ err: error }, 'polling for background jobs failed; retrying in 1 s');
      }
    }
    // No await since the last check of `claimAgain`: the next call starts a new poll.
    claiming = undefined;
  }

  async function reportBacklog(): Promise<void> {
    const { oldestDueAt, deadCount } = await readBacklog(platform);
    const lagMs = oldestDueAt === null ? 0 : Math.max(0, clock.nowMs() - toEpochMs(oldestDueAt));
    metrics.setBacklog({ oldestDueSeconds: lagMs / 1000, dead: deadCount });
  }

  function freeSlots({ kinds, slots }: Pool): number {
    let free = slots;
    for (const { job } of runsByRow.values()) if (kinds.includes(job.kind)) free -= 1;
    return free;
  }

  async function claimUntilFull(pool: Pool): Promise<void> {
    for (let isAll = false; !isAll && !stopped; ) {
      const limit = Math.min(freeSlots(pool), claimMax);
      if (limit <= 0) return;
      const claimed = await claimDue(platform, { ...requestFor(pool.kinds), limit, leaseEndsAt: leaseEnd() });
      for (const name of claimed.dead) reportDead(name);
      for (const claim of claimed.claims) accept(claim);
      isAll = claimed.isAll;
    }
  }

  /** Renews the lease of the newest claim. If another process has the row, the active run is aborted. */
  async function renew(row: RowRuns): Promise<void> {
    const { run, next } = row;
    const claim = next ?? run?.claim;
    if (claim === undefined || (await renewLease(platform, claim, claim.leaseOwner, leaseEnd()))) return;
    // The run may have ended, or this process may have claimed the row again, while the statement ran.
    if (runsByRow.get(keyOf(claim)) !== row || row.run !== run || row.next !== next) return;
    // The run itself has released the row, or its record will find that another process has it.
    if (next === undefined && run?.hasEnded === true) return;
    logger.warn({ subject_id: claim.subject_id, kind: claim.kind }, 'background job lost its lease; it is aborted');
    row.next = undefined;
    run?.abort.abort();
  }

  async function heartbeat(): Promise<void> {
    await Promise.all([...runsByRow.values()].map(renew));
  }

  async function allEnded(): Promise<void> {
    while (claiming !== undefined || runsByRow.size > 0) {
      await Promise.race(
        [claiming, ...[...runsByRow.values()].map((row) => row.ended)].filter((one) => one !== undefined),
      );
    }
  }

  return {
    start() {
      if (stopped || timers.length > 0) return;
      const beat = () =>
        void heartbeat().catch((error: unknown) => {
          logger.warn({ err: error }, 'renewing the leases of background jobs failed; retrying in 10 s');
        });
      const pollUnlessPaused = () => {
        if (claiming === undefined && performance.now() >= pausedUntilMs) void poll();
      };
      // While the database is unavailable, the polls report it.
      const report = () => void reportBacklog().catch(() => undefined);
      timers.push(
        setInterval(pollUnlessPaused, pollIntervalMs),
        setInterval(report, backlogIntervalMs),
        setInterval(beat, heartbeatIntervalMs),
      );
      for (const timer of timers) timer.unref();
      void poll();
    },
    wake() {
      if (timers.length > 0 && !stopped) void poll();
    },
    async runDue() {
      await poll();
      await allEnded();
      await reportBacklog();
    },
    heartbeat,
    async stop() {
      stopped = true;
      await claiming;
      for (const timer of timers) clearInterval(timer);
      for (const { run } of runsByRow.values()) run?.abort.abort();
      await allEnded();
    },
  };
}
