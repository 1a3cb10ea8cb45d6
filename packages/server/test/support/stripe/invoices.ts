import { invalid, listOf, nowSeconds, type StripeAccount, type StripeObject } from './account.ts';
import { branch, type Form, leaf, numberIn } from './form.ts';

const daySeconds = 86_400;

/** A line of an invoice. `amount` is for the whole line in minor units. */
interface NewLine {
  readonly amount: number;
  readonly description: string;
  readonly quantity: number;
  readonly metadata: Form;
}

/** Adds a line to an invoice and calculates its totals. */
function addLine(account: StripeAccount, invoice: StripeObject, line: NewLine): void {
  const { tax } = account;
  const id = account.id('il');
  const taxes = invoice.automatic_tax.enabled && tax !== null ? [taxOf(tax, line.amount)] : [];
  const now = nowSeconds();
  const { currency } = invoice;
  const period = { start: now, end: now };
  account.add({
    id,
    object: 'line_item',
    ...line,
    currency,
    subtotal: line.amount,
    invoice: invoice.id,
    period,
    taxes,
  });
  const made = account.get(id);
  delete made.created;
  invoice.lines.data.push(made);
  addUp(account, invoice);
}

function taxOf({ rate, reason }: { readonly rate: StripeObject; readonly reason: string }, base: number): StripeObject {
  const amount = reason === 'reverse_charge' ? 0 : Math.round((base * rate.percentage) / 100);
  return {
    amount,
    tax_behavior: 'exclusive',
    tax_rate_details: { tax_rate: rate.id },
    taxability_reason: reason,
    taxable_amount: base,
    type: 'tax_rate_details',
  };
}

function addUp(account: StripeAccount, invoice: StripeObject): void {
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
  const lines: StripeObject[] = invoice.lines.data;
  const subtotal = sum(lines.map(({ amount }) => amount));
  const discount = sum(invoice.discounts.map((id: string) => reductionOf(account, account.get(id), subtotal)));
  const taxes = lines.flatMap((line) => line.taxes);
  const base = subtotal - discount;
  invoice.total_taxes = taxes.length === 0 || account.tax === null ? [] : [taxOf(account.tax, base)];
  invoice.total_discount_amounts = invoice.discounts.map((id: string) => ({
    amount: reductionOf(account, account.get(id), subtotal),
    discount: id,
  }));
  const total = base + sum(invoice.total_taxes.map(({ amount }: StripeObject) => amount));
  Object.assign(invoice, { subtotal, total, amount_due: Math.max(total, 0), amount_remaining: Math.max(total, 0) });
}

function reductionOf(account: StripeAccount, discount: StripeObject, subtotal: number): number {
  const { percent_off, amount_off } = account.get(discount.source.coupon);
  return percent_off === null ? Math.min(amount_off, subtotal) : Math.round((subtotal * percent_off) / 100);
}

/** Marks an invoice as final: `open`, or `paid` when nothing is due or it was paid at once. */
export function finalize(account: StripeAccount, invoice: StripeObject, isPaid: boolean): StripeObject {
  if (invoice.status !== 'draft') throw invalid('This invoice is already finalized.', 'invoice_not_editable');
  const now = nowSeconds();
  const { daysUntilDue } = account.hidden.get(invoice.id) ?? {};
  Object.assign(invoice, {
    status: 'open',
    number: account.id('NR'),
    hosted_invoice_url: `https://invoice.stripe.test/${invoice.id}`,
    due_date: daysUntilDue === undefined ? null : now + daysUntilDue * daySeconds,
    next_payment_attempt: invoice.collection_method === 'send_invoice' ? null : now + daySeconds,
  });
  invoice.status_transitions.finalized_at = now;
  if (isPaid || invoice.total <= 0) settle(invoice);
  return invoice;
}

function settle(invoice: StripeObject): StripeObject {
  invoice.status_transitions.paid_at = nowSeconds();
  const { amount_due } = invoice;
  return Object.assign(invoice, {
    status: 'paid',
    amount_paid: amount_due,
    amount_remaining: 0,
    next_payment_attempt: null,
  });
}

