import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { findRow } from '../../../db/rows.ts';
import type { HolderMailsTable } from '../../../db/tables/tenant/holder-mails.ts';
import { toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { licenseNotFound } from '../../licensing/licenses/service.ts';
import { recordAudit } from '../../tenant-core/audit/audit.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { confirmAddress } from '../../tenant-core/holder-mail-queue/address-service.ts';
import { type HolderMailType, holderMailKind } from '../../tenant-core/holder-mail-queue/holder-mail.ts';
import { type NewHolderMail, queueHolderMail } from '../../tenant-core/holder-mail-queue/queue.ts';
import { findQueuedMail } from '../../tenant-core/holder-mail-queue/service.ts';
import { listMailedLicenses, listMails } from './queries.ts';
import type { HolderMail, HolderMailsQuery, SendMail } from './schemas.ts';

/** Reads a page of the mails to holders. */
export async function readMails({ db }: Pick<Tenant, 'db'>, query: HolderMailsQuery): Promise<Page<HolderMail>> {
  const page = toPage(await listMails(db, query), query.limit);
  return { ...page, rows: page.rows.map(presentMail) };
}

/** Reads a mail. Throws 404. */
export async function readMail(db: TenantDb, id: string): Promise<HolderMail> {
  const row = orThrow(await findRow(db.query, 'holder_mails', id), mailNotFound);
  return presentMail(row);
}

/** Presents a mail as the API returns it, without its values. */
export function presentMail(row: HolderMailsTable): HolderMail {
  const {
    event: _event,
    is_bulk: _isBulk,
    language: _language,
    lease_id: _lease,
    sealed_values: _values,
    useful_until: _end,
    ...mail
  } = row;
  return { ...mail, type: mail.type as HolderMailType };
}

/**
 * Queues the mail with the license key to the holder, because a person asks for it. Throws 404 `LICENSE.NOT_FOUND`, and
 * 409 `LICENSE.HOLDER_EMAIL_MISSING` for a license without an address.
 */
export async function sendLicense(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { license_id }: SendMail,
): Promise<HolderMailsTable> {
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const to = await recipientOf(tx, license_id);
    return await queueRequested(services, tx, outbox, actor, { type: 'license.issued', to, licenseId: license_id });
  });
}

/**
 * Queues a mail again, to the present address of the holder and with the present state of the license. Throws 404, 409
 * `MAIL.NOT_REPEATABLE` for a mail that still waits or whose code or link has ended, and 409 `LICENSE.HOLDER_EMAIL_MISSING`.
 */
export async function resendMail(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
): Promise<HolderMailsTable> {
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const mail = orThrow(await findRow(tx, 'holder_mails', id), mailNotFound);
    const type = mail.type as HolderMailType;
    if (mail.state === 'queued')
      throw notRepeatable('The mail still waits to be sent. Wait for its next attempt, or find out why it waits.');
    if (mail.license_id === null || holderMailKind(type).hasSecrets === true)
      throw notRepeatable('The code or the link of this mail works only once. The customer must ask for a new one.');
    const to = await recipientOf(tx, mail.license_id);
    const stored = mail.sealed_values === null ? {} : JSON.parse(services.keyring.open(mail.sealed_values));
    // The mail of a trial can have a link to log in, which works only once.
    const { portal_url: _link, ...values } = stored;
    const again = { type, to, licenseId: mail.license_id, values };
    return await queueRequested(services, tx, outbox, actor, again, id);
  });
}

async function recipientOf(tx: TenantTransaction, licenseId: string): Promise<string> {
  const [license] = await listMailedLicenses(tx, [licenseId]);
  if (license === undefined || license.deleted_at !== null) throw licenseNotFound();
  if (license.holder_email !== null) return license.holder_email;
  const message = 'The license has no email address of a customer. Enter one, and send the mail then.';
  throw new AppError('LICENSE.HOLDER_EMAIL_MISSING', message);
}

async function queueRequested(
  services: Services,
  tx: TenantTransaction,
  outbox: { expectHolderMails(): void },
  actor: Actor,
  mail: Omit<NewHolderMail, 'event'>,
  resentFrom?: string,
): Promise<HolderMailsTable> {
  const event = `requested ${newId()}`;
  const context = { ...services, outbox };
  await confirmAddress(tx, mail.to);
  await queueHolderMail(tx, { ...mail, event, notifyHolder: true, ...(resentFrom && { resentFrom }) }, context);
  const row = await findQueuedMail(tx, mail.type, event);
  if (row === undefined) throw new Error('A mail was not queued although its event is new.');
  const changes = [
    { field: 'type', old: null, new: mail.type },
    { field: 'license_id', old: null, new: mail.licenseId },
  ];
  const entry = { event: resentFrom ? 'MAIL.RESENT' : 'MAIL.REQUESTED', resourceType: 'mail', resourceId: row.id };
  await recordAudit(tx, actor, { ...entry, changes, at: row.created_at });
  return row;
}

function mailNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'There is no such mail. List the mails to find its id.');
}

function notRepeatable(message: string): AppError {
  return new AppError('MAIL.NOT_REPEATABLE', message);
}
