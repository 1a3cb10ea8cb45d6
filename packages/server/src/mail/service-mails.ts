import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { PlatformDb } from '../db/database.ts';
import { insertRow } from '../db/rows.ts';
import type { MailsTable } from '../db/tables/platform/background.ts';
import type { Clock } from '../lib/clock.ts';
import type { Keyring } from '../lib/keyring.ts';
import { retrySchedules } from '../lib/retry-schedule.ts';
import type { MailMetrics } from '../metrics/backlog-metrics.ts';
import { claimMail, deleteMail, findNextAttempt, postponeMail } from './queries.ts';
import type { DueMails, MailOutcome } from './sending.ts';
import type { AttachedFile, Mail, MailAttachment, MailTransport, OutgoingMail, RenderAttachment } from './transport.ts';

export interface ServiceMailDependencies {
  readonly platform: PlatformDb;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  readonly transport: MailTransport;
  readonly config: Pick<Config, 'mailFrom'>;
  readonly metrics: MailMetrics;
  readonly renderAttachment: RenderAttachment;
}

/** Returns the service's own due mails. Each claim takes one: after a crash only those on their way wait for a lease. */
export function dueServiceMails(dependencies: ServiceMailDependencies): DueMails<MailsTable> {
  const { platform, transport, clock } = dependencies;
  return {
    schedule: retrySchedules.serviceMail,
    claimsForMs: Number.POSITIVE_INFINITY,
    unavailableDelayMs: 5_000,
    async claim(lease) {
      const mail = await claimMail(platform, lease);
      return mail === undefined ? null : { mails: [mail], prepare: (row) => prepare(dependencies, row) };
    },
    open: () => Promise.resolve(transport),
    record: (mail, outcome) => record(dependencies, mail, outcome),
    async release(mails) {
      for (const mail of mails) {
        await postponeMail(platform, mail, { next_attempt_at: clock.now(), attempts: mail.attempts - 1 });
      }
    },
    findNext: () => findNextAttempt(platform),
  };
}

/** Opens the mail of a row. A decoy contains none: see `enqueue` of `MailQueue`. */
async function prepare(dependencies: ServiceMailDependencies, row: MailsTable) {
  const { keyring, config, clock } = dependencies;
  const sealed: Mail | { readonly nothing: string } = JSON.parse(keyring.open(row.sealed_message));
  if ('nothing' in sealed) return { uselessBecause: null };
  const { usefulUntil: _usefulUntil, attachments: references = [], ...mail } = sealed;
  const attachments = await attach(dependencies, row.id, references);
  const outgoing: OutgoingMail = { ...mail, id: row.id, from: config.mailFrom, date: new Date(clock.nowMs()) };
  return attachments.length === 0 ? outgoing : { ...outgoing, attachments };
}

/** Renders the attachments. Skips documents that were deleted meanwhile, with their tenant. */
async function attach(
  { renderAttachment, logger }: ServiceMailDependencies,
  mailId: string,
  references: readonly MailAttachment[],
): Promise<AttachedFile[]> {
  const files: AttachedFile[] = [];
  for (const reference of references) {
    const file = await renderAttachment(reference);
    if (file !== undefined) files.push(file);
    else
      logger.warn(
        { mail_id: mailId, ...reference },
        'the document of a mail no longer exists; the mail is sent without it',
      );
  }
  return files;
}

/** A mail that was sent or became useless is deleted. One that is given up becomes dead, and an operator can retry it. */
async function record(dependencies: ServiceMailDependencies, row: MailsTable, outcome: MailOutcome): Promise<void> {
  const { platform, logger } = dependencies;
  const context = { mail_id: row.id, attempts: row.attempts, ...('reason' in outcome && { reason: outcome.reason }) };
  if (outcome.state === 'queued') {
    await postponeMail(platform, row, { next_attempt_at: outcome.nextAttemptAt, last_error: outcome.reason });
    logger.warn(context, 'sending a mail failed; it will be retried');
  } else if (outcome.state === 'refused') {
    await moveToDeadMails(dependencies, row, outcome.reason);
    logger.error(context, 'a mail failed permanently; see "licensing mails list --dead"');
  } else {
    await deleteMail(platform.query, row);
    if (outcome.state === 'cancelled' && outcome.reason !== null)
      logger.warn(context, 'a mail expired before it could be sent; it is deleted');
  }
}

async function moveToDeadMails(
  { platform, clock }: ServiceMailDependencies,
  row: MailsTable,
  reason: string,
): Promise<void> {
  const { id, sealed_message, attempts, created_at, useful_until } = row;
  await platform.transaction(async (tx) => {
    if (!(await deleteMail(tx, row))) return;
    const rest = { useful_until, last_error: reason, died_at: clock.now() };
    await insertRow(tx, 'dead_mails', { id, sealed_message, attempts, created_at, ...rest });
  });
}
