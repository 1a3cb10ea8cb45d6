import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { PlatformDb } from '../db/database.ts';
import type { MailsTable } from '../db/tables/platform/background.ts';
import { type Clock, toTimestamp } from '../lib/clock.ts';
import type { Keyring } from '../lib/keyring.ts';
import { retryAt, retrySchedules } from '../lib/retry-schedule.ts';
import type { MailMetrics } from '../metrics/backlog-metrics.ts';
import { claimMail, deleteMail, insertDeadMail, postponeMail } from './queries.ts';
import {
  type AttachedFile,
  type Mail,
  type MailAttachment,
  MailRefusedError,
  MailServerUnavailableError,
  type MailTransport,
  type RenderAttachment,
} from './transport.ts';

export interface AttemptDependencies {
  readonly platform: PlatformDb;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  readonly transport: MailTransport;
  readonly config: Pick<Config, 'mailFrom'>;
  readonly metrics: MailMetrics;
  readonly renderAttachment: RenderAttachment;
}

/**
 * The result of one attempt. `unavailable`: the server accepts no mail. `none`: another process sends the mail,
 * the mail expired, or the row is a decoy.
 */
export type AttemptResult = 'sent' | 'failed' | 'unavailable' | 'none';

const minuteMs = 60_000;
/**
 * The lease of the mail job keeps other processes away for as long as this process lives. This claim only decides which
 * of two processes sends the mail when the job has lost its lease, and when the mail of a dead process is sent again.
 */
const claimMs = 2 * minuteMs;

/** Claims a due mail and sends it. Throws only if the platform database is unavailable. */
export async function attemptMail(dependencies: AttemptDependencies, due: MailsTable): Promise<AttemptResult> {
  const { platform, clock, metrics } = dependencies;
  const claimed = { ...due, attempts: due.attempts + 1 };
  if (!(await claimMail(platform, due, toTimestamp(clock.nowMs() + claimMs)))) return 'none';
  if (due.useful_until !== null && due.useful_until <= clock.now()) {
    await deleteMail(platform.query, claimed);
    metrics.countMail('expired');
    dependencies.logger.warn(
      { mail_id: due.id, attempts: due.attempts },
      'a mail expired before it could be sent; it is deleted',
    );
    return 'none';
  }
  try {
    const wasSent = await send(dependencies, claimed);
    await deleteMail(platform.query, claimed);
    if (!wasSent) return 'none';
    metrics.countMail('sent');
    return 'sent';
  } catch (error) {
    return await recordFailure(dependencies, claimed, error);
  }
}

/** Sends the mail of a row. Returns false if the row is a decoy: see `enqueue` of `MailQueue`. */
async function send(dependencies: AttemptDependencies, row: MailsTable): Promise<boolean> {
  const { keyring, transport, config, clock } = dependencies;
  const sealed: Mail | { readonly nothing: string } = JSON.parse(keyring.open(row.sealed_message));
  if ('nothing' in sealed) return false;
  const { usefulUntil: _usefulUntil, attachments: references = [], ...mail } = sealed;
  const attachments = await attach(dependencies, row.id, references);
  const outgoing = { ...mail, id: row.id, from: config.mailFrom, date: new Date(clock.nowMs()) };
  await transport.send(attachments.length === 0 ? outgoing : { ...outgoing, attachments });
  return true;
}

/** Renders the attachments. Skips documents that were deleted meanwhile, with their tenant. */
async function attach(
  { renderAttachment, logger }: AttemptDependencies,
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

async function recordFailure(
  dependencies: AttemptDependencies,
  row: MailsTable,
  error: unknown,
): Promise<AttemptResult> {
  const { clock, logger, metrics, platform } = dependencies;
  const reason = error instanceof Error ? error.message : String(error);
  const context = { reason, mail_id: row.id, attempts: row.attempts };
  // A mail with `usefulUntil` is retried until then. Any other becomes dead, and an operator can retry it.
  const createdAt = row.useful_until === null ? row.created_at : null;
  const nextAttemptAt = retryAt(retrySchedules.serviceMail, row.attempts, clock.nowMs(), createdAt);
  if (error instanceof MailRefusedError || nextAttemptAt === null) {
    await moveToDeadMails(dependencies, row, reason);
    metrics.countMail('dead');
    logger.error(context, 'a mail failed permanently; see "licensing mails list --dead"');
    return 'failed';
  }
  await postponeMail(platform, row, { next_attempt_at: nextAttemptAt, last_error: reason });
  metrics.countMail('failed');
  logger.warn(context, 'sending a mail failed; it will be retried');
  return error instanceof MailServerUnavailableError ? 'unavailable' : 'failed';
}

async function moveToDeadMails(
  { platform, clock }: AttemptDependencies,
  row: MailsTable,
  reason: string,
): Promise<void> {
  const { id, sealed_message, attempts, created_at, useful_until } = row;
  await platform.transaction(async (tx) => {
    if (!(await deleteMail(tx, row))) return;
    const rest = { useful_until, last_error: reason, died_at: clock.now() };
    await insertDeadMail(tx, { id, sealed_message, attempts, created_at, ...rest });
  });
}
