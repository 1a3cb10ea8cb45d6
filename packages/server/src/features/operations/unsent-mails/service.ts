import type { PlatformDb } from '../../../db/database.ts';
import { findRow } from '../../../db/rows.ts';
import type { DeadMailsTable, MailsTable } from '../../../db/tables/platform/background.ts';
import { type PageRequest, paginate, toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import { retryDeadMail } from '../../../mail/queue.ts';
import { openEnvelope } from '../../../mail/stored-mail.ts';
import type { MailServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import type { MailsQuery, MailView } from './schemas.ts';

/** Returns one page of the dead mails, the most recently abandoned first. */
export async function listMails(
  { keyring, platform }: MailServices,
  { from, to, ...page }: MailsQuery,
): Promise<Page<MailView>> {
  const between = { from: from && toStoredTimestamp(from), to: to && toStoredTimestamp(to) };
  const { rows, nextCursor } = toPage(await pageOfDeadMails(platform, { ...between, ...page }), page.limit, 'died_at');
  return { rows: rows.map((row) => presentDead(keyring, row)), nextCursor };
}

/** Returns a dead or queued mail. Throws 404 `RESOURCE.NOT_FOUND`; a mail is deleted when it was sent. */
export async function readMail({ keyring, platform }: MailServices, id: string): Promise<MailView> {
  const dead = await findRow(platform.query, 'dead_mails', id);
  if (dead !== undefined) return presentDead(keyring, dead);
  const queued = await findRow(platform.query, 'mails', id);
  const to = queued === undefined ? undefined : openEnvelope(keyring, queued.sealed_message);
  if (queued === undefined || to === undefined) throw mailNotFound();
  return present(queued, to, { status: 'waiting', last_error: queued.last_error, died_at: null });
}

/**
 * Queues a dead mail again. Only one of several concurrent calls does so and is audited. A queued mail does not change.
 * Throws 404 `RESOURCE.NOT_FOUND` and 409 `MAIL.EXPIRED`.
 */
export async function retryMail(services: MailServices, actor: Actor, id: string): Promise<MailView> {
  const before = await readMail(services, id);
  const at = services.clock.now();
  if (before.status !== 'dead') return before;
  if (before.expires_at !== null && before.expires_at <= at) {
    throw new AppError('MAIL.EXPIRED', 'The link in this mail has expired. Ask the recipient to request a new mail.');
  }
  const entry = { event: 'MAIL.RETRIED', resourceType: 'mail', resourceId: id, at };
  const retried = await retryDeadMail(services, id, (tx) => recordPlatformAudit(tx, actor, entry));
  if (retried) services.mail.kick();
  return { ...before, status: 'waiting', attempts: 0, died_at: null };
}

function presentDead(keyring: Keyring, row: DeadMailsTable): MailView {
  const { last_error, died_at } = row;
  const envelope = openEnvelope(keyring, row.sealed_message) ?? { to: null, subject: null };
  return present(row, envelope, { status: 'dead', last_error, died_at });
}

function present(
  { id, attempts, created_at, useful_until }: Omit<MailsTable, 'next_attempt_at' | 'last_error'>,
  { to, subject }: Pick<MailView, 'to' | 'subject'>,
  state: Pick<MailView, 'status' | 'last_error' | 'died_at'>,
): MailView {
  return { id, to, subject, attempts, created_at, expires_at: useful_until, ...state };
}

function mailNotFound(): AppError {
  return new AppError(
    'RESOURCE.NOT_FOUND',
    'There is no such mail; it may have been sent. List the mails to find its id.',
  );
}

interface DeadMailsBetween extends PageRequest {
  readonly from?: Timestamp | undefined;
  /** Exclusive. */
  readonly to?: Timestamp | undefined;
}

/** Returns one page of the dead mails, the most recently abandoned first. */
function pageOfDeadMails(platform: PlatformDb, { from, to, ...page }: DeadMailsBetween): Promise<DeadMailsTable[]> {
  let query = platform.query.selectFrom('dead_mails').selectAll();
  if (from !== undefined) query = query.where('died_at', '>=', from);
  if (to !== undefined) query = query.where('died_at', '<', to);
  return paginate(query, page, 'died_at').execute();
}
