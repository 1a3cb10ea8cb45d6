import { toEpochMs, toTimestamp } from '../lib/clock.ts';
import type { JobMetrics } from '../metrics/job-metrics.ts';
import { type Claim, claimDue } from './claim.ts';
import { type AnyJob, isPlatformJob } from './job.ts';
import { type JobName, readBacklog, renewLease } from './queries.ts';
import { type ActiveRun, type RunDependencies, runJob } from './run-job.ts';

/** Runs the background jobs of all tenants and of the platform on one node. */
export interface JobRunner {
  /** Starts polling for due jobs, once per second. */
  start(): void;
  /** Polls now instead of at the next interval. Does nothing before `start` and after `stop`. */
  wake(): void;
  /** Runs all due jobs, and waits for them and for jobs that run already. For tests and tools. */
  runDue(): Promise<void>;
  /** Renews the leases of active runs. Aborts a run whose row another process has claimed. */
  heartbeat(): Promise<void>;
  /** Stops claiming, aborts the active runs and waits until they have ended. */
  stop(): Promise<void>;
}

interface JobRunnerOptions extends RunDependencies {
  readonly jobs: readonly AnyJob[];
  readonly metrics: JobMetrics;
  /** Maximum concurrent runs in this process, not counting kinds that have their own `slots`. */
  readonly concurrency?: number;
}

const pollIntervalMs = 1_000;
/** After this time another process takes over the jobs of a process that died. */
const leaseMs = 30_000;
const heartbeatIntervalMs = leaseMs / 3;
/** Low enough to leave capacity for requests; high enough that one slow tenant does not delay others. */
const defaultConcurrency = 4;
/** Maximum rows per claim: an embedded database serves no other request while it writes. */
const claimMax = 32;

interface Running extends ActiveRun {
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
  const running = new Map<string, Running>();
  const timers: NodeJS.Timeout[] = [];
  let claiming: Promise<void> | undefined;
  let claimAgain = false;
  let stopped = false;

  const leaseEnd = () => toTimestamp(clock.nowMs() + leaseMs);

  function start(claim: Claim): void {
    const held = running.get(keyOf(claim));
    // The process stalled, and the lease of its own run ended. The active run keeps the row under the new claim.
    if (held !== undefined) {
      held.claim = claim;
      return;
    }
    const job = jobsByKind.get(claim.kind);
    if (job === undefined) return;
    const run: Running = { claim, job, abort: new AbortController(), ended: Promise.resolve() };
    running.set(keyOf(claim), run);
    run.ended = runJob(options, run).then((result) => {
      running.delete(keyOf(claim));
      metrics.countRun(claim.kind, result);
      if (!stopped) void poll();
    });
  }

  function reportDead(name: JobName): void {
    metrics.countRun(name.kind, 'dead');
    logger.error(
      { subject_id: name.subject_id, kind: name.kind },
      'the process died repeatedly while it ran this background job, which stops: see "licensing jobs list"',
    );
  }

  /** Claims as many jobs as may run now. Only one poll runs at a time; a call during a poll causes another one. */
  function poll(): Promise<void> {
    claimAgain = true;
    claiming ??= claimWhileRequested();
    return claiming;
  }

  async function claimWhileRequested(): Promise<void> {
    while (claimAgain) {
      claimAgain = false;
      try {
        if (await isAnythingDue()) for (const pool of pools) await claimUntilFull(pool);
      } catch (error) {
        logger.warn({ err: error }, 'polling for background jobs failed; retrying in 1 s');
      }
    }
    // No await since the last check of `claimAgain`: the next call starts a new poll.
    claiming = undefined;
  }

  /** Checks without writing whether a row is due. Also updates the backlog metrics. */
  async function isAnythingDue(): Promise<boolean> {
    const { oldestDueAt, deadCount } = await readBacklog(platform);
    const lagMs = oldestDueAt === null ? 0 : Math.max(0, clock.nowMs() - toEpochMs(oldestDueAt));
    metrics.setBacklog({ oldestDueSeconds: lagMs / 1000, dead: deadCount });
    return oldestDueAt !== null && oldestDueAt <= clock.now();
  }

  function freeSlots({ kinds, slots }: Pool): number {
    let free = slots;
    for (const { job } of running.values()) if (kinds.includes(job.kind)) free -= 1;
    return free;
  }

  async function claimUntilFull(pool: Pool): Promise<void> {
    for (let isAll = false; !isAll && !stopped; ) {
      const limit = Math.min(freeSlots(pool), claimMax);
      if (limit <= 0) return;
      const kinds = { kinds: pool.kinds, outlastingKinds, platformKinds };
      const claimed = await claimDue(platform, { ...kinds, limit, now: clock.now(), leaseEndsAt: leaseEnd() });
      for (const name of claimed.dead) reportDead(name);
      for (const claim of claimed.claims) start(claim);
      isAll = claimed.isAll;
    }
  }

  async function renew(run: Running): Promise<void> {
    const { claim } = run;
    if (await renewLease(platform, claim, claim.leaseOwner, leaseEnd())) return;
    // The run may have ended, or this process may have claimed the row again, while the statement ran.
    if (running.get(keyOf(claim)) !== run || run.claim !== claim) return;
    logger.warn({ subject_id: claim.subject_id, kind: claim.kind }, 'background job lost its lease; it is aborted');
    run.abort.abort();
  }

  async function heartbeat(): Promise<void> {
    await Promise.all([...running.values()].map(renew));
  }

  async function allEnded(): Promise<void> {
    while (claiming !== undefined || running.size > 0) {
      await Promise.race(
        [claiming, ...[...running.values()].map((run) => run.ended)].filter((one) => one !== undefined),
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
      timers.push(
        setInterval(() => void poll(), pollIntervalMs),
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
    },
    heartbeat,
    async stop() {
      stopped = true;
      await claiming;
      for (const timer of timers) clearInterval(timer);
      for (const run of running.values()) run.abort.abort();
      await allEnded();
    },
  };
}
