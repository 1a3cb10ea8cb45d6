import type { Timestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/duration.ts';
import type { InvoiceLine } from '../provider.ts';
import { refusalOf } from './cards.ts';
import { newInvoiceId } from './ids.ts';
import { recordEvent, type SandboxInvoice, type Work } from './state.ts';

/**
 * Days between the attempts to collect an invoice, as in a Stripe retry schedule. The fourth attempt is the last one.
 */
const retryAfterDays = [3, 5, 7];

/** Returns the sum of invoice lines in minor units. */
export function totalOf(lines: readonly InvoiceLine[]): number {
  return lines.reduce((sum, line) => sum + line.amount, 0);
}

/**
 * Returns the amount due after credit, in minor units. It is 0 for a negative total, which increases the credit
 * instead.
 */
export function amountDueOf(total: number, balance: number): number {
  return Math.max(0, total - Math.max(0, balance));
}

/** Creates a draft with the given lines, in the currency of the subscription. */
export function draftInvoice(work: Work, lines: readonly InvoiceLine[], at: Timestamp): SandboxInvoice {
  const { customerId, subscription } = work.account;
  const total = totalOf(lines);
  const invoice: SandboxInvoice = {
    id: newInvoiceId(),
    customerId,
    subscriptionId: subscription.id,
    status: 'draft',
    currency: subscription.price.currency,
    subtotal: total,
    tax: 0,
    total,
    amountDue: Math.max(0, total),
    amountPaid: 0,
    lines,
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

/** Finalizes a draft: credit lowers its amount due, and it is due at once. */
export function finalizeInvoice(work: Work, invoice: SandboxInvoice, at: Timestamp): void {
  const { balance } = work.account;
  const credit = balance[invoice.currency] ?? 0;
  invoice.amountDue = amountDueOf(invoice.total, credit);
  balance[invoice.currency] = credit - (invoice.total - invoice.amountDue);
  invoice.status = 'open';
  invoice.finalizedAt = at;
  invoice.dueAt = at;
  recordEvent(work, 'invoice.finalized', invoice.id, at);
}

/** Returns the credit of a void invoice to the balance. */
export function refundCredit({ account: { balance } }: Work, invoice: SandboxInvoice): void {
  balance[invoice.currency] = (balance[invoice.currency] ?? 0) + invoice.total - invoice.amountDue;
}

/** Collects an open invoice. Returns why the payment failed; undefined when the invoice is paid. */
export function collect(
  work: Work,
  invoice: SandboxInvoice,
  at: Timestamp,
  occasion: 'checkout' | 'later',
): string | undefined {
  const refusal = invoice.amountDue === 0 ? undefined : refusalOf(work.account.card, occasion);
  if (invoice.amountDue > 0) invoice.attemptCount += 1;
  if (refusal !== undefined) {
    recordEvent(work, 'invoice.payment_failed', invoice.id, at);
    return refusal;
  }
  invoice.status = 'paid';
  invoice.amountPaid = invoice.amountDue;
  invoice.nextAttemptAt = null;
  invoice.paidAt = at;
  recordEvent(work, 'invoice.paid', invoice.id, at);
  return undefined;
}

/** Schedules the next attempt after a failed scheduled attempt. Returns false when there is none left. */
export function planRetry(invoice: SandboxInvoice, at: Timestamp): boolean {
  const days = retryAfterDays[invoice.scheduledAttempts];
  invoice.scheduledAttempts += 1;
  invoice.nextAttemptAt = days === undefined ? null : addDays(at, days);
  return days !== undefined;
}
