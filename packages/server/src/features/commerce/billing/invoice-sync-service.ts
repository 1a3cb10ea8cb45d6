import type { PlatformTransaction } from '../../../db/database.ts';
import type { InvoicesTable, SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import type { ProviderInvoice } from '../../../payments/provider.ts';
import { systemActor } from '../../../tenancy/system-actor.ts';
import { changedFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import {
  deleteLostDrafts,
  findInvoicesByProvider,
  type InvoicePayment,
  insertInvoice,
  replaceDraft,
  takeInvoiceNumber,
  updateInvoicePayment,
} from './sync-queries.ts';

/** A provider lists no more than this of a subscription: what an older one became is not to be concluded from it. */
const listedMost = 100;

interface InvoiceSync {
  readonly subscription: SubscriptionsTable;
  readonly invoices: readonly ProviderInvoice[];
  /** JSON of whom an invoice that is finalized now is made out to, and by whom. */
  readonly customerJson: string | null;
  readonly sellerJson: string | null;
  readonly at: Timestamp;
}

/**
 * Makes our copies of a subscription's invoices what the provider's are, in the caller's transaction, which has locked
 * the tenant. An invoice gets its number when it is finalized, the oldest first, and keeps it whatever becomes of it. What
 * is finalized changes no more, except in its state and in what was paid.
 */
export async function syncInvoices(tx: PlatformTransaction, sync: InvoiceSync): Promise<void> {
  const { subscription, invoices } = sync;
  const oldestFirst = [...invoices].sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  const known = await findInvoicesByProvider(
    tx,
    subscription.provider,
    invoices.map(({ id }) => id),
  );
  for (const invoice of oldestFirst) {
    const copy = known.get(invoice.id);
    if (copy !== undefined && copy.number !== null) await syncPayment(tx, copy, invoice, sync.at);
    else await syncContent(tx, copy, invoice, sync);
  }
  if (invoices.length >= listedMost) return;
  await deleteLostDrafts(
    tx,
    subscription.id,
    invoices.map(({ id }) => id),
  );
}

const orderOf = ({ finalizedAt, createdAt, id }: ProviderInvoice) => `${finalizedAt ?? createdAt} ${createdAt} ${id}`;

function paymentOf(invoice: ProviderInvoice, at: Timestamp): InvoicePayment {
  return {
    status: invoice.status,
    amount_due: invoice.amountDue,
    amount_paid: invoice.amountPaid,
    attempt_count: invoice.attemptCount,
    next_attempt_at: invoice.nextAttemptAt,
    due_at: invoice.dueAt,
    paid_at: invoice.paidAt,
    payment_url: invoice.paymentUrl,
    updated_at: at,
  };
}

const watchedFields = [
  ...(['status', 'amount_due', 'amount_paid', 'attempt_count'] as const),
  ...(['next_attempt_at', 'due_at', 'paid_at', 'payment_url'] as const),
];

async function syncPayment(
  tx: PlatformTransaction,
  copy: InvoicesTable,
  invoice: ProviderInvoice,
  at: Timestamp,
): Promise<void> {
  const payment = paymentOf(invoice, at);
  // No provider makes a draft of an invoice again: an answer that says so is not one to believe.
  if (invoice.status === 'draft' || changedFields(copy, { ...copy, ...payment }, watchedFields).length === 0) return;
  await updateInvoicePayment(tx, copy.id, payment);
  if (payment.status !== copy.status) await recordState(tx, { ...copy, ...payment }, copy.status, at);
}

async function syncContent(
  tx: PlatformTransaction,
  copy: InvoicesTable | undefined,
  invoice: ProviderInvoice,
  { subscription, customerJson, sellerJson, at }: InvoiceSync,
): Promise<void> {
  const isFinal = invoice.status !== 'draft';
  const row: InvoicesTable = {
    ...paymentOf(invoice, at),
    id: copy?.id ?? newId(),
    tenant_id: subscription.tenant_id,
    subscription_id: subscription.id,
    provider: subscription.provider,
    provider_invoice_id: invoice.id,
    number: isFinal ? await takeInvoiceNumber(tx, subscription.tenant_id) : null,
    currency: invoice.currency,
    subtotal: invoice.subtotal,
    tax: invoice.tax,
    total: invoice.total,
    lines_json: JSON.stringify(invoice.lines),
    customer_json: isFinal ? customerJson : null,
    seller_json: isFinal ? sellerJson : null,
    finalized_at: isFinal ? (invoice.finalizedAt ?? invoice.createdAt) : null,
    created_at: copy?.created_at ?? invoice.createdAt,
  };
  if (copy === undefined) await insertInvoice(tx, row);
  else await replaceDraft(tx, row);
  if (!isFinal) return;
  const changes = [
    { field: 'number', old: null, new: row.number },
    { field: 'total', old: null, new: row.total },
    { field: 'currency', old: null, new: row.currency },
  ];
  await recordPlatformAudit(tx, systemActor, { ...auditOf(row.id, 'INVOICE.FINALIZED'), changes, at });
  if (row.status !== 'open') await recordState(tx, row, 'open', at);
}

const stateEvents = {
  draft: 'INVOICE.UPDATED',
  open: 'INVOICE.REOPENED',
  paid: 'INVOICE.PAID',
  void: 'INVOICE.VOIDED',
  uncollectible: 'INVOICE.MARKED_UNCOLLECTIBLE',
} as const;

async function recordState(
  tx: PlatformTransaction,
  row: InvoicesTable,
  before: InvoicesTable['status'],
  at: Timestamp,
): Promise<void> {
  const changes = [{ field: 'status', old: before, new: row.status }];
  await recordPlatformAudit(tx, systemActor, { ...auditOf(row.id, stateEvents[row.status]), changes, at });
}

function auditOf(id: string, event: string) {
  return { event, resourceType: 'invoice', resourceId: id };
}
