import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { PlatformDb, PlatformTransaction } from '../db/database.ts';
import type { MailsTable } from '../db/tables.ts';
import { type Clock, toTimestamp } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Keyring } from '../lib/keyring.ts';
import { claimMail, deleteMail, insertMail, listDueMails, postponeMail } from './queries.ts';
import type { Mail, MailTransport } from './transport.ts';

/** Mail leaves through rows of the platform database, so that none is lost and none tells of what was rolled back. */
export interface MailQueue {
  /** Queues a mail in the caller's transaction, encrypted: its links carry tokens. Call `kick` after the commit. */
  enqueue(tx: PlatformTransaction, mail: Mail): Promise<void>;
  /** Sends what is due now instead of at the next round. Does nothing before `start` and after `close`. */
  kick(): void;
  /** Sends what is due, each mail at least once; answers how many left. Never throws for a mail that failed. */
  deliverDue(): Promise<number>;
  /** Sends what is due, from now on every few seconds. */
  start(): void;
  /** Stops, after the delivery that is running. */
  close(): Promise<void>;
}

interface MailQueueDependencies {
  readonly platform: PlatformDb;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  readonly transport: MailTransport;
  readonly config: Pick<Config, 'mailFrom'>;
}

const minuteMs = 60_000;
const roundIntervalMs = 5_000;
const batchSize = 50;
/** How long an attempt may take before another process tries. */
const leaseMs = 2 * minuteMs;
/** The wait after each failed attempt; after the last one the mail is given up, within the life of its link. */
const retryDelaysMs = [1, 5, 30, 120, 300, 600, 1200].map((minutes) => minutes * minuteMs);

/** Makes the queue; it sends nothing by itself before `start`. */
export function createMailQueue(dependencies: MailQueueDependencies): MailQueue {
  const { platform, keyring, clock, logger } = dependencies;
  let timer: NodeJS.Timeout | undefined;
  let delivery: Promise<unknown> = Promise.resolve();

  async function deliverDue(): Promise<number> {
    let sent = 0;
    for (const row of await listDueMails(platform, clock.now(), batchSize)) {
      const claimed = await claimMail(platform, row, toTimestamp(clock.nowMs() + leaseMs));
      if (claimed && (await attempt(dependencies, row))) sent += 1;
    }
    return sent;
  }

  function round(): void {
    delivery = delivery.then(deliverDue).catch((error: unknown) => {
      logger.warn({ err: error }, 'queued mail could not be read; the next round tries again');
    });
  }

  return {
    async enqueue(tx, mail) {
      const at = clock.now();
      const sealed = keyring.seal(JSON.stringify(mail));
      await insertMail(tx, {
        id: newId(),
        sealed_message: sealed,
        attempts: 0,
        next_attempt_at: at,
        last_error: null,
        created_at: at,
      });
    },
    kick() {
      if (timer !== undefined) round();
    },
    deliverDue,
    start() {
      timer ??= setInterval(round, roundIntervalMs).unref();
    },
    async close() {
      clearInterval(timer);
      timer = undefined;
      await delivery;
    },
  };
}

/** Sends a claimed mail and removes it. A failure is postponed, and given up after the last retry. */
async function attempt(dependencies: MailQueueDependencies, row: MailsTable): Promise<boolean> {
  const { platform, keyring, clock, logger, transport, config } = dependencies;
  try {
    const mail: Mail = JSON.parse(keyring.open(row.sealed_message));
    await transport.send({ ...mail, id: row.id, from: config.mailFrom, date: new Date(clock.nowMs()) });
  } catch (error) {
    const retryDelayMs = retryDelaysMs[row.attempts];
    const context = { err: error, mail_id: row.id, attempts: row.attempts + 1 };
    if (retryDelayMs === undefined) {
      logger.error(context, 'a mail could not be sent and is given up; check the mail settings');
      await deleteMail(platform, row.id);
      return false;
    }
    logger.warn(context, 'a mail could not be sent and is tried again later');
    const reason = error instanceof Error ? error.message : String(error);
    await postponeMail(platform, row.id, toTimestamp(clock.nowMs() + retryDelayMs), reason);
    return false;
  }
  await deleteMail(platform, row.id);
  return true;
}
