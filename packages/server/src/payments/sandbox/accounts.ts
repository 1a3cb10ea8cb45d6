import type { PlatformTransaction } from '../../db/database.ts';
import type { Timestamp } from '../../lib/clock.ts';
import { PaymentProviderError } from '../provider.ts';
import { type Card, refusalOf } from './cards.ts';
import { readNow } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { passTime } from './due.ts';
import { recordEvent, type SandboxInvoice, type Work } from './state.ts';
import { type AccountName, findSandboxInvoice, isFirstRequest, lockAccount, writeWork } from './store.ts';
import { payNow } from './subscription.ts';

/** Returns the error of an unknown id. */
export function notFound(what: 'customer' | 'subscription' | 'invoice'): PaymentProviderError {
  return new PaymentProviderError('not_found', `The sandbox has no such ${what}. Reload, then try again.`);
}

interface ChangeOptions {
  /** Repeated changes with this key take effect once. */
  readonly idempotencyKey?: string;
  /** An invoice of the account that the change is about, in any status. */
  readonly invoiceId?: string;
}

/**
 * Changes an account under its lock, after every change that is due by the clock. When `change` throws, nothing is
 * written. Returns undefined for a request that took effect before.
 */
export async function changeAccount<Result>(
  context: SandboxContext,
  name: AccountName,
  change: (work: Work, at: Timestamp, tx: PlatformTransaction) => Result | Promise<Result>,
  { idempotencyKey, invoiceId }: ChangeOptions = {},
): Promise<Result | undefined> {
  const result = await context.platform.transaction(async (tx) => {
    const at = await readNow(tx, context.clock);
    const work = await lockAccount(tx, context, name, invoiceId);
    if (work === undefined) throw notFound('customer_id' in name ? 'customer' : 'subscription');
    if (idempotencyKey !== undefined && !(await isFirstRequest(tx, context, idempotencyKey))) return undefined;
    while (passTime(work, at));
    const changed = await change(work, at, tx);
    await writeWork(tx, context, work);
    return changed;
  });
  context.kick();
  return result;
}

/** Changes an invoice in any status under the lock of its account. */
export async function changeInvoice<Result>(
  context: SandboxContext,
  id: string,
  change: (work: Work, invoice: SandboxInvoice, at: Timestamp) => Result,
): Promise<Result | undefined> {
  const found = await findSandboxInvoice(context.platform.query, id);
  if (found === undefined) throw notFound('invoice');
  const changeIt = (work: Work, at: Timestamp) => {
    const invoice = work.invoices.find((one) => one.id === id);
    if (invoice === undefined) throw notFound('invoice');
    return change(work, invoice, at);
  };
  return await changeAccount(context, { customer_id: found.customerId }, changeIt, { invoiceId: id });
}

/** Changes an open invoice like `changeInvoice`. Throws `refused` for an invoice that is not open. */
export async function changeOpenInvoice<Result>(
  context: SandboxContext,
  id: string,
  change: (work: Work, invoice: SandboxInvoice, at: Timestamp) => Result,
): Promise<Result | undefined> {
  return await changeInvoice(context, id, (work, invoice, at) => {
    if (invoice.status !== 'open')
      throw new PaymentProviderError('refused', 'The invoice is not open. Reload to see its state.');
    return change(work, invoice, at);
  });
}

/** Collects an open invoice, with a new card if one is given. Throws `declined`; the failed attempt is stored. */
export async function paySandboxInvoice(context: SandboxContext, id: string, card?: Card): Promise<void> {
  const refusal = await changeOpenInvoice(context, id, (work, invoice, at) => {
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
