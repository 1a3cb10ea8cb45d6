import {
  type CustomerDetails,
  type NewRefund,
  PaymentProviderError,
  type ProviderCard,
  type ProviderCreditNote,
} from '../provider.ts';
import { changeAccount, changeInvoice } from './accounts.ts';
import { assertPrice, sumOf, taxOfRefund } from './amounts.ts';
import { newSandboxId, type SandboxContext, sandboxIdOf } from './context.ts';
import { type Account, recordEvent, recordInvoiceEvent, type SandboxInvoice, type Work } from './state.ts';
import { findAccount, insertAccount } from './store.ts';
import { lowerPeriodNet } from './subscription.ts';

/** Implements `createCustomer` of the provider. */
export async function createSandboxCustomer(
  { platform }: SandboxContext,
  tenantId: string,
  details: CustomerDetails,
): Promise<string> {
  const customerId = sandboxIdOf('cus', tenantId);
  const account: Account = { customerId, card: null, balance: {}, details, subscription: null };
  await platform.transaction((tx) => insertAccount(tx, account));
  return customerId;
}

/** Implements `findCustomerDetails` of the provider. */
export async function findSandboxCustomerDetails(
  { platform }: SandboxContext,
  customerId: string,
): Promise<CustomerDetails | undefined> {
  const account = await findAccount(platform.query, { customer_id: customerId });
  return account?.details ?? undefined;
}

/** Implements `findCard` of the provider. The sandbox does not store when a card expires. */
export async function findSandboxCard(
  { platform }: SandboxContext,
  customerId: string,
): Promise<ProviderCard | undefined> {
  const { card = null } = (await findAccount(platform.query, { customer_id: customerId })) ?? {};
  return card === null ? undefined : { brand: card.brand, last4: card.last4, expMonth: null, expYear: null };
}

/** Implements `updateCustomer` of the provider. The country and the tax id determine the taxes of later invoices. */
export async function updateSandboxCustomer(
  context: SandboxContext,
  customerId: string,
  details: CustomerDetails,
): Promise<void> {
  await changeAccount(context, { customer_id: customerId }, (work, at) => {
    work.account.details = details;
    recordEvent(work, 'customer.updated', customerId, at);
  });
}

/** Implements `addCredit` of the provider. */
export async function addSandboxCredit(
  context: SandboxContext,
  customerId: string,
  credit: { readonly amount: number; readonly currency: string },
  idempotencyKey: string,
): Promise<void> {
  assertPrice(credit);
  await changeAccount(
    context,
    { customer_id: customerId },
    (work, at) => {
      const { balance } = work.account;
      balance[credit.currency] = (balance[credit.currency] ?? 0) + credit.amount;
      recordEvent(work, 'customer.updated', customerId, at);
    },
    { idempotencyKey: `credit ${customerId} ${idempotencyKey}` },
  );
}

/** Implements `refundInvoice` of the provider. What was paid with credit is not paid back. */
export async function refundSandboxInvoice(
  context: SandboxContext,
  id: string,
  refund: NewRefund,
): Promise<ProviderCreditNote> {
  const note = await changeInvoice(context, id, (work, invoice, at) => refundPart(work, invoice, refund, at));
  if (note === undefined) throw new Error('A change without an idempotency key has a result.');
  return note;
}

/** Refunds a part of a paid invoice. Returns the credit note, also when it exists already. */
export function refundPart(
  work: Work,
  invoice: SandboxInvoice,
  { reference, amount, reason }: NewRefund,
  at: string,
): ProviderCreditNote {
  const known = invoice.creditNotes.find((note) => note.reference === reference);
  if (known !== undefined) {
    if (known.amount === amount) return known;
    throw new PaymentProviderError(
      'refused',
      'The reference of the refund was used for another amount. Choose another.',
    );
  }
  const refunded = sumOf(invoice.creditNotes);
  if (invoice.status !== 'paid')
    throw new PaymentProviderError('refused', 'The invoice is not paid. Wait for its payment.');
  if (!Number.isSafeInteger(amount) || amount <= 0 || amount > invoice.amountPaid - refunded) {
    throw new PaymentProviderError(
      'refused',
      `A refund must be an integer from 1 to ${invoice.amountPaid - refunded}, in minor units: what was paid and not paid back yet.`,
    );
  }
  const tax = taxOfRefund(invoice, refunded, amount);
  const note = { id: newSandboxId('cn'), invoiceId: invoice.id, reference, amount, tax, reason, createdAt: at };
  invoice.creditNotes = [...invoice.creditNotes, note];
  lowerPeriodNet(work, invoice, amount - tax);
  recordInvoiceEvent(work, 'charge.refunded', invoice, at);
  recordInvoiceEvent(work, 'credit_note.created', invoice, at, note.id);
  return note;
}
