import Stripe from 'stripe';
import type { InvoiceStatus } from '../../db/tables/platform/billing.ts';
import {
  type InvoiceLine,
  type NewInvoice,
  type NewRefund,
  PaymentProviderError,
  type ProviderCreditNote,
  type ProviderInvoice,
  type TaxLine,
} from '../provider.ts';
import {
  callStripe,
  find,
  idOf,
  momentOf,
  once,
  optionalMoment,
  pageSizeMax,
  referenceKey,
  type StripeContext,
  stripeAmount,
} from './context.ts';
import { couponCodeOf, discountExpansion } from './discount.ts';
import { readTaxes } from './taxes.ts';

/** The metadata key of an invoice item that holds the position of its line, from 0. */
const positionKey = 'licensing_position';

/** Reads the lines, the tax rates and the credit notes that an invoice does not include. */
async function complete(context: StripeContext, invoice: Stripe.Invoice): Promise<ProviderInvoice> {
  return toInvoice(invoice, {
    lines: invoice.lines.has_more ? await readLines(context, invoice.id) : invoice.lines.data,
    taxes: await readTaxes(context, invoice),
    creditNotes: await readCreditNotes(context, invoice),
  });
}

async function readLines({ client }: StripeContext, id: string): Promise<Stripe.InvoiceLineItem[]> {
  const lines: Stripe.InvoiceLineItem[] = [];
  await callStripe(async () => {
    for await (const line of client.invoices.listLineItems(id, { limit: pageSizeMax })) lines.push(line);
  });
  return lines;
}

/** Implements `listInvoices` of the provider. */
export async function listStripeInvoices(context: StripeContext, subscription: string): Promise<ProviderInvoice[]> {
  const expand = discountExpansion.map((path) => `data.${path}`);
  const { data } = await callStripe(() => context.client.invoices.list({ subscription, limit: pageSizeMax, expand }));
  const invoices: ProviderInvoice[] = [];
  for (const invoice of data) invoices.push(await complete(context, invoice));
  return invoices;
}

/** Implements `findInvoice` of the provider. */
export async function findStripeInvoice(context: StripeContext, id: string): Promise<ProviderInvoice | undefined> {
  const invoice = await find(() => context.client.invoices.retrieve(id, { expand: discountExpansion }));
  return invoice && (await complete(context, invoice));
}

/** Returns the single invoice with a reference among the customer's newest ones. */
async function findByReference(
  { client }: StripeContext,
  customer: string,
  reference: string,
): Promise<Stripe.Invoice | undefined> {
  const { data } = await callStripe(() => client.invoices.list({ customer, limit: pageSizeMax }));
  return data.find(({ metadata }) => metadata?.[referenceKey] === reference);
}

/**
 * Implements `createInvoice` of the provider: a draft with one item per line. The next call completes an interrupted one,
 * even after the idempotency keys have expired at Stripe.
 */
export async function createStripeInvoice(
  context: StripeContext,
  customer: string,
  invoice: NewInvoice,
): Promise<ProviderInvoice> {
  const { client } = context;
  const { reference, currency, lines } = invoice;
  for (const { unitAmount } of lines) stripeAmount(unitAmount, currency);
  const draft =
    (await findByReference(context, customer, reference)) ?? (await createDraft(context, customer, invoice));
  if (draft.status !== 'draft') return complete(context, draft);
  const existing = await readLines(context, draft.id);
  const positions = new Set(existing.map(({ metadata }) => metadata[positionKey]));
  for (const [position, { description, quantity, unitAmount }] of lines.entries()) {
    if (positions.has(String(position))) continue;
    const params: Stripe.InvoiceItemCreateParams = {
      customer,
      invoice: draft.id,
      currency,
      description,
      quantity,
      unit_amount_decimal: Stripe.Decimal.from(unitAmount),
      ...(context.calculatesTax && { tax_behavior: 'exclusive' }),
      metadata: { [positionKey]: String(position) },
    };
    await callStripe(() => client.invoiceItems.create(params, once(`invoice-${reference}-${position}`)));
  }
  return complete(context, await callStripe(() => client.invoices.retrieve(draft.id)));
}

/** Creates the draft without its lines. Stripe neither finalizes nor mails it automatically. */
async function createDraft(
  { client, calculatesTax }: StripeContext,
  customer: string,
  { reference, currency, dueInDays }: NewInvoice,
): Promise<Stripe.Invoice> {
  const params: Stripe.InvoiceCreateParams = {
    customer,
    currency,
    collection_method: 'send_invoice',
    days_until_due: dueInDays,
    auto_advance: false,
    pending_invoice_items_behavior: 'exclude',
    metadata: { [referenceKey]: reference },
    ...(calculatesTax && { automatic_tax: { enabled: true } }),
  };
  return callStripe(() => client.invoices.create(params, once(`invoice-${reference}`)));
}

/** Implements `deleteDraft` of the provider. */
export async function deleteStripeDraft({ client }: StripeContext, id: string): Promise<void> {
  const invoice = await find(() => client.invoices.retrieve(id));
  if (invoice === undefined) return;
  if (invoice.status !== 'draft') {
    throw new PaymentProviderError(
      'refused',
      `The invoice is ${invoice.status}. Only a draft can be deleted. Void it instead.`,
    );
  }
  await find(() => client.invoices.del(id, {}, once()));
}

