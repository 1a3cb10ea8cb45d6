import type { PlatformTransaction } from '../db/database.ts';
import type { MailsTable } from '../db/tables/platform/mails.ts';
import { type Timestamp, toTimestamp } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { type AttemptDependencies, attemptMail } from './attempt.ts';
import { bringMailsForward, deleteDeadMailsBefore, insertMail, listDueMails } from './queries.ts';
import type { Mail } from './transport.ts';

/** Mail leaves through rows of the platform database, so that none is lost and none tells of what was rolled back. */
export interface MailQueue {
  /**
   * Queues a mail in the caller's transaction, encrypted: its links carry tokens. Call `kick` after the commit. Null
   * does as much work and leads to no mail, for those whose answer must not tell by its time whether there is one.
   * `notBefore` spreads mail to many people, so that mail to one is not behind all of it.
   */
  enqueue(tx: PlatformTransaction, mail: Mail | null, notBefore?: Timestamp): Promise<void>;
  /** Sends what is due now instead of at the next round. Does nothing before `start` and after `close`. */
  kick(): void;
  /** Sends what is due, each mail at least once; answers how many left. Never throws for a mail that failed. */
  deliverDue(): Promise<number>;
  /** Sends what is due, from now on every few seconds. */
  start(): void;
  /** Stops, after the mails that are being sent. */
  close(): Promise<void>;
}

const roundIntervalMs = 5_000;
const batchSize = 50;
const cleanupIntervalMs = 3_600_000;
const cleanupBatch = 500;
const deadMailDays = 30;
/** Mail to many people is spread over hours. */
const longestWaitMs = 25 * cleanupIntervalMs;
/** About as much as a mail: what a row of nothing holds must cost as much. */
const nothing = JSON.stringify({ nothing: '-'.repeat(3_000) });

/** Makes the queue; it sends nothing by itself before `start`. */
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
      if (batch.isAway || isClosing || due.length < batchSize) return sent;
    }
  }

  /** As many at a time as the transport takes. Once the server is away the rest stays due, untouched. */
  async function deliver(due: readonly MailsTable[]) {
    const mails = due.values();
    const batch = { sent: 0, isAway: false };
    // All of them come to their end, so that none is left running behind a failure of another.
    const ends = await Promise.allSettled(Array.from({ length: transport.places }, () => work(mails, batch)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return batch;
  }

  async function work(mails: IterableIterator<MailsTable>, batch: { sent: number; isAway: boolean }): Promise<void> {
    for (const mail of mails) {
      if (batch.isAway || isClosing) return;
      const result = await attemptMail(dependencies, mail);
      if (result === 'sent') batch.sent += 1;
      if (result === 'away') batch.isAway = true;
    }
  }

  /** One round runs and at most one more waits: it will see whatever is due by then. */
  function round(): void {
    if (isRoundWaiting) return;
    isRoundWaiting = true;
    delivery = delivery
      .then(() => {
        isRoundWaiting = false;
        return deliverDue();
      })
      .catch((error: unknown) => {
        logger.warn({ err: error }, 'queued mail could not be read; the next round tries again');
      });
  }

  async function tidyUp(): Promise<void> {
    await bringMailsForward(platform, toTimestamp(clock.nowMs() + longestWaitMs), clock.now());
    const before = toTimestamp(clock.nowMs() - deadMailDays * 24 * cleanupIntervalMs);
    while ((await deleteDeadMailsBefore(platform, before, cleanupBatch)) === BigInt(cleanupBatch));
  }

  function cleanUp(): void {
    delivery = delivery.then(tidyUp).catch((error: unknown) => {
      logger.warn({ err: error }, 'old mail could not be looked after; it is tried again in an hour');
    });
  }

  return {
    async enqueue(tx, mail, notBefore) {
      const at = clock.now();
      await insertMail(tx, {
        id: newId(),
        sealed_message: keyring.seal(mail === null ? nothing : JSON.stringify(mail)),
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
