import { toEpochMs, toTimestamp } from '../lib/clock.ts';
import type { JobMetrics } from '../metrics/job-metrics.ts';
import { type Claim, claimDue } from './claim.ts';
import { type AnyJob, isPlatformJob } from './job.ts';
import { type JobName, readBacklog, renewLease } from './queries.ts';
import { type ActiveRun, type RunDependencies, runJob } from './run-job.ts';

/** Runs the background work of all tenants and of the platform, on one node of possibly many. */
export interface JobRunner {
  /** From now on looks every second for what is due. */
  start(): void;
  /** Looks now instead of at the next round. Does nothing before `start` and after `stop`. */
  kick(): void;
  /** Runs everything that is due and waits for it, and for what runs already. For tests and tools. */
  runDue(): Promise<void>;
  /** Renews the leases of what runs; a run whose lease another has taken is told to stop. */
  heartbeat(): Promise<void>;
  /** Takes nothing more, tells what runs to come to an end, and waits for it. */
  stop(): Promise<void>;
}

interface JobRunnerOptions extends RunDependencies {
  readonly jobs: readonly AnyJob[];
  readonly metrics: JobMetrics;
  /** How many jobs run at the same time in this process, those of kinds with places of their own excepted. */
  readonly concurrency?: number;
}

const pollIntervalMs = 1_000;
/** After this the work of a process that died goes on elsewhere. */
const leaseMs = 30_000;
const heartbeatIntervalMs = leaseMs / 3;
/** Few enough that requests hardly notice, enough that one tenant that is slow holds up no other. */
const defaultConcurrency = 4;
/** An embedded database serves nothing else while it writes. */
const claimMax = 32;

interface Running extends ActiveRun {
  ended: Promise<void>;
}

/** Kinds that share places, and how many. */
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

/** Makes the runner; it takes nothing by itself before `start`. */
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
    // The lease of this process's own run ended, because something held the process up: the run keeps the row.
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
      if (!stopped) void look();
    });
  }

  function bury(name: JobName): void {
    metrics.countRun(name.kind, 'dead');
    logger.error(
      { subject_id: name.subject_id, kind: name.kind },
      'background work ended its process again and again and is given up: see "licensing jobs list"',
    );
  }

  /** Takes as much as may run now. One call at a time; a call meanwhile makes it look once more. */
  function look(): Promise<void> {
    claimAgain = true;
    claiming ??= claimWhileAsked();
    return claiming;
  }

  async function claimWhileAsked(): Promise<void> {
    while (claimAgain) {
      claimAgain = false;
      try {
        if (await isAnythingDue()) for (const pool of pools) await claimUntilFull(pool);
      } catch (error) {
        logger.warn({ err: error }, 'background work could not be looked for; the next round tries again');
      }
    }
    // In the same turn as the last look at `claimAgain`: whoever asks from now on begins anew.
    claiming = undefined;
  }

  /** A read that writes nothing; it also tells how far behind the work is. */
  async function isAnythingDue(): Promise<boolean> {
    const { oldestDueAt, deadCount } = await readBacklog(platform);
    const lagMs = oldestDueAt === null ? 0 : Math.max(0, clock.nowMs() - toEpochMs(oldestDueAt));
    metrics.setBacklog({ oldestDueSeconds: lagMs / 1000, dead: deadCount });
    return oldestDueAt !== null && oldestDueAt <= clock.now();
  }

  function freePlaces({ kinds, slots }: Pool): number {
    let free = slots;
    for (const { job } of running.values()) if (kinds.includes(job.kind)) free -= 1;
    return free;
  }

  async function claimUntilFull(pool: Pool): Promise<void> {
    for (let isAll = false; !isAll && !stopped; ) {
      const limit = Math.min(freePlaces(pool), claimMax);
      if (limit <= 0) return;
      const kinds = { kinds: pool.kinds, outlastingKinds, platformKinds };
      const claimed = await claimDue(platform, { ...kinds, limit, now: clock.now(), leaseEndsAt: leaseEnd() });
      for (const name of claimed.buried) bury(name);
      for (const claim of claimed.claims) start(claim);
      isAll = claimed.isAll;
    }
  }

  async function renew(run: Running): Promise<void> {
    const { claim } = run;
    if (await renewLease(platform, claim, claim.leaseOwner, leaseEnd())) return;
    // It may have ended, or been taken again by this process, while the statement was under way.
    if (running.get(keyOf(claim)) !== run || run.claim !== claim) return;
    logger.warn({ subject_id: claim.subject_id, kind: claim.kind }, 'background work lost its lease and stops');
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
          logger.warn({ err: error }, 'leases of background work were not renewed; it is tried again');
        });
      timers.push(
        setInterval(() => void look(), pollIntervalMs),
        setInterval(beat, heartbeatIntervalMs),
      );
      for (const timer of timers) timer.unref();
      void look();
    },
    kick() {
      if (timers.length > 0 && !stopped) void look();
    },
    async runDue() {
      await look();
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
