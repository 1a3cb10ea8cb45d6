import type { PlatformTransaction } from '../../../db/database.ts';
import type { InvoicesTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import { callProvider, requirePayments } from '../../../payments/call-provider.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { listOwnerEmails } from '../../accounts/memberships/service.ts';
import { lockBilledTenant } from '../../accounts/tenants/billing-service.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { findInvoiceParties } from '../billing/invoice-parties.ts';
import { syncStoredInvoice } from '../billing/invoice-sync-service.ts';
import type { NamedInvoice } from '../invoices/invoice.ts';
import { mailInvoice } from '../invoices/invoice-mail-service.ts';
import { requireInvoice, requireInvoiceRow } from '../invoices/service.ts';

interface MailAction {
  readonly kind: 'sent' | 'reminder';
  readonly event: string;
  /** Throws when the invoice must not be mailed. `now` is by the provider's clock, `at` by the service's. */
  readonly check: (invoice: InvoicesTable, now: Timestamp, at: Timestamp) => void;
}

const send: MailAction = { kind: 'sent', event: 'INVOICE.SENT', check: assertOpen };

const remind: MailAction = {
  kind: 'reminder',
  event: 'INVOICE.REMINDED',
  check(invoice, now, at) {
    assertOpen(invoice);
    assertDue(invoice, now);
    assertNotReminded(invoice, at);
  },
};

/**
 * Mails an open invoice to its customer and returns it. Throws 404 `RESOURCE.NOT_FOUND`, 409 `INVOICE.NOT_FINAL` for a
 * draft and 409 `INVOICE.TRANSITION_INVALID` for an invoice that is not open.
 */
export function sendInvoice(services: Services, actor: Actor, id: string): Promise<NamedInvoice> {
  return mailOpenInvoice(services, actor, id, send);
}

/**
 * Reminds the customer of an invoice that is due, at most once in 24 hours, and returns the invoice. Throws like
 * `sendInvoice`, 409 `INVOICE.NOT_DUE` and 409 `INVOICE.ALREADY_REMINDED`.
 */
export function remindOfInvoice(services: Services, actor: Actor, id: string): Promise<NamedInvoice> {
  return mailOpenInvoice(services, actor, id, remind);
}

async function mailOpenInvoice(
  services: Services,
  actor: Actor,
  id: string,
  action: MailAction,
): Promise<NamedInvoice> {
  const { platform, mail } = services;
  const payments = requirePayments(services);
  const stored = await requireInvoice(platform, id);
  // The invoice may have been paid since the last event.
  await callProvider(() => syncStoredInvoice(services, payments, stored));
  const now = await callProvider(() => payments.now());
  const owners = await listOwnerEmails(platform, stored.tenant_id);
  await platform.transaction((tx) => enqueueMail(services, tx, { actor, id, action, now, owners, stored }));
  mail.kick();
  return await requireInvoice(platform, id);
}

interface Mailing {
  readonly actor: Actor;
  readonly id: string;
  readonly action: MailAction;
  readonly now: Timestamp;
  readonly owners: readonly string[];
  readonly stored: InvoicesTable;
}

async function enqueueMail(
  services: Services,
  tx: PlatformTransaction,
  { actor, id, action, now, owners, stored }: Mailing,
): Promise<void> {
  const tenant = await lockBilledTenant(tx, stored.tenant_id);
  if (tenant === undefined) throw new Error(`The tenant ${stored.tenant_id} of an invoice does not exist.`);
  const at = services.clock.now();
  const invoice = await requireInvoiceRow(tx, id);
  action.check(invoice, now, at);
  const parties = await findInvoiceParties(services, tx, tenant, owners);
  await mailInvoice(services, tx, { kind: action.kind, invoice, parties, now, at });
  await recordPlatformAudit(tx, actor, { event: action.event, resourceType: 'invoice', resourceId: id, at });
}

function assertOpen({ status }: InvoicesTable): void {
  if (status === 'open') return;
  if (status === 'draft') {
    throw new AppError('INVOICE.NOT_FINAL', 'This invoice is a draft and may still change. Finalize it first.');
  }
  throw new AppError('INVOICE.TRANSITION_INVALID', `The invoice is ${status}. Only an open invoice can be mailed.`);
}

function assertDue({ due_at }: InvoicesTable, now: Timestamp): void {
  if (due_at !== null && due_at <= now) return;
  throw new AppError(
    'INVOICE.NOT_DUE',
    due_at === null
      ? 'The invoice has no due date: its payment is collected from the payment method.'
      : `The invoice is due on ${due_at.slice(0, 10)}. Remind the customer after that.`,
  );
}

function assertNotReminded({ reminded_at }: InvoicesTable, at: Timestamp): void {
  if (reminded_at === null) return;
  const next = addDays(reminded_at, 1);
  if (next <= at) return;
  throw new AppError(
    'INVOICE.ALREADY_REMINDED',
    `The customer was reminded in the last 24 hours. Remind again after ${next.slice(0, 16).replace('T', ' ')} UTC.`,
  );
}
