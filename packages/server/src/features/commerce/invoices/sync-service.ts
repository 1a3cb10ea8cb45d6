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

/** Providers list at most this many invoices of a subscription, so the absence of an older one means nothing. */
const listedMax = 100;

interface InvoiceSync {
  readonly subscription: SubscriptionsTable;
  readonly invoices: readonly ProviderInvoice[];
  /** JSON of the customer and of the seller, as an invoice that is finalized now keeps them. */
  readonly customerJson: string | null;
  readonly sellerJson: string | null;
  readonly at: Timestamp;
}

/**
 * Syncs the invoices of a subscription with the provider's, in the caller's transaction, which has locked the tenant.
 * An invoice gets its number when it is finalized, the oldest first, and keeps it for good. After that only its status
 * and its payment change.
 */
export async function syncInvoices(tx: PlatformTransaction, sync: InvoiceSync): Promise<void> {
  const { subscription, invoices } = sync;
  const oldestFirst = [...invoices].sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  const knownInvoices = await findInvoicesByProvider(
    tx,
    subscription.provider,
    invoices.map(({ id }) => id),
  );
  for (const invoice of oldestFirst) {
    const known = knownInvoices.get(invoice.id);
    if (known !== undefined && known.number !== null) await syncPayment(tx, known, invoice, sync.at);
    else await syncContent(tx, known, invoice, sync);
  }
  if (invoices.length >= listedMax) return;
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

const comparedFields = [
  'status',
  'amount_due',
  'amount_paid',
  'attempt_count',
  'next_attempt_at',
  'due_at',
  'paid_at',
  'payment_url',
] as const;

async function syncPayment(
  tx: PlatformTransaction,
  known: InvoicesTable,
  invoice: ProviderInvoice,
  at: Timestamp,
): Promise<void> {
  const payment = paymentOf(invoice, at);
  // A finalized invoice never becomes a draft again, so a response that says so is ignored.
  if (invoice.status === 'draft' || changedFields(known, { ...known, ...payment }, comparedFields).length === 0) return;
  await updateInvoicePayment(tx, known.id, payment);
  if (payment.status !== known.status) await recordState(tx, { ...known, ...payment }, known.status, at);
}

async function syncContent(
  tx: PlatformTransaction,
  known: InvoicesTable | undefined,
  invoice: ProviderInvoice,
  { subscription, customerJson, sellerJson, at }: InvoiceSync,
): Promise<void> {
  const isFinal = invoice.status !== 'draft';
  const row: InvoicesTable = {
    ...paymentOf(invoice, at),
    id: known?.id ?? newId(),
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
    created_at: known?.created_at ?? invoice.createdAt,
  };
  if (known === undefined) await insertInvoice(tx, row);
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
