import type { PlatformDb, PlatformTransaction } from '../db/database.ts';
import { deleteAllExpired } from '../db/expired-rows.ts';
import type { MailsTable } from '../db/tables/platform/background.ts';
import { type PlatformJob, platformSubject } from '../jobs/job.ts';
import type { JobWakeUps } from '../jobs/wake-ups.ts';
import { type Clock, type Timestamp, toTimestamp } from '../lib/clock.ts';
import { addDays } from '../lib/duration.ts';
import { newId } from '../lib/ids.ts';
import { type AttemptDependencies, type AttemptResult, attemptMail } from './attempt.ts';
import { admitMail, type MailRequest } from './limits.ts';
import { bringMailsForward, findNextAttempt, insertMail, listDueMails, makeMailDue, takeDeadMails } from './queries.ts';
import type { Mail } from './transport.ts';

/**
 * Sends mail through rows of the platform database: no mail is lost, and no mail reports a rolled-back change.
 */
export interface MailQueue {
  /**
   * Queues a mail in the caller's transaction. The row is encrypted, because the links contain tokens. The caller must
   * call `kick` after the commit. Null writes a decoy row of similar cost that is never sent, so that the response time
   * does not reveal whether a mail is sent. `notBefore` spreads mail to many people over time, so that it does not
   * delay single mails.
   */
  enqueue(tx: PlatformTransaction, mail: Mail | null, notBefore?: Timestamp): Promise<void>;
  /** Counts a mail that a stranger causes, before it is queued: see `admitMail`. */
  admit(tx: PlatformTransaction, request: MailRequest): Promise<boolean>;
  /** Wakes the job of `mailJob`. The sweep of `startBackground` calls it, too, for mail whose process died before. */
  kick(): void;
  /**
   * Sends all due mail, each one at least once, and returns how many mails were sent. Stops early if the mail server is
   * unavailable or `signal` is aborted. A mail that fails causes no error; an unavailable database does.
   */
  deliverDue(signal?: AbortSignal): Promise<number>;
  /** Closes the transport. */
  close(): void;
}

interface MailQueueDependencies extends AttemptDependencies {
  readonly wakeUps: Pick<JobWakeUps, 'scheduleAfterCommit'>;
}

const mailJobKind = 'mail';
/** The wait after a run that left due mail, because the mail server is unavailable. */
const unavailableDelayMs = 5_000;
const batchSize = 50;
const retryBatchSize = 200;
const cleanupBatch = 500;
const hourMs = 3_600_000;
const deadMailDays = 30;
/** No mail is postponed further: mail to many people is spread over hours. */
const longestWaitMs = 25 * hourMs;
/** The content of a decoy row, about as long as a mail so that it costs as much. */
const decoy = JSON.stringify({ nothing: '-'.repeat(3_000) });

/** Creates the queue. */
export function createMailQueue(dependencies: MailQueueDependencies): MailQueue {
  const { platform, keyring, clock, transport, wakeUps } = dependencies;

  /** Sends mails, with the concurrency that the transport accepts. If the server becomes unavailable, the rest stays due. */
  async function deliver(due: readonly MailsTable[], signal: AbortSignal | undefined) {
    const mails = due.values();
    const batch = { sent: 0, isUnavailable: false };
    const work = async () => {
      for (const mail of mails) {
        if (batch.isUnavailable || signal?.aborted) return;
        count(await attemptMail(dependencies, mail));
      }
    };
    const count = (result: AttemptResult) => {
      if (result === 'sent') batch.sent += 1;
      if (result === 'unavailable') batch.isUnavailable = true;
    };
    // Waits for all of them, so that nothing continues in the background after one has failed.
    const ends = await Promise.allSettled(Array.from({ length: transport.concurrency }, work));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return batch;
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
    admit: (tx, request) => admitMail(dependencies, tx, request),
    kick() {
      wakeUps.scheduleAfterCommit(platformSubject, mailJobKind, clock.now());
    },
    async deliverDue(signal) {
      for (let sent = 0; ; ) {
        const due = await listDueMails(platform, clock.now(), batchSize);
        const batch = await deliver(due, signal);
        sent += batch.sent;
        if (batch.isUnavailable || signal?.aborted || due.length < batchSize) return sent;
      }
    },
    close: () => transport.close(),
  };
}

type MailJobDependencies = Pick<AttemptDependencies, 'platform' | 'clock'> & { readonly mail: MailQueue };

/**
 * Creates the job that sends due mail. Its lease lets one process at a time send. It is due when the next mail is.
 */
export function mailJob({ platform, clock, mail }: MailJobDependencies): PlatformJob {
  return {
    kind: mailJobKind,
    daily: true,
    slots: 1,
    outlastsCrashes: true,
    outlastsFailures: true,
    async runForPlatform({ signal }) {
      const at = clock.now();
      await bringMailsForward(platform, toTimestamp(clock.nowMs() + longestWaitMs), at);
      const expired = [
        { table: 'dead_mails', order: ['died_at', 'id'], before: addDays(at, -deadMailDays) },
        { table: 'mail_counts', order: ['ends_at'], before: at },
      ] as const;
      while ((await platform.transaction((tx) => deleteAllExpired(tx, expired, cleanupBatch))) >= cleanupBatch);
      await mail.deliverDue(signal);
      const next = await findNextAttempt(platform);
      const earliest = toTimestamp(clock.nowMs() + (signal.aborted ? 0 : unavailableDelayMs));
      return next !== null && next < earliest ? earliest : next;
    },
  };
}

interface RetryServices {
  readonly clock: Clock;
  readonly platform: PlatformDb;
}

/**
 * Makes mail due now: the queued or dead mail with the given id, or all dead mail if `id` is null. Dead mail starts
 * again with zero attempts. Returns how many mails were made due. A mail that has expired is deleted at its next
 * attempt.
 */
export async function retryMails(services: RetryServices, id: string | null): Promise<number> {
  const { clock, platform } = services;
  let revived = 0;
  for (;;) {
    const count = await platform.transaction((tx) => reviveDead(tx, services, id, retryBatchSize));
    revived += count;
    if (count < retryBatchSize) break;
  }
  if (revived === 0 && id !== null && (await makeMailDue(platform, id, clock.now()))) return 1;
  return revived;
}

/**
 * Makes the dead mail with this id due now, with zero attempts; `record` runs in the same transaction. Returns false if
 * there is no such dead mail, for example because another process has just made it due.
 */
export async function retryDeadMail(
  services: RetryServices,
  id: string,
  record: (tx: PlatformTransaction) => Promise<void>,
): Promise<boolean> {
  return await services.platform.transaction(async (tx) => {
    if ((await reviveDead(tx, services, id, 1)) === 0) return false;
    await record(tx);
    return true;
  });
}

async function reviveDead(tx: PlatformTransaction, { clock }: RetryServices, id: string | null, limit: number) {
  const dead = await takeDeadMails(tx, id, limit);
  for (const { died_at: _diedAt, ...row } of dead) {
    await insertMail(tx, { ...row, attempts: 0, next_attempt_at: clock.now() });
  }
  return dead.length;
}
