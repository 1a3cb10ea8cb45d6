import type Stripe from 'stripe';
import type { InvoiceStatus } from '../../db/tables/platform/billing.ts';
import { type InvoiceLine, PaymentProviderError, type ProviderInvoice } from '../provider.ts';
import { idOf, momentOf, optionalMoment } from './context.ts';

const statuses: readonly string[] = ['draft', 'open', 'paid', 'void', 'uncollectible'] satisfies InvoiceStatus[];

function statusOf({ id, status }: Stripe.Invoice): InvoiceStatus {
  if (status !== null && statuses.includes(status)) return status as InvoiceStatus;
  throw new PaymentProviderError(
    'refused',
    `The invoice ${id} at Stripe has the status ${status}, which this version does not support.`,
  );
}

/** Converts an invoice line of Stripe to the provider interface. */
export function toInvoiceLine(line: Stripe.InvoiceLineItem): InvoiceLine {
  return {
    description: line.description ?? '',
    quantity: line.quantity ?? 1,
    amount: line.amount,
    periodStartsAt: momentOf(line.period.start),
    periodEndsAt: momentOf(line.period.end),
  };
}

/** Returns the id of an invoice's subscription; the API has it below `parent` since 2025. */
function subscriptionOfInvoice({ parent }: Pick<Stripe.Invoice, 'parent'>): string | null {
  return idOf(parent?.subscription_details?.subscription ?? null);
}

/** Converts an invoice of Stripe. `lines` must be complete: the invoice itself has only the first ten. */
export function toInvoice(invoice: Stripe.Invoice, lines: readonly Stripe.InvoiceLineItem[]): ProviderInvoice {
  const status = statusOf(invoice);
  const { finalized_at, paid_at } = invoice.status_transitions;
  return {
    id: invoice.id,
    customerId: idOf(invoice.customer) ?? '',
    subscriptionId: subscriptionOfInvoice(invoice),
    status,
    currency: invoice.currency,
    subtotal: invoice.subtotal,
    tax: (invoice.total_taxes ?? []).reduce((sum, tax) => sum + tax.amount, 0),
    total: invoice.total,
    amountDue: invoice.amount_due,
    amountPaid: invoice.amount_paid,
    lines: lines.map(toInvoiceLine),
    attemptCount: invoice.attempt_count,
    nextAttemptAt: status === 'open' ? optionalMoment(invoice.next_payment_attempt) : null,
    // An invoice that is charged automatically is due when it is finalized.
    dueAt: optionalMoment(invoice.due_date ?? finalized_at),
    paymentUrl: status === 'open' ? (invoice.hosted_invoice_url ?? null) : null,
    createdAt: momentOf(invoice.created),
    finalizedAt: optionalMoment(finalized_at),
    paidAt: optionalMoment(paid_at),
  };
}
