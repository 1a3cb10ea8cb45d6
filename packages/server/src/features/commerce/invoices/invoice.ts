import type { Static } from 'typebox';
import type { CreditNotesTable, InvoicesTable } from '../../../db/tables/platform/billing.ts';
import type { CustomerDetails, InvoiceLine, TaxLine } from '../../../payments/provider.ts';
import type { AdminInvoice, CreditNote, CustomerView, Invoice, InvoiceLineView } from './schemas.ts';

/**
 * The parties of an invoice: JSON of the customer and of the seller, as an invoice that is finalized now keeps them.
 */
export interface InvoiceParties {
  readonly customerJson: string | null;
  readonly sellerJson: string | null;
  /** The tenant's name, and who gets mails about its invoices. */
  readonly tenantName: string;
  readonly recipients: readonly string[];
}

/** An invoice with its credit notes, the oldest first. */
export interface CreditedInvoice extends InvoicesTable {
  readonly credit_notes: readonly CreditNotesTable[];
}

/** Returns the part of printed numbers that distinguishes tenants: the last eight digits of the tenant's id. */
function numberPrefix(tenantId: string): string {
  return tenantId.slice(-8).toUpperCase();
}

/** Returns the printed number of a credit note, such as `9F3A01BC-CN-0001`. The numbers of a tenant have no gaps. */
export function creditNoteNumber({ number, tenant_id }: Pick<CreditNotesTable, 'number' | 'tenant_id'>): string {
  return `${numberPrefix(tenant_id)}-CN-${String(number).padStart(4, '0')}`;
}

/** Returns the view of a credit note. */
export function presentCreditNote(row: CreditNotesTable): CreditNote {
  const { id, amount, tax, reason, created_at } = row;
  return { id, number: creditNoteNumber(row), amount, tax, reason, created_at };
}

/** An invoice with its credit notes and the name of its tenant. */
export interface NamedInvoice extends CreditedInvoice {
  readonly tenant_name: string;
}

/**
 * Returns the printed invoice number, such as `9F3A01BC-0001`; null for a draft. The numbers of a tenant start at 1 and
 * have no gaps. The last eight digits of the tenant's id distinguish the numbers of different tenants.
 */
export function invoiceNumber({ number, tenant_id }: Pick<InvoicesTable, 'number' | 'tenant_id'>): string | null {
  if (number === null) return null;
  return `${numberPrefix(tenant_id)}-${String(number).padStart(4, '0')}`;
}

/** Returns the API view of invoice lines. */
export function presentLines(lines: readonly InvoiceLine[]): Static<typeof InvoiceLineView>[] {
  return lines.map(({ description, quantity, amount, periodStartsAt, periodEndsAt }) => {
    return { description, quantity, amount, period_starts_at: periodStartsAt, period_ends_at: periodEndsAt };
  });
}

/** Returns the API view of a customer. */
export function presentCustomer({ name, email, address, taxId }: CustomerDetails): Static<typeof CustomerView> {
  return { name, email, address, tax_id: taxId };
}

function presentTaxes(taxes: readonly TaxLine[]): Invoice['taxes'] {
  return taxes.map(({ country, ratePercent, treatment, base, amount }) => {
    return { country, rate: ratePercent, treatment, base, amount };
  });
}

/** Returns the view of an invoice for the owners of its tenant. */
export function presentInvoice(row: CreditedInvoice): Invoice {
  const customer: CustomerDetails | null = JSON.parse(row.customer_json ?? 'null');
  const { id, status, currency, collection_method, subtotal, discount, tax, total } = row;
  const { amount_due, amount_paid, amount_refunded, payment_url, attempt_count, next_attempt_at } = row;
  const { due_at, finalized_at, paid_at, sent_at, reminded_at, created_at } = row;
  return {
    id,
    number: invoiceNumber(row),
    status,
    currency,
    collection_method,
    subtotal,
    discount,
    tax,
    taxes: presentTaxes(JSON.parse(row.taxes_json)),
    total,
    amount_due,
    amount_paid,
    amount_refunded,
    credit_notes: row.credit_notes.map((note) => presentCreditNote(note)),
    lines: presentLines(JSON.parse(row.lines_json)),
    customer: customer === null ? null : presentCustomer(customer),
    payment_url: status === 'open' ? payment_url : null,
    attempt_count,
    next_attempt_at,
    due_at,
    finalized_at,
    paid_at,
    sent_at,
    reminded_at,
    created_at,
  };
}

/** Returns the view of an invoice for admins. */
export function presentAdminInvoice(row: NamedInvoice): AdminInvoice {
  const { tenant_id, tenant_name, subscription_id, provider, provider_invoice_id } = row;
  return { ...presentInvoice(row), tenant_id, tenant_name, subscription_id, provider, provider_invoice_id };
}
