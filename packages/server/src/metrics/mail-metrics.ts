import { Counter, Gauge, type Registry } from 'prom-client';
import { readOrReport } from './read-or-report.ts';

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
