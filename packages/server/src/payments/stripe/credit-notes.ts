import type Stripe from 'stripe';
import { type NewRefund, PaymentProviderError, type ProviderCreditNote } from '../provider.ts';
import { idOf, momentOf, once, pageSizeMax, referenceKey, type StripeContext, stripeAmount } from './context.ts';
import { callStripe } from './errors.ts';

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
export async function readCreditNotes(context: StripeContext, invoice: Stripe.Invoice): Promise<ProviderCreditNote[]> {
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
    throw new PaymentProviderError('refused', `The invoice is ${invoice.status}. Only a paid invoice can be refunded.`);
  }
  const refundable = invoice.amount_paid - invoice.post_payment_credit_notes_amount;
  if (amount > refundable) {
    throw new PaymentProviderError('refused', `At most ${refundable} minor units of the invoice can be refunded.`);
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
