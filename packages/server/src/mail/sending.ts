import { type Clock, type Timestamp, toTimestamp } from '../lib/clock.ts';
import { type RetrySchedule, retryAt } from '../lib/retry-schedule.ts';
import type { MailMetrics } from '../metrics/backlog-metrics.ts';
import { MailRefusedError, MailServerUnavailableError, type MailTransport, type OutgoingMail } from './transport.ts';

// All queued mails are sent here. The service's mails wait in the platform database (`service-mails.ts`), and mails
// to license holders in the database of their tenant (`features/holders/holder-mails/due-mails.ts`).

/** The properties of a queued mail that decide about its attempts. */
export interface QueuedMail {
  readonly id: string;
  /** Attempts including the present one. */
  readonly attempts: number;
  readonly created_at: Timestamp;
  /** When it becomes useless, for example because its link ends; null: never. */
  readonly useful_until: Timestamp | null;
}

/** A mail that need not be sent, and why. Null: the row holds no mail. */
interface Useless {
  readonly uselessBecause: string | null;
}

/** The result of one attempt. `queued`: it is tried again. `refused`: it is given up. `cancelled`: it was useless. */
export type MailOutcome =
  | { readonly state: 'sent'; readonly subject: string }
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'cancelled'; readonly reason: string | null }
  | { readonly state: 'queued'; readonly reason: string; readonly nextAttemptAt: Timestamp };

/** Mails that one claim holds. */
export interface ClaimedMails<Mail> {
  readonly mails: readonly Mail[];
  /** Renders a mail, right before it is sent. */
  prepare(mail: Mail): Promise<OutgoingMail | Useless>;
}

/** The due mails of one database, and how the database records what happens to them. */
export interface DueMails<Mail extends QueuedMail> {
  readonly schedule: RetrySchedule;
  /** How long a run claims mails, in milliseconds. */
  readonly claimsForMs: number;
  /** The wait after a run that found the mail server unavailable. */
  readonly unavailableDelayMs: number;
  /** Claims due mails: no other run sends them until the lease ends. Returns null if none is due. */
  claim(lease: { readonly now: Timestamp; readonly endsAt: Timestamp }): Promise<ClaimedMails<Mail> | null>;
  /** Returns the transport for all mails of the run. */
  open(): Promise<MailTransport>;
  /** Records the result of an attempt. Does nothing if the claim was lost. */
  record(mail: Mail, outcome: MailOutcome): Promise<void>;
  /** Returns claimed mails to the queue that were not tried: they are due now and the attempt is not counted. */
  release(mails: readonly Mail[]): Promise<void>;
  /** Reports, once in a run, that the mail server accepts no mail. */
  reportUnavailable?(words: string): Promise<void>;
  /** Returns when the next mail may be claimed, or null if none is queued. */
  findNext(): Promise<Timestamp | null>;
}

/** What a run has done. */
export interface MailRunResult {
  readonly sent: number;
  /** When the next run is due, or null if no mail is queued. */
  readonly nextAt: Timestamp | null;
}

interface SendingServices {
  readonly clock: Clock;
  readonly metrics: MailMetrics;
}

/**
 * The lease of a job keeps other processes away for as long as this process lives. This one only decides which of two
 * processes sends a mail when the job has lost its lease, and when the mail of a dead process is sent again.
 */
const leaseMs = 120_000;
/** A mail is only started while this much of its lease is left, which is longer than nearly every attempt. */
const attemptMaxMs = 90_000;

const resultOf = { sent: 'sent', refused: 'dead', cancelled: 'expired', queued: 'failed' } as const;

/**
 * Sends due mails, each one at least once, until none is due, the mail server is unavailable or `signal` is aborted. A
 * mail that fails causes no error; an unavailable database does. If the process dies between the server's reply and its
 * record, the mail is sent again under the same Message-ID, by which a mail program recognises the copy; SMTP has no means
 * to exclude it.
 */
export function sendDueMails<Mail extends QueuedMail>(
  services: SendingServices,
  queue: DueMails<Mail>,
  signal?: AbortSignal,
): Promise<MailRunResult> {
  return new MailRun(services, queue, signal).run();
}

interface ClaimedMail<Mail> {
  readonly mail: Mail;
  readonly prepare: ClaimedMails<Mail>['prepare'];
  /** By `performance.now()`. */
  readonly startBeforeMs: number;
}

class MailRun<Mail extends QueuedMail> {
  readonly #services: SendingServices;
  readonly #queue: DueMails<Mail>;
  readonly #signal: AbortSignal | undefined;
  readonly #claimBeforeMs: number;
  #claimed: ClaimedMail<Mail>[] = [];
  #claiming: Promise<void> | undefined;
  #isNoneDue = false;
  #isUnavailable = false;
  #sent = 0;

