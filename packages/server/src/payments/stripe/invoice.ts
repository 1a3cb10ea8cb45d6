import type Stripe from 'stripe';
import type { InvoiceStatus } from '../../db/tables/platform/billing.ts';
import {
  type InvoiceLine,
  PaymentProviderError,
  type ProviderCreditNote,
  type ProviderInvoice,
  type TaxLine,
} from '../provider.ts';
import { idOf, momentOf, optionalMoment } from './context.ts';
import { couponCodeOf } from './discount.ts';

const statuses: readonly string[] = ['draft', 'open', 'paid', 'void', 'uncollectible'] satisfies InvoiceStatus[];

function statusOf({ id, status }: Stripe.Invoice): InvoiceStatus {
  if (status !== null && statuses.includes(status)) return status as InvoiceStatus;
  throw new PaymentProviderError(
    'refused',
    `The invoice ${id} at Stripe has the status ${status}, which this version does not support.`,
  );
}

type AnyTax = Pick<Stripe.Invoice.TotalTax, 'amount' | 'tax_behavior'>;

/** Returns the sum of the taxes with a behavior: `inclusive` taxes are a part of the amounts, `exclusive` ones come on top. */
function sumOf(taxes: readonly AnyTax[] | null, behavior: 'inclusive' | 'exclusive'): number {
  return (taxes ?? []).reduce((sum, tax) => (tax.tax_behavior === behavior ? sum + tax.amount : sum), 0);
}

/** Converts an invoice line of Stripe to the provider interface. The amount is without tax. */
export function toInvoiceLine(line: Stripe.InvoiceLineItem): InvoiceLine {
  return {
    description: line.description ?? '',
    quantity: line.quantity ?? 1,
    amount: line.amount - sumOf(line.taxes, 'inclusive'),
    periodStartsAt: momentOf(line.period.start),
    periodEndsAt: momentOf(line.period.end),
  };
}

/** Returns the id of an invoice's subscription; the API has it below `parent` since 2025. */
function subscriptionOfInvoice({ parent }: Pick<Stripe.Invoice, 'parent'>): string | null {
  return idOf(parent?.subscription_details?.subscription ?? null);
}

/** What is read for an invoice separately. */
interface InvoiceParts {
  /** All lines; the invoice itself has only the first ten. */
  readonly lines: readonly Stripe.InvoiceLineItem[];
  readonly taxes: readonly TaxLine[];
  readonly creditNotes: readonly ProviderCreditNote[];
}

/** Returns the amounts of an invoice in minor units: the subtotal without tax, what is taken off it, and the tax. */
export function amountsOf(invoice: Pick<Stripe.Invoice, 'subtotal' | 'total' | 'total_taxes'>) {
  const { subtotal, total, total_taxes: taxes } = invoice;
  const [inclusive, exclusive] = [sumOf(taxes, 'inclusive'), sumOf(taxes, 'exclusive')];
  // The discount is everything that Stripe takes off before tax: discounts, and credits of a prepaid balance.
  return { subtotal: subtotal - inclusive, discount: subtotal + exclusive - total, tax: inclusive + exclusive };
}

/** Converts an invoice of Stripe. Expand `discountExpansion` for the coupon's code. */
export function toInvoice(invoice: Stripe.Invoice, parts: InvoiceParts): ProviderInvoice {
  const status = statusOf(invoice);
  const { finalized_at, paid_at } = invoice.status_transitions;
  return {
    ...amountsOf(invoice),
    id: invoice.id,
    customerId: idOf(invoice.customer) ?? '',
    subscriptionId: subscriptionOfInvoice(invoice),
    status,
    currency: invoice.currency,
    collectionMethod: invoice.collection_method === 'send_invoice' ? 'send' : 'charge',
    couponCode: couponCodeOf(invoice),
    taxes: parts.taxes,
    total: invoice.total,
    amountDue: invoice.amount_due,
    amountPaid: invoice.amount_paid,
    lines: parts.lines.map(toInvoiceLine),
    creditNotes: parts.creditNotes,
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