/** Implements `finalizeInvoice` of the provider. Without auto-advance Stripe sends no mails and no reminders. */
export async function finalizeStripeInvoice({ client }: StripeContext, id: string): Promise<void> {
  const { status } = await callStripe(() => client.invoices.retrieve(id));
  if (status === 'draft') {
    await callStripe(() => client.invoices.finalizeInvoice(id, { auto_advance: false }, once(`finalize-${id}`)));
  }
}

const statuses: readonly string[] = ['draft', 'open', 'paid', 'void', 'uncollectible'] satisfies InvoiceStatus[];

function statusOf({ id, status }: Stripe.Invoice): InvoiceStatus {
  if (status !== null && statuses.includes(status)) return status as InvoiceStatus;
  throw new PaymentProviderError(
    'refused',
    `The invoice ${id} at Stripe has the status ${status}, which this version does not support. Update the service.`,
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

/** Parts of an invoice that are read separately. */
interface InvoiceParts {
  /** All lines; the invoice itself has only the first ten. */
  readonly lines: readonly Stripe.InvoiceLineItem[];
  readonly taxes: readonly TaxLine[];
  readonly creditNotes: readonly ProviderCreditNote[];
}

/** Returns the amounts of an invoice in minor units: the subtotal without tax, the discount, and the tax. */
export function amountsOf(invoice: Pick<Stripe.Invoice, 'subtotal' | 'total' | 'total_taxes'>) {
  const { subtotal, total, total_taxes: taxes } = invoice;
  const [inclusive, exclusive] = [sumOf(taxes, 'inclusive'), sumOf(taxes, 'exclusive')];
  // The discount is everything that Stripe takes off before tax: discounts, and credits of a prepaid balance.
  return { subtotal: subtotal - inclusive, discount: subtotal + exclusive - total, tax: inclusive + exclusive };
}

/** Converts an invoice of Stripe. Expand `discountExpansion` for the coupon's code. */
function toInvoice(invoice: Stripe.Invoice, parts: InvoiceParts): ProviderInvoice {
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

/** Returns true for a credit note that gave money back. Others lower the amount to pay of an open invoice. */
function isRefund({ status, post_payment_amount }: Stripe.CreditNote): boolean {
  return status === 'issued' && post_payment_amount > 0;
}

/** Converts a credit note of Stripe. Only the part that was given back counts, with its share of the tax. */
function toCreditNote(note: Stripe.CreditNote): ProviderCreditNote {
  const tax = (note.total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0);
  const { post_payment_amount: amount, amount: whole } = note;
  return {
    id: note.id,
    invoiceId: idOf(note.invoice) ?? '',
    reference: note.metadata?.[referenceKey] ?? null,
    amount,
    tax: amount === whole ? tax : Math.round((tax * amount) / whole),
    reason: note.memo ?? note.reason,
    createdAt: momentOf(note.created),
  };
}

async function listNotes({ client }: StripeContext, invoice: string): Promise<Stripe.CreditNote[]> {
  const notes: Stripe.CreditNote[] = [];
  await callStripe(async () => {
    for await (const note of client.creditNotes.list({ invoice, limit: pageSizeMax })) notes.push(note);
  });
  return notes.reverse();
}

/** Returns the refunds of an invoice, the oldest first. */
async function readCreditNotes(context: StripeContext, invoice: Stripe.Invoice): Promise<ProviderCreditNote[]> {
  if (invoice.post_payment_credit_notes_amount === 0) return [];
  const notes = await listNotes(context, invoice.id);
  return notes.filter(isRefund).map(toCreditNote);
}

/**
 * Implements `refundInvoice` of the provider. Stripe keeps an idempotency key for a day; after that the credit note itself,
 * which has the reference, shows that the refund was made.
 */
export async function refundStripeInvoice(
  context: StripeContext,
  id: string,
  { reference, amount, reason }: NewRefund,
): Promise<ProviderCreditNote> {
  const { client } = context;
  const invoice = await callStripe(() => client.invoices.retrieve(id));
  const existing = (await readCreditNotes(context, invoice)).find((note) => note.reference === reference);
  if (existing !== undefined) return existing;
  if (invoice.status !== 'paid') {
    throw new PaymentProviderError(
      'refused',
      `The invoice is ${invoice.status}. Only a paid invoice can be refunded. Wait for its payment.`,
    );
  }
  const refundable = invoice.amount_paid - invoice.post_payment_credit_notes_amount;
  if (amount > refundable) {
    throw new PaymentProviderError(
      'refused',
      `At most ${refundable} minor units of the invoice can be refunded. Choose a smaller amount.`,
    );
  }
  const refunded = stripeAmount(amount, invoice.currency);
  const params: Stripe.CreditNoteCreateParams = {
    invoice: id,
    amount: refunded,
    refund_amount: refunded,
    memo: reason,
    email_type: 'none',
    metadata: { [referenceKey]: reference },
  };
  return toCreditNote(await callStripe(() => client.creditNotes.create(params, once(`refund-${reference}`))));
}
