import type { PlatformTransaction } from '../db/database.ts';
import type { MailsTable } from '../db/tables/platform/mails.ts';
import { type Timestamp, toTimestamp } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { type AttemptDependencies, attemptMail } from './attempt.ts';
import { bringMailsForward, deleteDeadMailsBefore, insertMail, listDueMails } from './queries.ts';
import type { Mail } from './transport.ts';

/**
 * Sends mail through rows of the platform database: no mail is lost, and none reports a change that was rolled back.
 */
export interface MailQueue {
  /**
   * Queues a mail in the caller's transaction. The row is encrypted, because the links contain tokens. The caller must
   * call `kick` after the commit. Null writes a decoy row of similar cost that is never sent, so that the response time
   * does not reveal whether a mail is sent. `notBefore` spreads mail to many people over time, so that it does not
   * delay single mails.
   */
  enqueue(tx: PlatformTransaction, mail: Mail | null, notBefore?: Timestamp): Promise<void>;
  /** Sends due mail now instead of at the next interval. Does nothing before `start` and after `close`. */
  kick(): void;
  /**
   * Sends all due mail, each one at least once, and returns how many mails were sent. A mail that fails causes no
   * error; an unavailable database does.
   */
  deliverDue(): Promise<number>;
  /** Starts sending due mail every five seconds. */
  start(): void;
  /** Stops after the mails that are being sent, and closes the transport. */
  close(): Promise<void>;
}

const roundIntervalMs = 5_000;
const batchSize = 50;
const cleanupIntervalMs = 3_600_000;
const cleanupBatch = 500;
const deadMailDays = 30;
/** The longest plausible wait of a mail. Mail to many people is spread over hours. */
const longestWaitMs = 25 * cleanupIntervalMs;
/** The content of a decoy row, about as long as a mail so that it costs as much. */
const decoy = JSON.stringify({ nothing: '-'.repeat(3_000) });

/** Creates the queue, which sends nothing by itself before `start`. */
export function createMailQueue(dependencies: AttemptDependencies): MailQueue {
  const { platform, keyring, clock, logger, transport } = dependencies;
  let timers: NodeJS.Timeout[] = [];
  let delivery: Promise<unknown> = Promise.resolve();
  let isRoundWaiting = false;
  let isClosing = false;

  async function deliverDue(): Promise<number> {
    let sent = 0;
    for (;;) {
      const due = await listDueMails(platform, clock.now(), batchSize);
      const batch = await deliver(due);
      sent += batch.sent;
      if (batch.isUnavailable || isClosing || due.length < batchSize) return sent;
    }
  }

  /** Sends as many mails at a time as the transport accepts. If the server becomes unavailable, the rest stays due. */
  async function deliver(due: readonly MailsTable[]) {
    const mails = due.values();
    const batch = { sent: 0, isUnavailable: false };
    // Waits for all of them, so that none continues in the background after another one has failed.
    const ends = await Promise.allSettled(Array.from({ length: transport.concurrency }, () => work(mails, batch)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return batch;
  }

  async function work(
    mails: IterableIterator<MailsTable>,
    batch: { sent: number; isUnavailable: boolean },
  ): Promise<void> {
    for (const mail of mails) {
      if (batch.isUnavailable || isClosing) return;
      const result = await attemptMail(dependencies, mail);
      if (result === 'sent') batch.sent += 1;
      if (result === 'unavailable') batch.isUnavailable = true;
    }
  }

  /**
   * Starts a round, or queues one behind the running round. One queued round is enough: it reads all mail due by then.
   */
  function round(): void {
    if (isRoundWaiting) return;
    isRoundWaiting = true;
    delivery = delivery
      .then(() => {
        isRoundWaiting = false;
        return deliverDue();
      })
      .catch((error: unknown) => {
        logger.warn({ err: error }, 'reading queued mail failed; retrying in 5 s');
      });
  }

  async function tidyUp(): Promise<void> {
    await bringMailsForward(platform, toTimestamp(clock.nowMs() + longestWaitMs), clock.now());
    const before = toTimestamp(clock.nowMs() - deadMailDays * 24 * cleanupIntervalMs);
    while ((await deleteDeadMailsBefore(platform, before, cleanupBatch)) === BigInt(cleanupBatch));
  }

  function cleanUp(): void {
    delivery = delivery.then(tidyUp).catch((error: unknown) => {
      logger.warn({ err: error }, 'cleaning up old mail failed; retrying in an hour');
    });
  }

  return {
    async enqueue(tx, mail, notBefore) {
      const at = clock.now();
      await insertMail(tx, {
        id: newId(),
        sealed_message: keyring.seal(mail === null ? decoy : JSON.stringify(mail)),
        attempts: 0,
        next_attempt_at: notBefore ?? at,
        last_error: null,
        created_at: at,
        useful_until: mail?.usefulUntil ?? null,
      });
    },
    kick() {
      if (timers.length > 0) round();
    },
    deliverDue,
    start() {
      if (timers.length > 0) return;
      timers = [setInterval(round, roundIntervalMs).unref(), setInterval(cleanUp, cleanupIntervalMs).unref()];
      cleanUp();
      round();
    },
    async close() {
      isClosing = true;
      for (const timer of timers) clearInterval(timer);
      timers = [];
      await delivery;
      transport.close();
    },
  };
}
