import { Counter, Gauge, type Registry } from 'prom-client';

/** What is due of a kind and nobody has taken. */
interface DueByKind {
  readonly kind: string;
  readonly subjects: number;
  readonly oldestSeconds: number;
}

/** What is told of background work. */
export interface JobMetrics {
  /** Counts a run of a kind by its result. */
  countRun(kind: string, result: string): void;
  setBacklog(backlog: { readonly oldestDueSeconds: number; readonly dead: number }): void;
  /** Asks what is due whenever metrics are read. */
  watchDue(read: () => Promise<readonly DueByKind[]>): void;
}

/** Makes the metrics of background work. */
export function createJobMetrics(registers: Registry[]): JobMetrics {
  const runs = new Counter({
    name: 'jobs_total',
    help: 'Runs of background work by kind and result (done, failed, dead, lost).',
    labelNames: ['kind', 'result'],
    registers,
  });
  const oldestDue = new Gauge({
    name: 'jobs_oldest_due_seconds',
    help: 'For how long the background work that waits longest has been due.',
    registers,
  });
  const dead = new Gauge({ name: 'jobs_dead', help: 'Background work that was given up after failures.', registers });
  return {
    countRun: (kind, result) => runs.inc({ kind, result }),
    watchDue: (read) => watchDue(registers, read),
    setBacklog(backlog) {
      oldestDue.set(backlog.oldestDueSeconds);
      dead.set(backlog.dead);
    },
  };
}

function watchDue(registers: Registry[], read: () => Promise<readonly DueByKind[]>): void {
  // A metric is asked by itself, so each reads what it tells.
  const watch = (name: string, help: string, readValue: (due: DueByKind) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['kind'],
      registers,
      async collect() {
        // A database that is away must not take the other metrics with it.
        const all = await read().catch(() => []);
        this.reset();
        for (const due of all) this.set({ kind: due.kind }, readValue(due));
      },
    });
  watch(
    'jobs_due',
    'Due background work that nobody has taken, of how many tenants or other subjects, by kind, up to 10000 in all.',
    ({ subjects }) => subjects,
  );
  watch(
    'jobs_due_oldest_seconds',
    'For how long the due background work that nobody has taken and that waits longest has been due, by kind.',
    ({ oldestSeconds }) => oldestSeconds,
  );
}
