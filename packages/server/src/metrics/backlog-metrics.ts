import { Counter, Gauge, type Registry } from 'prom-client';

/**
 * Returns a function that calls `read`, and returns undefined if it fails, because an unavailable database must not fail
 * the other metrics. Of consecutive failures only the first is reported to `onError`.
 */
export function readOrReport<Result>(
  read: () => Promise<Result>,
  onError: (error: unknown) => void,
): () => Promise<Result | undefined> {
  let isFailing = false;
  return async () => {
    try {
      const result = await read();
      isFailing = false;
      return result;
    } catch (error) {
      if (!isFailing) onError(error);
      isFailing = true;
      return undefined;
    }
  };
}

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

/** The result of one attempt to send a mail. */
export type MailResult = 'sent' | 'failed' | 'dead' | 'expired';

/** The metrics to which the mail queue reports its attempts. */
export interface MailMetrics {
  /** Counts one attempt by its result. */
  countMail(result: MailResult): void;
}

/** The state of the mail queue. The counts stop at the `max` of `watchBacklog`. */
interface MailBacklog {
  readonly waiting: number;
  readonly dead: number;
  readonly oldestSeconds: number;
}

/** The metrics of outgoing mail. */
export interface MailQueueMetrics extends MailMetrics {
  /**
   * Calls `read` whenever metrics are read, and `onError` when an outage begins. `read` need not count beyond `max`.
   */
  watchBacklog(read: (max: number) => Promise<MailBacklog>, onError: (error: unknown) => void): void;
}

const countedMax = 10_000;

/** Creates the metrics of outgoing mail. */
export function createMailMetrics(registers: Registry[]): MailQueueMetrics {
  const mails = new Counter({
    name: 'mails_total',
    help: 'Attempts to send a mail by result (sent, failed, dead, expired).',
    labelNames: ['result'],
    registers,
  });
  return {
    countMail: (result) => mails.inc({ result }),
    watchBacklog(read, onError) {
      const readBacklog = readOrReport(() => read(countedMax), onError);
      const gauge = (name: string, help: string, field: keyof MailBacklog) =>
        new Gauge({
          name,
          help,
          registers,
          async collect() {
            this.set((await readBacklog())?.[field] ?? Number.NaN);
          },
        });
      gauge('mails_waiting', 'Mails that wait to be sent, up to 10000.', 'waiting');
      gauge('mails_dead', 'Stored mails that a server rejected permanently, up to 10000.', 'dead');
      gauge('mails_oldest_seconds', 'Age in seconds of the oldest waiting mail; 0 when none waits.', 'oldestSeconds');
    },
  };
}
