import { Counter, Gauge, type Registry } from 'prom-client';

/** The result of one attempt to send a mail. */
export type MailResult = 'sent' | 'failed' | 'dead' | 'expired';

/** Where the mail queue reports its attempts. */
export interface MailMetrics {
  countMail(result: MailResult): void;
}

/** What is in the queue, each count up to a bound. */
interface MailBacklog {
  readonly waiting: number;
  readonly dead: number;
  readonly oldestSeconds: number;
}

export interface MailQueueMetrics extends MailMetrics {
  /** Asks what is in the queue whenever metrics are read, counting no further than to `max`. */
  watchBacklog(read: (max: number) => Promise<MailBacklog>): void;
}

const countedMax = 10_000;

/** Makes the metrics of outgoing mail. */
export function createMailMetrics(registers: Registry[]): MailQueueMetrics {
  const mails = new Counter({
    name: 'mails_total',
    help: 'Attempts to send a mail by result (sent, failed, dead, expired).',
    labelNames: ['result'],
    registers,
  });
  const gauge = (name: string, help: string, read: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        // A database that is away must not take the other metrics with it.
        this.set(await read().catch(() => Number.NaN));
      },
    });
  return {
    countMail: (result) => mails.inc({ result }),
    watchBacklog(read) {
      gauge('mails_waiting', 'Mails that wait to be sent, up to 10000.', async () => (await read(countedMax)).waiting);
      gauge(
        'mails_dead',
        'Mails that a server refused for good and that are kept, up to 10000.',
        async () => (await read(countedMax)).dead,
      );
      gauge(
        'mails_oldest_seconds',
        'For how long the mail that waits longest has been waiting; 0 when none does.',
        async () => (await read(countedMax)).oldestSeconds,
      );
    },
  };
}
