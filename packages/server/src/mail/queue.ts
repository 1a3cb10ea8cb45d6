import type { PlatformDb, PlatformTransaction } from '../db/database.ts';
import { insertRow } from '../db/rows.ts';
import { type PlatformJob, platformSubject } from '../jobs/job.ts';
import type { JobWakeUps } from '../jobs/wake-ups.ts';
import { type Clock, type Timestamp, toTimestamp } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { admitMail, type MailRequest } from './limits.ts';
import { bringMailsForward, makeMailDue, takeDeadMails } from './queries.ts';
import { type MailRunResult, sendDueMails } from './sending.ts';
import { dueServiceMails, type ServiceMailDependencies } from './service-mails.ts';
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
  /** Sends all due mail: see `sendDueMails`. */
  deliverDue(signal?: AbortSignal): Promise<MailRunResult>;
  /** Closes the transport. */
  close(): void;
}

interface MailQueueDependencies extends ServiceMailDependencies {
  readonly wakeUps: Pick<JobWakeUps, 'scheduleAfterCommit'>;
}

const mailJobKind = 'mail';
const retryBatchSize = 200;
const hourMs = 3_600_000;
/** No mail is postponed further: mail to many people is spread over hours. */
const longestWaitMs = 25 * hourMs;
/** The content of a decoy row, about as long as a mail so that it costs as much. */
const decoy = JSON.stringify({ nothing: '-'.repeat(3_000) });

/** Creates the queue. */
export function createMailQueue(dependencies: MailQueueDependencies): MailQueue {
  const { keyring, clock, transport, wakeUps } = dependencies;
  return {
    async enqueue(tx, mail, notBefore) {
      const at = clock.now();
      await insertRow(tx, 'mails', {
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
    deliverDue: (signal) => sendDueMails(dependencies, dueServiceMails(dependencies), signal),
    close: () => transport.close(),
  };
}

type MailJobDependencies = Pick<ServiceMailDependencies, 'platform' | 'clock'> & { readonly mail: MailQueue };

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
      await bringMailsForward(platform, toTimestamp(clock.nowMs() + longestWaitMs), clock.now());
      return (await mail.deliverDue(signal)).nextAt;
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
    await insertRow(tx, 'mails', { ...row, attempts: 0, next_attempt_at: clock.now() });
  }
  return dead.length;
}
