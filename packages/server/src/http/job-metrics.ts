import { Counter, Gauge, type Registry } from 'prom-client';

/** What is told of background work. */
export interface JobMetrics {
  /** Counts a run of a kind by its result. */
  countRun(kind: string, result: string): void;
  setBacklog(backlog: { readonly oldestDueSeconds: number; readonly dead: number }): void;
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
    setBacklog(backlog) {
      oldestDue.set(backlog.oldestDueSeconds);
      dead.set(backlog.dead);
    },
  };
}
