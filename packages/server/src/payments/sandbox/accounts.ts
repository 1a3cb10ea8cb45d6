import type { Timestamp } from '../../lib/clock.ts';
import { type CostPreview, type CustomerDetails, PaymentProviderError, type PlanPrice } from '../provider.ts';
import type { Card } from './cards.ts';
import { refusalOf } from './cards.ts';
import { readNow } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { amountDueOf, totalOf } from './invoices.ts';
import { periodEnd } from './periods.ts';
import { assertPrice } from './price.ts';
import { lineOfPeriod, linesOfChange } from './proration.ts';
import { recordEvent, type SandboxInvoice, type Work } from './state.ts';
import { type AccountName, findAccount, findSandboxInvoice, isFirstRequest, lockAccount, writeWork } from './store.ts';
import { passTime, payNow } from './subscription.ts';

function notFound(what: string): PaymentProviderError {
  return new PaymentProviderError('not_found', `The sandbox has no such ${what}.`);
}

/**
 * Changes an account under its lock, after every change that is due by the clock. With an idempotency key, repeated
 * calls take effect once. When `change` throws, nothing is written.
 */
export async function changeAccount<Result>(
  context: SandboxContext,
  name: AccountName,
  change: (work: Work, at: Timestamp) => Result,
  idempotencyKey?: string,
): Promise<Result | undefined> {
  const result = await context.platform.transaction(async (tx) => {
    const at = await readNow(tx, context.clock);
    const work = await lockAccount(tx, name);
    if (work === undefined) throw notFound('customer_id' in name ? 'customer' : 'subscription');
    if (idempotencyKey !== undefined && !(await isFirstRequest(tx, context, idempotencyKey))) return undefined;
    while (passTime(work, at));
    const changed = change(work, at);
    await writeWork(tx, context, work);
    return changed;
  });
  context.kick();
  return result;
}

/** Changes an open invoice under the lock of its account. Throws `refused` for an invoice that is not open. */
export async function changeInvoice<Result>(
  context: SandboxContext,
  id: string,
  change: (work: Work, invoice: SandboxInvoice, at: Timestamp) => Result,
): Promise<Result | undefined> {
  const found = await findSandboxInvoice(context.platform.query, id);
  if (found === undefined) throw notFound('invoice');
  return await changeAccount(context, { customer_id: found.customerId }, (work, at) => {
    const invoice = work.invoices.find((one) => one.id === id && one.status === 'open');
    if (invoice === undefined) throw new PaymentProviderError('refused', 'The invoice is not open.');
    return change(work, invoice, at);
  });
}

/** Collects an open invoice, with a new card if one is given. Throws `declined`; the failed attempt is stored. */
export async function paySandboxInvoice(context: SandboxContext, id: string, card?: Card): Promise<void> {
  const refusal = await changeInvoice(context, id, (work, invoice, at) => {
    if (card !== undefined) attachCard(work, card, at);
    return payNow(work, invoice, at);
  });
  if (refusal !== undefined) throw new PaymentProviderError('declined', refusal);
}

/** Replaces the card of an account. Throws `declined` for a card that a bank would not accept for later payments. */
export function attachCard(work: Work, card: Card, at: Timestamp): void {
  const refusal = refusalOf(card, 'checkout');
  if (refusal !== undefined) throw new PaymentProviderError('declined', refusal);
  work.account.card = card;
  recordEvent(work, 'customer.updated', work.account.customerId, at);
}

/** Implements `addCredit` of the provider. */
export async function addSandboxCredit(
  context: SandboxContext,
  customerId: string,
  credit: { readonly amount: number; readonly currency: string },
  idempotencyKey: string,
): Promise<void> {
  assertPrice(credit);
  const name = { customer_id: customerId };
  await changeAccount(
    context,
    name,
    (work, at) => {
      const { balance } = work.account;
      balance[credit.currency] = (balance[credit.currency] ?? 0) + credit.amount;
      recordEvent(work, 'customer.updated', customerId, at);
    },
    `credit ${customerId} ${idempotencyKey}`,
  );
}

/** Implements `updateCustomer` of the provider. It only records an event: the sandbox stores no names and addresses. */
export async function updateSandboxCustomer(
  context: SandboxContext,
  customerId: string,
  _details: CustomerDetails,
): Promise<void> {
  await changeAccount(context, { customer_id: customerId }, (work, at) => {
    recordEvent(work, 'customer.updated', customerId, at);
  });
}

/** Implements `previewChange` of the provider. */
export async function previewSandboxChange(
  context: SandboxContext,
  subscriptionId: string,
  price: PlanPrice,
): Promise<CostPreview> {
  assertPrice(price);
  const account = await findAccount(context.platform.query, { subscription_id: subscriptionId });
  if (account === undefined) throw notFound('subscription');
  const { subscription, balance } = account;
  if (subscription.status === 'canceled' || subscription.price.currency !== price.currency) {
    throw new PaymentProviderError(
      'refused',
      'The subscription has ended, or its currency differs from that of the price.',
    );
  }
  const at = await readNow(context.platform.query, context.clock);
  const lines = linesOfChange(subscription, price, at);
  return { currency: price.currency, amountDue: amountDueOf(totalOf(lines), balance[price.currency] ?? 0), at, lines };
}

/** Implements `previewRenewal` of the provider. */
export async function previewSandboxRenewal(
  context: SandboxContext,
  subscriptionId: string,
): Promise<CostPreview | undefined> {
  const account = await findAccount(context.platform.query, { subscription_id: subscriptionId });
  if (account === undefined) throw notFound('subscription');
  const { subscription, balance } = account;
  if (subscription.status === 'canceled' || subscription.cancelAtPeriodEnd) return undefined;
  const { currentPeriodEndsAt: at } = subscription;
  const price = subscription.pendingPrice ?? subscription.price;
  const anchorAt = price.interval === subscription.price.interval ? subscription.anchorAt : at;
  const lines = [lineOfPeriod(price, at, periodEnd(anchorAt, price.interval, at))];
  return { currency: price.currency, amountDue: amountDueOf(totalOf(lines), balance[price.currency] ?? 0), at, lines };
}
