import { setTimeout as delay } from 'node:timers/promises';
import type { TenantDb } from '../../../db/database.ts';
import type { HolderMailsTable } from '../../../db/tables/tenant/holder-mails.ts';
import type { WaitingJobRun } from '../../../jobs/job.ts';
import { type Timestamp, toTimestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { retryAt, retrySchedules } from '../../../lib/retry-schedule.ts';
import { admitHolderMails } from '../../../mail/limits.ts';
import { MailRefusedError, MailServerUnavailableError, type MailTransport } from '../../../mail/transport.ts';
import type { Services } from '../../../services.ts';
import {
  claimDueMails,
  endMail,
  findNextMail,
  postponeMail,
  releaseMails,
} from '../../tenant-core/holder-mails/dispatch-service.ts';
import { type HolderMailType, holderMailKind } from '../../tenant-core/holder-mails/holder-mail.ts';
import { type OutgoingBatch, readBatch } from './batch-service.ts';
import { noticeLimit, noticeServerFailure } from './failure-notices.ts';
import { openOwnServer } from './mail-server.ts';

/** Mails per claim. After a crash, only the mails of one claim wait for the end of its lease. */
const batchSize = 25;
const leaseMs = 180_000;
/** A mail is only started if its lease lasts longer than the slowest attempt. */
const attemptMaxMs = 120_000;
/**
 * The least time between the starts of two mails of which there are very many. Rendering and recording a mail takes a
 * few ms of the thread that also answers validations, so mails that follow each other at once would delay those.
 */
const bulkGapMs = 10;
/** The maximum duration of a run, so that one tenant does not delay the others. */
const runMaxMs = 5000;
/** The wait of a run that found the mail server unavailable. */
const unavailableDelayMs = 60_000;

/** One run for one tenant: claims due mails in batches, renders and sends them, and records how each ended. */
export class MailRun {
  readonly #services: Services;
  readonly #run: WaitingJobRun;
  readonly #leaseId = newId();
  #transport: MailTransport | undefined;
  /** When the next bulk mail may start, by `performance.now()`. */
  #nextBulkMs = 0;
  /** The words of the server once it accepts no mail. */
  #unavailable: string | undefined;

  constructor(services: Services, run: WaitingJobRun) {
    this.#services = services;
    this.#run = run;
  }

  /** Sends until no mail is due or the time of the run is over. Returns when the next mail is due, or null. */
  async run(): Promise<Timestamp | null> {
    const endMs = performance.now() + runMaxMs;
    try {
      while (!this.#run.signal.aborted && this.#unavailable === undefined && performance.now() < endMs) {
        if (!(await this.#sendBatch())) break;
        this.#run.reportProgress();
      }
    } finally {
      if (this.#transport !== this.#services.mailTransport) this.#transport?.close();
    }
    const next = await this.#withDb(findNextMail);
    if (next === null || this.#unavailable === undefined) return next;
    const earliest = toTimestamp(this.#services.clock.nowMs() + unavailableDelayMs);
    return next > earliest ? next : earliest;
  }

  #withDb<Result>(work: (db: TenantDb) => Promise<Result>): Promise<Result> {
    return this.#services.tenants.withTenantDb(this.#run.tenantId, work);
  }

  /** Returns false if nothing was due. */
  async #sendBatch(): Promise<boolean> {
    const { clock } = this.#services;
    const startBeforeMs = performance.now() + leaseMs - attemptMaxMs;
    const leaseEndsAt = toTimestamp(clock.nowMs() + leaseMs);
    const claim = { leaseId: this.#leaseId, now: clock.now(), leaseEndsAt, limit: batchSize };
    const claimed = await this.#withDb((db) => claimDueMails(db, claim));
    if (claimed.length === 0) return false;
    const batch = await this.#withDb((db) => readBatch(this.#services, this.#run.tenantId, db, claimed));
    const admitted = await this.#admit(claimed, batch);
    const transport = await this.#open(batch);
    const mails = admitted.values();
    const mayStart = () =>
      transport !== undefined &&
      this.#unavailable === undefined &&
      !this.#run.signal.aborted &&
      performance.now() < startBeforeMs;
    const work = async () => {
      while (mayStart()) {
        const { value: mail } = mails.next();
        if (mail === undefined) return;
        if (mail.is_bulk === 1) await this.#keepPace();
        await this.#send(mail, batch, transport as MailTransport);
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: transport?.concurrency ?? 1 }, work));
    const left = [...mails];
    if (left.length > 0) await this.#withDb((db) => releaseMails(db, left, clock.now()));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return true;
  }

  /** Waits for the turn of a bulk mail. */
  async #keepPace(): Promise<void> {
    const nowMs = performance.now();
    const startsAtMs = Math.max(nowMs, this.#nextBulkMs);
    this.#nextBulkMs = startsAtMs + bulkGapMs;
    if (startsAtMs > nowMs) await delay(startsAtMs - nowMs);
  }

  /** Counts the mails against the limits of the service's server. Those above a limit wait. Returns the others. */
  async #admit(claimed: readonly HolderMailsTable[], { ownServer }: OutgoingBatch): Promise<HolderMailsTable[]> {
    // A repeated attempt was counted before.
    const counted = ownServer === null ? claimed.filter(({ attempts }) => attempts === 1) : [];
    if (counted.length === 0) return [...claimed];
    const { platform, config } = this.#services;
    const mails = counted.map(({ id, recipient: to, type }) => ({
      id,
      to,
      countsForTenant: holderMailKind(type as HolderMailType).hasSecrets !== true,
    }));
    const request = { tenantId: this.#run.tenantId, perDay: config.holderMailsPerDay, mails };
    const waiting = await platform.transaction((tx) => admitHolderMails(this.#services, tx, request));
    if (waiting.size === 0) return [...claimed];
    await this.#withDb(async (db) => {
      for (const mail of claimed) {
        const until = waiting.get(mail.id);
        if (until === undefined) continue;
        const reason = 'A limit of mails per day is reached. The mail waits until tomorrow.';
        await postponeMail(db, mail, { reason, server: 'service', next_attempt_at: until, attempts: 0 });
      }
      await noticeLimit(this.#services, { id: this.#run.tenantId, db });
    });
    return claimed.filter(({ id }) => !waiting.has(id));
  }

  /** Opens the server that the tenant uses. Returns undefined, and records the words, if it cannot be reached. */
  async #open({ ownServer }: OutgoingBatch): Promise<MailTransport | undefined> {
    if (ownServer === null) this.#transport = this.#services.mailTransport;
    else if (this.#transport === undefined || this.#transport === this.#services.mailTransport) {
      try {
        this.#transport = await openOwnServer(this.#services, ownServer);
      } catch (error) {
        await this.#reportUnavailable(wordsOf(error), true);
        return undefined;
      }
    }
    return this.#transport;
  }

  async #send(mail: HolderMailsTable, batch: OutgoingBatch, transport: MailTransport): Promise<void> {
    const { clock } = this.#services;
    const server = batch.ownServer === null ? 'service' : 'own';
    const prepared = batch.prepare(mail);
    if ('uselessBecause' in prepared) return await this.#end(mail, 'cancelled', { reason: prepared.uselessBecause });
    try {
      await transport.send(prepared.outgoing);
      await this.#end(mail, 'sent', { subject: prepared.outgoing.subject, server });
    } catch (error) {
      const reason = wordsOf(error);
      const next_attempt_at = retryAt(retrySchedules.holderMail, mail.attempts, clock.nowMs(), mail.created_at);
      if (error instanceof MailRefusedError || next_attempt_at === null) {
        return await this.#end(mail, 'refused', { reason, server });
      }
      const { attempts } = mail;
      await this.#withDb((db) => postponeMail(db, mail, { reason, server, next_attempt_at, attempts }));
      if (error instanceof MailServerUnavailableError) await this.#reportUnavailable(reason, server === 'own');
    }
  }

  async #end(
    mail: HolderMailsTable,
    state: 'sent' | 'refused' | 'cancelled',
    {
      reason = null,
      subject = null,
      server = mail.server,
    }: Partial<Pick<HolderMailsTable, 'reason' | 'subject' | 'server'>>,
  ): Promise<void> {
    const { clock, metrics } = this.#services;
    const forgetsValues = holderMailKind(mail.type as HolderMailType).hasSecrets === true;
    const end = { state, reason, subject, server, ended_at: clock.now(), forgetsValues };
    await this.#withDb((db) => endMail(db, mail, end));
    metrics.mail.countMail(state === 'sent' ? 'sent' : state === 'refused' ? 'dead' : 'expired');
  }

  async #reportUnavailable(words: string, isOwn: boolean): Promise<void> {
    if (this.#unavailable !== undefined) return;
    this.#unavailable = words;
    const { tenantId } = this.#run;
    this.#services.logger.warn(
      { reason: words, tenant_id: tenantId, own_server: isOwn },
      'no mail server for customers',
    );
    if (isOwn) await this.#withDb((db) => noticeServerFailure(this.#services, { id: tenantId, db }, words));
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
