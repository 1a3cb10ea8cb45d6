import type { Timestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/duration.ts';
import { type Amounts, amountDueOf, amountsOf, type Charge, type Taxation } from './amounts.ts';
import { refusalOf } from './cards.ts';
import { newInvoiceId } from './context.ts';
import { locationOf, recordInvoiceEvent, type SandboxInvoice, subscriptionOf, type Work } from './state.ts';

/**
 * Days between the attempts to collect an invoice, as in a Stripe retry schedule. The fourth attempt is the last one.
 */
const retryAfterDays = [3, 5, 7];

function taxationOf({ account, taxRules }: Work): Taxation {
  return { location: locationOf(account.details), rules: taxRules };
}

/** Creates a draft of the subscription. A one-time discount ends with the first invoice that it lowers. */
export function draftInvoice(work: Work, charge: Charge, at: Timestamp): SandboxInvoice {
  const subscription = subscriptionOf(work);
  const { discount } = subscription;
  if (charge.isDiscounted && discount?.duration === 'once') subscription.discount = null;
  return addDraft(work, charge, at, {
    id: newInvoiceId(),
    subscriptionId: subscription.id,
    currency: subscription.price.currency,
    collectionMethod: 'charge',
    couponCode: charge.isDiscounted ? (discount?.couponCode ?? null) : null,
    dueInDays: 0,
  });
}

type DraftFields = Pick<
  SandboxInvoice,
  'id' | 'subscriptionId' | 'currency' | 'collectionMethod' | 'couponCode' | 'dueInDays'
>;

/** Creates a draft with the given lines, taxed by the customer's present location. */
export function addDraft(
  work: Work,
  charge: Omit<Charge, 'isDiscounted'>,
  at: Timestamp,
  fields: DraftFields,
): SandboxInvoice {
  const amounts = amountsOf(charge, taxationOf(work));
  const invoice: SandboxInvoice = {
    ...fields,
    customerId: work.account.customerId,
    status: 'draft',
    ...amounts,
    amountDue: Math.max(0, amounts.total),
    amountPaid: 0,
    lines: charge.lines,
    creditNotes: [],
    attemptCount: 0,
    scheduledAttempts: 0,
    nextAttemptAt: null,
    dueAt: null,
    createdAt: at,
    finalizedAt: null,
    paidAt: null,
  };
  work.invoices.push(invoice);
  return invoice;
}

/** Taxes a draft that waited by the customer's present location. */
export function taxAgain(work: Work, invoice: SandboxInvoice): void {
  const amounts: Amounts = amountsOf(invoice, taxationOf(work));
  Object.assign(invoice, amounts);
}

/** Finalizes a draft: credit lowers its amount due. */
export function finalizeInvoice(work: Work, invoice: SandboxInvoice, at: Timestamp): void {
  const { balance } = work.account;
  const credit = balance[invoice.currency] ?? 0;
  invoice.amountDue = amountDueOf(invoice.total, credit);
  balance[invoice.currency] = credit - (invoice.total - invoice.amountDue);
  invoice.status = 'open';
  invoice.finalizedAt = at;
  invoice.dueAt = addDays(at, invoice.dueInDays);
  recordInvoiceEvent(work, 'invoice.finalized', invoice, at);
}

/** Returns the credit of a void invoice to the balance. */
export function refundCredit({ account: { balance } }: Work, invoice: SandboxInvoice): void {
  balance[invoice.currency] = (balance[invoice.currency] ?? 0) + invoice.total - invoice.amountDue;
}

/** Returns why a customer's card cannot be charged; undefined when it can. */
function refusalOfCustomer({ account: { card } }: Work, occasion: 'checkout' | 'later'): string | undefined {
  return card === null ? 'There is no card. Add one first.' : refusalOf(card, occasion);
}

/**
 * Collects an open invoice. Returns why the payment failed; undefined when the invoice is paid. Nothing to pay needs no
 * card.
 */
export function collect(
  work: Work,
  invoice: SandboxInvoice,
  at: Timestamp,
  occasion: 'checkout' | 'later',
): string | undefined {
  const refusal = invoice.amountDue === 0 ? undefined : refusalOfCustomer(work, occasion);
  if (invoice.amountDue > 0) invoice.attemptCount += 1;
  if (refusal !== undefined) {
    recordInvoiceEvent(work, 'invoice.payment_failed', invoice, at);
    return refusal;
  }
  invoice.status = 'paid';
  invoice.amountPaid = invoice.amountDue;
  invoice.nextAttemptAt = null;
  invoice.paidAt = at;
  recordInvoiceEvent(work, 'invoice.paid', invoice, at);
  return undefined;
}

/** Schedules the next attempt after a failed scheduled attempt. Returns false after the last attempt. */
export function planRetry(invoice: SandboxInvoice, at: Timestamp): boolean {
  const days = retryAfterDays[invoice.scheduledAttempts];
  invoice.scheduledAttempts += 1;
  invoice.nextAttemptAt = days === undefined ? null : addDays(at, days);
  return days !== undefined;
}