  constructor(services: SendingServices, queue: DueMails<Mail>, signal: AbortSignal | undefined) {
    this.#services = services;
    this.#queue = queue;
    this.#signal = signal;
    this.#claimBeforeMs = performance.now() + queue.claimsForMs;
  }

  async run(): Promise<MailRunResult> {
    if (!this.#signal?.aborted) await this.#claim();
    const transport = this.#isNoneDue || this.#signal?.aborted ? undefined : await this.#open();
    // Waits for all of them, so that nothing continues in the background after one has failed.
    const work = () => this.#work(transport as MailTransport);
    const ends = await Promise.allSettled(Array.from({ length: transport?.concurrency ?? 0 }, work));
    if (this.#claimed.length > 0) await this.#queue.release(this.#claimed.map(({ mail }) => mail));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    const { clock } = this.#services;
    const earliest = toTimestamp(clock.nowMs() + (this.#isUnavailable ? this.#queue.unavailableDelayMs : 0));
    const next = await this.#queue.findNext();
    return { sent: this.#sent, nextAt: next !== null && next < earliest ? earliest : next };
  }

  async #claim(): Promise<void> {
    const { clock } = this.#services;
    const startBeforeMs = performance.now() + leaseMs - attemptMaxMs;
    const batch = await this.#queue.claim({ now: clock.now(), endsAt: toTimestamp(clock.nowMs() + leaseMs) });
    if (batch === null) this.#isNoneDue = true;
    else for (const mail of batch.mails) this.#claimed.push({ mail, prepare: batch.prepare, startBeforeMs });
  }

  async #open(): Promise<MailTransport | undefined> {
    try {
      return await this.#queue.open();
    } catch (error) {
      this.#isUnavailable = true;
      await this.#queue.reportUnavailable?.(wordsOf(error));
      return undefined;
    }
  }

  async #work(transport: MailTransport): Promise<void> {
    for (let next = await this.#next(); next !== undefined; next = await this.#next()) {
      await this.#attempt(next, transport);
    }
  }

  /** Returns the mail to send next; claims more if all claimed ones are taken. Undefined at the end of the run. */
  async #next(): Promise<ClaimedMail<Mail> | undefined> {
    while (!this.#isUnavailable && !this.#signal?.aborted) {
      const [next] = this.#claimed;
      if (next !== undefined) return performance.now() < next.startBeforeMs ? this.#claimed.shift() : undefined;
      if (this.#isNoneDue || performance.now() >= this.#claimBeforeMs) return undefined;
      this.#claiming ??= this.#claim().finally(() => {
        this.#claiming = undefined;
      });
      await this.#claiming;
    }
    return undefined;
  }

  async #attempt({ mail, prepare }: ClaimedMail<Mail>, transport: MailTransport): Promise<void> {
    const { clock, metrics } = this.#services;
    let outcome: MailOutcome;
    let outage: string | null = null;
    try {
      outcome = await send(mail, prepare, transport, clock.now());
    } catch (error) {
      outcome = afterFailure(mail, error, this.#queue.schedule, clock.nowMs());
      if (error instanceof MailServerUnavailableError && !this.#isUnavailable) outage = error.message;
      this.#isUnavailable ||= outage !== null;
    }
    await this.#queue.record(mail, outcome);
    if (outcome.state === 'sent') this.#sent += 1;
    if (outcome.state !== 'cancelled' || outcome.reason !== null) metrics.countMail(resultOf[outcome.state]);
    if (outage !== null) await this.#queue.reportUnavailable?.(outage);
  }
}

async function send<Mail extends QueuedMail>(
  mail: Mail,
  prepare: ClaimedMails<Mail>['prepare'],
  transport: MailTransport,
  now: Timestamp,
): Promise<MailOutcome> {
  if (mail.useful_until !== null && mail.useful_until <= now)
    return { state: 'cancelled', reason: 'It would have come too late: what it offers has ended.' };
  const prepared = await prepare(mail);
  if ('uselessBecause' in prepared) return { state: 'cancelled', reason: prepared.uselessBecause };
  await transport.send(prepared);
  return { state: 'sent', subject: prepared.subject };
}

function afterFailure(mail: QueuedMail, error: unknown, schedule: RetrySchedule, nowMs: number): MailOutcome {
  const reason = wordsOf(error);
  // A mail that becomes useless is tried until then.
  const createdAt = mail.useful_until === null ? mail.created_at : null;
  const nextAttemptAt = retryAt(schedule, mail.attempts, nowMs, createdAt);
  if (error instanceof MailRefusedError || nextAttemptAt === null) return { state: 'refused', reason };
  return { state: 'queued', reason, nextAttemptAt };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
