import type { PlatformTransaction } from '../../db/database.ts';
import { forUpdate } from '../../db/dialect.ts';
import type { SandboxCheckoutsTable } from '../../db/tables/platform/payments.ts';
import type { Timestamp } from '../../lib/clock.ts';
import { type CustomerDetails, PaymentProviderError } from '../provider.ts';
import type { Card } from './cards.ts';
import { readNow } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { redeemCoupon } from './coupons.ts';
import { writeEvents } from './events.ts';
import { type CheckoutTerms, subscriptionOf } from './state.ts';
import { writeWork } from './store.ts';
import { openAccount, passTime } from './subscription.ts';

/** What a customer enters on the page of a checkout. */
export interface CheckoutInput {
  /** Null when nothing is due now. */
  readonly card: Card | null;
  /** The code of a coupon in upper case, or null. */
  readonly coupon: string | null;
  /** The recipient of the invoices, which determines the taxes. */
  readonly details: CustomerDetails | null;
}

/** Returns the row of a checkout; undefined for an unknown id. */
export function findCheckoutRow({ platform }: SandboxContext, id: string): Promise<SandboxCheckoutsTable | undefined> {
  return platform.query.selectFrom('sandbox_checkouts').selectAll().where('id', '=', id).executeTakeFirst();
}

async function lockCheckout(tx: PlatformTransaction, id: string): Promise<SandboxCheckoutsTable> {
  const query = tx.selectFrom('sandbox_checkouts').selectAll().where('id', '=', id);
  const row = await forUpdate(tx, query).executeTakeFirst();
  if (row === undefined)
    throw new PaymentProviderError('not_found', 'The sandbox has no such checkout. Start a new one.');
  return row;
}

/**
 * Pays a checkout, or starts its trial. Idempotent. Returns the URL to which the customer is redirected. Throws
 * `declined` when the card fails or lacks, `CouponRefusedError`, and `refused` when the checkout has expired.
 */
export async function payCheckout(context: SandboxContext, id: string, input: CheckoutInput): Promise<string> {
  const successUrl = await context.platform.transaction(async (tx) => {
    const at = await readNow(tx, context.clock);
    const checkout = await lockCheckout(tx, id);
    const terms: CheckoutTerms = JSON.parse(checkout.terms_json);
    if (checkout.status === 'complete') return terms.successUrl;
    if (checkout.status === 'expired' || (checkout.due_at ?? at) <= at) {
      throw new PaymentProviderError('refused', 'This checkout has expired. Start a new one.');
    }
    const { price, trialDays } = terms;
    const { card, coupon, details } = input;
    const discount = coupon === null ? null : await redeemCoupon(tx, coupon, price.currency, at);
    const { reference } = checkout;
    const { taxRules } = context;
    const work = openAccount({ reference, price, trialDays, card, details, discount, taxRules }, at);
    const ids = { customer_id: work.account.customerId, subscription_id: subscriptionOf(work).id };
    const event = { objectId: id, at, subscriptionId: ids.subscription_id, reference, invoiceId: null };
    // The reminder of a short trial is due at once.
    while (passTime(work, at));
    await writeWork(tx, context, work);
    await closeCheckout(tx, id, { ...ids, status: 'complete' });
    await writeEvents(tx, context, [{ ...event, type: 'checkout.session.completed' }]);
    return terms.successUrl;
  });
  context.kick();
  return successUrl;
}

function closeCheckout(tx: PlatformTransaction, id: string, changes: Partial<SandboxCheckoutsTable>) {
  return tx
    .updateTable('sandbox_checkouts')
    .set({ ...changes, due_at: null })
    .where('id', '=', id)
    .execute();
}

/** Expires an open checkout; with `dueBy` only if it is due by that time. Has no effect on a checkout that is over. */
export async function expireSandboxCheckout(
  context: SandboxContext,
  id: string,
  dueBy: Timestamp | null = null,
): Promise<void> {
  await context.platform.transaction(async (tx) => {
    const { status, reference, due_at } = await lockCheckout(tx, id);
    if (status !== 'open' || (dueBy !== null && (due_at ?? dueBy) > dueBy)) return;
    await closeCheckout(tx, id, { status: 'expired' });
    const at = dueBy ?? (await readNow(tx, context.clock));
    const event = { objectId: id, at, subscriptionId: null, reference, invoiceId: null };
    await writeEvents(tx, context, [{ ...event, type: 'checkout.session.expired' }]);
  });
  context.kick();
}
