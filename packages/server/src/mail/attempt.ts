import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { PlatformDb } from '../db/database.ts';
import type { MailsTable } from '../db/tables/platform/mails.ts';
import { type Clock, toTimestamp } from '../lib/clock.ts';
import type { Keyring } from '../lib/keyring.ts';
import type { MailMetrics } from '../metrics/mail-metrics.ts';
import { claimMail, deleteMail, extendClaim, insertDeadMail, postponeMail } from './queries.ts';
import { type Mail, MailRefusedError, MailServerAwayError, type MailTransport } from './transport.ts';

export interface AttemptDependencies {
  readonly platform: PlatformDb;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  readonly transport: MailTransport;
  readonly config: Pick<Config, 'mailFrom'>;
  readonly metrics: MailMetrics;
}

/** `away`: the server takes no mail at all. `none`: another process has it, or there was nothing to send. */
export type AttemptResult = 'sent' | 'failed' | 'away' | 'none';

const minuteMs = 60_000;
/** How long a claim holds without being renewed: after that the process that made it is taken for dead. */
const leaseMs = 2 * minuteMs;
const renewalMs = leaseMs / 3;
/** The wait after each failed attempt; the last one repeats as long as the mail is of use. */
const retryDelaysMs = [1, 2, 5, 10, 15].map((minutes) => minutes * minuteMs);
const longestDelayMs = retryDelaysMs.at(-1) ?? minuteMs;
/** How long a mail without an end of its own is tried; then an operator may. */
const giveUpAfterMs = 7 * 24 * 60 * minuteMs;

/** Claims a due mail and sends it. Throws only when the database cannot be reached. */
export async function attemptMail(dependencies: AttemptDependencies, due: MailsTable): Promise<AttemptResult> {
  const { platform, clock, metrics } = dependencies;
  const claimed = { ...due, attempts: due.attempts + 1 };
  if (!(await claimMail(platform, due, toTimestamp(clock.nowMs() + leaseMs)))) return 'none';
  if (due.useful_until !== null && due.useful_until <= clock.now()) {
    await deleteMail(platform.query, claimed);
    metrics.countMail('expired');
    dependencies.logger.warn({ mail_id: due.id, attempts: due.attempts }, 'a mail was not sent while it was of use');
    return 'none';
  }
  try {
    const wasSent = await holding(dependencies, claimed, () => send(dependencies, claimed));
    await deleteMail(platform.query, claimed);
    if (!wasSent) return 'none';
    metrics.countMail('sent');
    return 'sent';
  } catch (error) {
    return await noteFailure(dependencies, claimed, error);
  }
}

/** False when the row holds no mail: see `enqueue`. */
async function send({ keyring, transport, config, clock }: AttemptDependencies, row: MailsTable): Promise<boolean> {
  const sealed: Mail | { readonly nothing: string } = JSON.parse(keyring.open(row.sealed_message));
  if ('nothing' in sealed) return false;
  const { usefulUntil: _usefulUntil, ...mail } = sealed;
  await transport.send({ ...mail, id: row.id, from: config.mailFrom, date: new Date(clock.nowMs()) });
  return true;
}

/** Runs `work` while the claim is renewed, so that a slow server never makes two processes send one mail. */
async function holding<Result>(
  { platform, clock, logger }: AttemptDependencies,
  row: MailsTable,
  work: () => Promise<Result>,
): Promise<Result> {
  const timer = setInterval(() => {
    extendClaim(platform, row, toTimestamp(clock.nowMs() + leaseMs)).catch((error: unknown) => {
      logger.warn({ err: error, mail_id: row.id }, 'the claim on a mail could not be renewed');
    });
  }, renewalMs);
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

async function noteFailure(dependencies: AttemptDependencies, row: MailsTable, error: unknown): Promise<AttemptResult> {
  const { clock, logger, metrics, platform } = dependencies;
  const reason = error instanceof Error ? error.message : String(error);
  const context = { reason, mail_id: row.id, attempts: row.attempts };
  const isOld = row.useful_until === null && Date.parse(row.created_at) + giveUpAfterMs <= clock.nowMs();
  if (error instanceof MailRefusedError || isOld) {
    await bury(dependencies, row, reason);
    metrics.countMail('dead');
    logger.error(context, 'a mail was refused for good; see "licensing mails list --dead"');
    return 'failed';
  }
  const delayMs = retryDelaysMs[row.attempts - 1] ?? longestDelayMs;
  await postponeMail(platform, row, { next_attempt_at: toTimestamp(clock.nowMs() + delayMs), last_error: reason });
  metrics.countMail('failed');
  logger.warn(context, 'a mail could not be sent and is tried again later');
  return error instanceof MailServerAwayError ? 'away' : 'failed';
}

async function bury({ platform, clock }: AttemptDependencies, row: MailsTable, reason: string): Promise<void> {
  const { id, sealed_message, attempts, created_at, useful_until } = row;
  await platform.transaction(async (tx) => {
    if (!(await deleteMail(tx, row))) return;
    const rest = { useful_until, last_error: reason, died_at: clock.now() };
    await insertDeadMail(tx, { id, sealed_message, attempts, created_at, ...rest });
  });
}