/** Adds an invoice of a subscription with a line per amount. */
export function addInvoice(
  account: StripeAccount,
  subscription: StripeObject,
  amounts: readonly number[],
  status: 'draft' | 'open' | 'paid',
): StripeObject {
  const { id, metadata } = subscription;
  const invoice = account.add({
    id: account.id('in'),
    object: 'invoice',
    customer: subscription.customer,
    parent: { type: 'subscription_details', quote_details: null, subscription_details: { subscription: id, metadata } },
    status: 'draft',
    currency: subscription.currency,
    collection_method: 'charge_automatically',
    attempt_count: 1,
    metadata: {},
    automatic_tax: { enabled: subscription.automatic_tax.enabled },
    discounts: [...subscription.discounts],
    lines: listOf([]),
  });
  for (const [position, amount] of amounts.entries()) {
    addLine(account, invoice, { amount, description: `Line ${position + 1}`, quantity: 1, metadata: {} });
  }
  return status === 'draft' ? invoice : finalize(account, invoice, status === 'paid');
}

/** Creates the draft of a single invoice. */
export function createDraft(account: StripeAccount, form: Form): StripeObject {
  const invoice = account.add({
    id: account.id('in'),
    object: 'invoice',
    customer: account.get(leaf(form, 'customer')).id,
    status: 'draft',
    currency: leaf(form, 'currency'),
    collection_method: leaf(form, 'collection_method'),
    auto_advance: leaf(form, 'auto_advance') === 'true',
    automatic_tax: { enabled: leaf(branch(form, 'automatic_tax'), 'enabled') === 'true' },
    metadata: branch(form, 'metadata'),
    lines: listOf([]),
  });
  account.hidden.set(invoice.id, { daysUntilDue: Number(leaf(form, 'days_until_due')) });
  return invoice;
}

/** Adds an item to a draft. */
export function addItem(account: StripeAccount, form: Form): StripeObject {
  const invoice = account.get(leaf(form, 'invoice'));
  if (invoice.status !== 'draft') throw invalid('The invoice is no longer editable.', 'invoice_not_editable');
  if (leaf(form, 'currency') !== invoice.currency) throw invalid('The currency differs from the invoice.');
  const quantity = Number(leaf(form, 'quantity'));
  const amount = quantity * Number(leaf(form, 'unit_amount_decimal'));
  const description = leaf(form, 'description');
  addLine(account, invoice, { amount, description, quantity, metadata: branch(form, 'metadata') });
  const { customer, currency, id } = invoice;
  const item = { id: account.id('ii'), object: 'invoiceitem', amount, currency, customer, description, quantity };
  const made = account.add({ ...item, invoice: id, quantity_decimal: String(quantity) });
  delete made.created;
  return made;
}

/** Pays an open invoice. */
export function payInvoice(account: StripeAccount, invoice: StripeObject): StripeObject {
  if (invoice.status !== 'open') throw invalid('Invoice is already paid', 'invoice_already_paid');
  invoice.attempt_count += 1;
  account.pay();
  return settle(invoice);
}

/** Ends an open invoice without a payment. */
export function closeInvoice(invoice: StripeObject, status: 'void' | 'uncollectible'): StripeObject {
  if (invoice.status !== 'open') throw invalid(`You can only pass in open invoices. This one is ${invoice.status}.`);
  return Object.assign(invoice, { status, next_payment_attempt: null });
}

/** Creates a credit note that refunds a part of a paid invoice. Stripe handles the requests for an invoice one by one. */
export function createCreditNote(account: StripeAccount, form: Form): StripeObject {
  const invoice = account.get(leaf(form, 'invoice'));
  const [amount, refunded] = [numberIn(form, 'amount'), numberIn(form, 'refund_amount')];
  if (invoice.status !== 'paid') throw invalid('This test account refunds paid invoices only.');
  if (amount <= 0 || amount !== refunded) throw invalid('The refund must be equal to the post payment amount.');
  if (invoice.post_payment_credit_notes_amount + amount > invoice.amount_paid) {
    throw invalid('The sum of credit amounts exceeds the amount paid.');
  }
  invoice.post_payment_credit_notes_amount += amount;
  const taxes = invoice.total_taxes.map((tax: StripeObject) => ({
    ...tax,
    amount: Math.round((tax.amount * amount) / invoice.total),
    taxable_amount: Math.round((tax.taxable_amount * amount) / invoice.total),
  }));
  return account.add({
    id: account.id('cn'),
    object: 'credit_note',
    amount,
    total: amount,
    subtotal: amount,
    post_payment_amount: amount,
    currency: invoice.currency,
    customer: invoice.customer,
    invoice: invoice.id,
    memo: leaf(form, 'memo'),
    metadata: branch(form, 'metadata'),
    number: account.id('CN'),
    refunds: [{ amount_refunded: amount, payment_record_refund: null, refund: account.id('re'), type: 'refund' }],
    status: 'issued',
    total_taxes: taxes,
    type: 'post_payment',
    lines: listOf([]),
  });
}
