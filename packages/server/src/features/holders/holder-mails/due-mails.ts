import { setTimeout as delay } from 'node:timers/promises';
import type { TenantDb } from '../../../db/database.ts';
import type { HolderMailSettingsTable, HolderMailsTable } from '../../../db/tables/tenant/holder-mails.ts';
import type { WaitingJobRun } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { retrySchedules } from '../../../lib/retry-schedule.ts';
import { admitHolderMails } from '../../../mail/limits.ts';
import type { ClaimedMails, DueMails, MailOutcome } from '../../../mail/sending.ts';
import type { MailTransport } from '../../../mail/transport.ts';
import type { Services } from '../../../services.ts';
import { claimDueMails, findNextMail, recordAttempt } from '../../tenant-core/holder-mail-queue/dispatch-service.ts';
import { type HolderMailType, holderMailKind } from '../../tenant-core/holder-mail-queue/holder-mail.ts';
import { readBatch } from './batch-service.ts';
import { noticeLimit, noticeServerFailure } from './failure-notices.ts';
import { type OwnMailServer, openOwnServer, ownServerOf } from './mail-server.ts';
import { findMailSettings } from './queries.ts';

/** Mails per claim. After a crash, only the mails of one claim wait for the end of its lease. */
const batchSize = 25;
/**
 * The least time between the starts of two mails of which there are very many. Rendering and recording a mail takes a
 * few ms of the thread that also answers validations, so mails that follow each other at once would delay those.
 */
const bulkGapMs = 10;

/** The due mails to license holders of one tenant, for one run. Close it after the run. */
export class DueHolderMails implements DueMails<HolderMailsTable> {
  readonly schedule = retrySchedules.holderMail;
  /** One tenant does not delay the others. */
  readonly claimsForMs = 5_000;
  readonly unavailableDelayMs = 60_000;
  readonly #services: Services;
  readonly #run: WaitingJobRun;
  readonly #leaseId = newId();
  /** The settings with which all mails of the run are sent, and the tenant's own server, if they name one. */
  #settings: HolderMailSettingsTable | undefined;
  #ownServer: OwnMailServer | null = null;
  #ownTransport: MailTransport | undefined;
  /** When the next bulk mail may start, by `performance.now()`. */
  #nextBulkMs = 0;

  constructor(services: Services, run: WaitingJobRun) {
    this.#services = services;
    this.#run = run;
  }

  close(): void {
    this.#ownTransport?.close();
  }

  async claim(lease: {
    readonly now: Timestamp;
    readonly endsAt: Timestamp;
  }): Promise<ClaimedMails<HolderMailsTable> | null> {
    const claimed = await this.#withDb((db) =>
      claimDueMails(db, { ...lease, leaseId: this.#leaseId, limit: batchSize }),
    );
    if (claimed.length === 0) return null;
    this.#settings ??= await this.#withDb(findMailSettings);
    const { default_language: defaultLanguage } = this.#settings;
    this.#ownServer = ownServerOf(this.#services, this.#settings);
    const sender = { tenantId: this.#run.tenantId, ownServer: this.#ownServer, defaultLanguage };
    const render = await this.#withDb((db) => readBatch(this.#services, db, claimed, sender));
    const prepare = async (mail: HolderMailsTable) => {
      if (mail.is_bulk === 1) await this.#keepPace();
      try {
        return render(mail);
      } catch (error) {
        const context = { err: error, tenant_id: this.#run.tenantId, mail_id: mail.id };
        this.#services.logger.warn(context, 'a mail to a customer could not be written; it will be retried');
        throw new Error('The service could not write the mail.', { cause: error });
      }
    };
    return { mails: await this.#admit(claimed), prepare };
  }

  async open(): Promise<MailTransport> {
    if (this.#ownServer === null) return this.#services.mailTransport;
    this.#ownTransport = await openOwnServer(this.#services, this.#ownServer);
    return this.#ownTransport;
  }

  async record(mail: HolderMailsTable, outcome: MailOutcome): Promise<void> {
    const { state } = outcome;
    const reason = state === 'sent' ? null : outcome.reason;
    const subject = state === 'sent' ? outcome.subject : null;
    const server = state === 'cancelled' ? mail.server : this.#ownServer === null ? 'service' : 'own';
    const forgetsValues = holderMailKind(mail.type as HolderMailType).hasSecrets === true;
    const end = {
      next_attempt_at: null,
      ended_at: this.#services.clock.now(),
      ...(forgetsValues && { sealed_values: null }),
    };
    const next = state === 'queued' ? { next_attempt_at: outcome.nextAttemptAt } : end;
    await this.#withDb((db) => recordAttempt(db, mail, { state, reason, subject, server, ...next }));
    this.#run.reportProgress();
  }

  async release(mails: readonly HolderMailsTable[]): Promise<void> {
    const next_attempt_at = this.#services.clock.now();
    await this.#withDb(async (db) => {
      for (const mail of mails) await recordAttempt(db, mail, { next_attempt_at, attempts: mail.attempts - 1 });
    });
  }

  async reportUnavailable(words: string): Promise<void> {
    const { tenantId } = this.#run;
    const isOwn = this.#ownServer !== null;
    this.#services.logger.warn(
      { reason: words, tenant_id: tenantId, own_server: isOwn },
      'no mail server for customers',
    );
    if (isOwn) await this.#withDb((db) => noticeServerFailure(this.#services, { id: tenantId, db }, words));
  }

  findNext(): Promise<Timestamp | null> {
    return this.#withDb(findNextMail);
  }

  #withDb<Result>(work: (db: TenantDb) => Promise<Result>): Promise<Result> {
    return this.#services.tenants.withTenantDb(this.#run.tenantId, work);
  }

  /** Waits for the turn of a bulk mail. */
  async #keepPace(): Promise<void> {
    const nowMs = performance.now();
    const startsAtMs = Math.max(nowMs, this.#nextBulkMs);
    this.#nextBulkMs = startsAtMs + bulkGapMs;
    if (startsAtMs > nowMs) await delay(startsAtMs - nowMs);
  }

  /** Counts the mails against the limits of the service's server. Those above a limit wait. Returns the others. */
  async #admit(claimed: readonly HolderMailsTable[]): Promise<readonly HolderMailsTable[]> {
    // A repeated attempt was counted before.
    const counted = this.#ownServer === null ? claimed.filter(({ attempts }) => attempts === 1) : [];
    if (counted.length === 0) return claimed;
    const { platform, config } = this.#services;
    const mails = counted.map(({ id, recipient: to, type }) => ({
      id,
      to,
      countsForTenant: holderMailKind(type as HolderMailType).hasSecrets !== true,
    }));
    const request = { tenantId: this.#run.tenantId, perDay: config.holderMailsPerDay, mails };
    const waiting = await platform.transaction((tx) => admitHolderMails(this.#services, tx, request));
    if (waiting.size === 0) return claimed;
    const reason = 'A limit of mails per day is reached. The mail waits until tomorrow.';
    await this.#withDb(async (db) => {
      for (const mail of claimed) {
        const next_attempt_at = waiting.get(mail.id);
        if (next_attempt_at === undefined) continue;
        await recordAttempt(db, mail, { reason, server: 'service', next_attempt_at, attempts: 0 });
      }
      await noticeLimit(this.#services, { id: this.#run.tenantId, db });
    });
    return claimed.filter(({ id }) => !waiting.has(id));
  }
}
