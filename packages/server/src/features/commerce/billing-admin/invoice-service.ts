import type { PlatformTransaction } from '../../../db/database.ts';
import type { InvoiceStatus, InvoicesTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { AppError, validationError } from '../../../lib/error.ts';
import { readableDay, readableMoment } from '../../../lib/readable-time.ts';
import { callProvider, requirePayments } from '../../../payments/call-provider.ts';
import { type PaymentProvider, PaymentProviderError } from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { assertBillable, findTenantRecord, type TenantRecord } from '../../../tenancy/tenant-record.ts';
import { listOwnerEmails } from '../../accounts/memberships/service.ts';
import { lockTenant } from '../../accounts/tenants/service.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { ensureCustomer, findInvoiceParties } from '../billing/customer-service.ts';
import { syncInvoice, syncStoredInvoice } from '../billing/invoice-sync-service.ts';
import type { Cause } from '../billing/sync-service.ts';
import type { NamedInvoice } from '../invoices/invoice.ts';
import { mailInvoice } from '../invoices/invoice-mail-service.ts';
import { requireInvoice, requireInvoiceRow } from '../invoices/service.ts';
import { deleteDraftRow, findInvoiceByProvider } from '../invoices/sync-service.ts';
import { maxAmount } from '../plans/schemas.ts';
import type { CreateInvoice } from './schemas.ts';

/**
 * Creates the draft of a single invoice at the provider and returns it. Creates the tenant's customer if necessary. A
 * call with the same id continues the same creation. Throws 422 for an unknown or closed tenant, and for lines with a
 * sum that is not payable.
 */
export async function createInvoice(
  services: Services,
  actor: Actor,
  id: string,
  input: CreateInvoice,
): Promise<NamedInvoice> {
  const payments = requirePayments(services);
  const tenant = await requireOpenTenant(services, input.tenant_id);
  const total = totalOf(input);
  const { currency, due_in_days: dueInDays } = input;
  const lines = input.lines.map(({ description, quantity, unit_amount }) => {
    return { description, quantity, unitAmount: unit_amount };
  });
  const changes = [
    { field: 'tenant_id', old: null, new: tenant.id },
    { field: 'currency', old: null, new: currency },
    { field: 'subtotal', old: null, new: total },
  ];
  const providerId = await callProvider(async () => {
    const customerId = await ensureCustomer(services, payments, tenant);
    const draft = await payments.createInvoice(customerId, { reference: id, currency, lines, dueInDays });
    const entry = { event: 'INVOICE.CREATED', resourceType: 'invoice', resourceId: id, changes };
    await syncInvoice(services, payments, draft.id, { creation: { id, cause: { actor, entry } } });
    return draft.id;
  });
  const stored = await findInvoiceByProvider(services.platform.query, payments.name, providerId);
  if (stored === undefined) throw new Error(`The draft ${providerId} of the payment provider was not stored.`);
  return await requireInvoice(services.platform, stored.id);
}

async function requireOpenTenant({ platform }: Services, id: string): Promise<TenantRecord> {
  const tenant = await findTenantRecord(platform, id);
  if (tenant === undefined || tenant.status === 'closed') {
    throw validationError({ field: 'tenant_id', message: 'Choose a tenant that is not closed.' });
  }
  assertBillable(tenant);
  return tenant;
}

/**
 * Returns the sum of the lines in minor units. Throws 422 when it is not positive, or above what a provider accepts.
 */
function totalOf({ lines }: CreateInvoice): number {
  const total = lines.reduce((sum, { quantity, unit_amount }) => sum + quantity * unit_amount, 0);
  if (total >= 1 && total <= maxAmount) return total;
  throw validationError({ field: 'lines', message: `Enter lines that add up to an amount from 1 to ${maxAmount}.` });
}

/**
 * Finalizes a draft at the provider and returns the invoice, which has its number now. Has no effect on an invoice that
 * is final. Throws 404 `RESOURCE.NOT_FOUND`.
 */
export async function finalizeInvoice(services: Services, actor: Actor, id: string): Promise<NamedInvoice> {
  const payments = requirePayments(services);
  const invoice = await requireInvoice(services.platform, id);
  if (invoice.status !== 'draft') return invoice;
  await callProvider(async () => {
    await payments.finalizeInvoice(invoice.provider_invoice_id);
    const entry = { event: 'INVOICE.FINALIZE_REQUESTED', resourceType: 'invoice', resourceId: id };
    await syncStoredInvoice(services, payments, invoice, { actor, entry });
  });
  return await requireInvoice(services.platform, id);
}

/**
 * Deletes the draft of a single invoice, here and at the provider. Throws 404 `RESOURCE.NOT_FOUND`, and 409
 * `INVOICE.TRANSITION_INVALID` for an invoice that is final or that belongs to a subscription.
 */
export async function deleteInvoice(services: Services, actor: Actor, id: string): Promise<void> {
  const { platform, clock } = services;
  const payments = requirePayments(services);
  const stored = await requireInvoice(platform, id);
  if (stored.subscription_id !== null)
    throw notDeletable('The draft belongs to a subscription, which makes invoices. Cancel the subscription instead.');
  // The draft may have been finalized at the provider.
  await callProvider(() => syncStoredInvoice(services, payments, stored));
  const { status, provider_invoice_id, tenant_id } = await requireInvoice(platform, id);
  if (status !== 'draft') throw notDeletable(`The invoice is ${status}. Only a draft can be deleted; void it instead.`);
  await callProvider(() => payments.deleteDraft(provider_invoice_id));
  await platform.transaction(async (tx) => {
    await lockTenant(tx, tenant_id);
    await deleteDraftRow(tx, id);
    const entry = { event: 'INVOICE.DELETED', resourceType: 'invoice', resourceId: id, at: clock.now() };
    await recordPlatformAudit(tx, actor, entry);
  });
}

function notDeletable(message: string): AppError {
  return new AppError('INVOICE.TRANSITION_INVALID', message);
}

interface InvoiceAction {
  readonly event: string;
  /** The status after the action. An invoice that has it already is left alone. */
  readonly leadsTo: InvoiceStatus;
  readonly perform: (payments: PaymentProvider, id: string) => Promise<void>;
}

/** The actions of admins on an open invoice. */
export const invoiceActions = {
  void: {
    event: 'INVOICE.VOID_REQUESTED',
    leadsTo: 'void',
    perform: (payments, id) => payments.voidInvoice(id),
  },
  'mark-uncollectible': {
    event: 'INVOICE.WRITE_OFF_REQUESTED',
    leadsTo: 'uncollectible',
    perform: (payments, id) => payments.markInvoiceUncollectible(id),
  },
  retry: {
    event: 'INVOICE.RETRY_REQUESTED',
    leadsTo: 'paid',
    perform: (payments, id) => payments.retryInvoice(id),
  },
} as const satisfies Readonly<Record<string, InvoiceAction>>;

/**
 * Performs an action on an open invoice at the provider, syncs and returns the invoice. Throws 404
 * `RESOURCE.NOT_FOUND`, 402 `BILLING.PAYMENT_FAILED` when the payment is declined, and 409 `INVOICE.TRANSITION_INVALID`
 * for an invoice that is not open.
 */
export async function actOnInvoice(
  services: Services,
  actor: Actor,
  id: string,
  action: InvoiceAction,
): Promise<NamedInvoice> {
  const payments = requirePayments(services);
  const stored = await requireInvoice(services.platform, id);
  const sync = (cause?: Cause) => callProvider(() => syncStoredInvoice(services, payments, stored, cause));
  await sync();
  const invoice = await requireInvoice(services.platform, id);
  if (invoice.status === action.leadsTo) return invoice;
  if (invoice.status !== 'open') throw notOpen(invoice);
  const changes = [{ field: 'status', old: invoice.status, new: action.leadsTo }];
  const cause = { actor, entry: { event: action.event, resourceType: 'invoice', resourceId: id, changes } };
  await callProvider(async () => {
    try {
      await action.perform(payments, invoice.provider_invoice_id);
    } catch (error) {
      // The failed attempt is synced and audited too.
      if (error instanceof PaymentProviderError && error.reason === 'declined') await sync(cause);
      throw error;
    }
  });
  await sync(cause);
  return await requireInvoice(services.platform, id);
}

function notOpen({ status }: InvoicesTable): AppError {
  return new AppError(
    'INVOICE.TRANSITION_INVALID',
    `The invoice is ${status}. Only an open invoice can be changed. List the open invoices.`,
  );
}

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
  const tenant = await lockTenant(tx, stored.tenant_id);
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
  throw new AppError(
    'INVOICE.TRANSITION_INVALID',
    `The invoice is ${status}. Only an open invoice can be mailed. List the open invoices.`,
  );
}

function assertDue({ due_at }: InvoicesTable, now: Timestamp): void {
  if (due_at !== null && due_at <= now) return;
  throw new AppError(
    'INVOICE.NOT_DUE',
    due_at === null
      ? 'The invoice has no due date: its payment is collected from the payment method.'
      : `The invoice is due on ${readableDay(due_at)}. Remind the customer after that.`,
  );
}

function assertNotReminded({ reminded_at }: InvoicesTable, at: Timestamp): void {
  if (reminded_at === null) return;
  const next = addDays(reminded_at, 1);
  if (next <= at) return;
  throw new AppError(
    'INVOICE.ALREADY_REMINDED',
    `The customer was reminded in the last 24 hours. Remind again after ${readableMoment(next)}.`,
  );
}
