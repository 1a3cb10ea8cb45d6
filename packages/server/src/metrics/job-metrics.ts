import { Counter, Gauge, type Registry } from 'prom-client';
import { readOrReport } from './read-or-report.ts';

/** The unclaimed due jobs of one kind. */
interface DueByKind {
  readonly kind: string;
  readonly subjects: number;
  readonly oldestSeconds: number;
}

/** The metrics to which the job runner reports. */
export interface JobMetrics {
  /** Counts a run of a job by its kind and result. */
  countRun(kind: string, result: string): void;
  /** Sets the age of the oldest due job, in seconds, and the number of dead jobs. */
  setBacklog(backlog: { readonly oldestDueSeconds: number; readonly dead: number }): void;
  /** Calls `read` whenever metrics are read, to report the unclaimed due jobs, and `onError` when an outage begins. */
  watchDue(read: () => Promise<readonly DueByKind[]>, onError: (error: unknown) => void): void;
}

/** Creates the metrics of background jobs. */
export function createJobMetrics(registers: Registry[]): JobMetrics {
  const runs = new Counter({
    name: 'jobs_total',
    help: 'Runs of background jobs by kind and result (done, failed, dead, lost).',
    labelNames: ['kind', 'result'],
    registers,
  });
  const oldestDue = new Gauge({
    name: 'jobs_oldest_due_seconds',
    help: 'Seconds since the oldest due background job became due.',
    registers,
  });
  const dead = new Gauge({
    name: 'jobs_dead',
    help: 'Background jobs that gave up after repeated failures.',
    registers,
  });
  return {
    countRun: (kind, result) => runs.inc({ kind, result }),
    watchDue: (read, onError) => watchDue(registers, readOrReport(read, onError)),
    setBacklog(backlog) {
      oldestDue.set(backlog.oldestDueSeconds);
      dead.set(backlog.dead);
    },
  };
}

function watchDue(registers: Registry[], read: () => Promise<readonly DueByKind[] | undefined>): void {
  // prom-client collects each metric separately, so each gauge calls `read` itself.
  const watch = (name: string, help: string, readValue: (due: DueByKind) => number) => {
    let kinds: readonly string[] = [];
    return new Gauge({
      name,
      help,
      labelNames: ['kind'],
      registers,
      async collect() {
        const all = await read();
        this.reset();
        // No value would mean that no job is due.
        if (all === undefined) for (const kind of kinds) this.set({ kind }, Number.NaN);
        else {
          for (const due of all) this.set({ kind: due.kind }, readValue(due));
          kinds = all.map(({ kind }) => kind);
        }
      },
    });
  };
  watch(
    'jobs_due',
    'Tenants and other subjects with unclaimed due background jobs, by kind, up to 10000 in total.',
    ({ subjects }) => subjects,
  );
  watch(
    'jobs_due_oldest_seconds',
    'Seconds since the oldest unclaimed due background job became due, by kind.',
    ({ oldestSeconds }) => oldestSeconds,
  );
}
