import Stripe from 'stripe';
import { type NewInvoice, PaymentProviderError, type ProviderInvoice } from '../provider.ts';
import { stripeAmount } from './amount.ts';
import { once, pageSizeMax, referenceKey, type StripeContext } from './context.ts';
import { readCreditNotes } from './credit-notes.ts';
import { discountExpansion } from './discount.ts';
import { callStripe, find } from './errors.ts';
import { toInvoice } from './invoice.ts';
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
 * Implements `createInvoice` of the provider: a draft with one item per line. A call that was interrupted is completed by
 * the next one, also when Stripe has forgotten the idempotency keys.
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

/** Creates the draft without its lines. It neither advances nor is mailed by itself. */
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
    throw new PaymentProviderError('refused', `The invoice is ${invoice.status}. Only a draft can be deleted.`);
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
