import type { PlatformTransaction } from '../../db/database.ts';
import { forUpdate } from '../../db/dialect.ts';
import type { SandboxCheckoutsTable } from '../../db/tables/platform/payments.ts';
import type { Timestamp } from '../../lib/clock.ts';
import { orThrow } from '../../lib/error.ts';
import { workingCard } from './cards.ts';
import { readNow } from './clock.ts';
import { refusal, type SandboxContext } from './context.ts';
import { readDiscount, redeemCoupon } from './coupons.ts';
import { writeEvents } from './events.ts';
import { type Account, type CheckoutTerms, type SandboxInvoice, subscriptionOf } from './state.ts';
import { notFound, writeWork } from './store.ts';
import { openAccount, passTime } from './subscription.ts';

/** What a customer enters on the page of a checkout. `coupon` is a code in upper case. */
export type CheckoutInput = Pick<Account, 'card' | 'details'> & { readonly coupon: string | null };

async function lockCheckout(tx: PlatformTransaction, id: string): Promise<SandboxCheckoutsTable> {
  const query = tx.selectFrom('sandbox_checkouts').selectAll().where('id', '=', id);
  const row = orThrow(await forUpdate(tx, query).executeTakeFirst(), () => notFound('checkout'));
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
      throw refusal('This checkout has expired. Start a new one.');
    }
    const { coupon } = input;
    const discount = coupon === null ? null : await redeemCoupon(tx, coupon, terms.price.currency, at);
    const { reference } = checkout;
    const { taxRules } = context;
    const work = openAccount({ ...terms, ...input, reference, discount, taxRules }, at);
    // The reminder of a short trial is due at once.
    passTime(work, at);
    await writeWork(tx, context, work);
    await closeCheckout(tx, context, checkout, at, work.account);
    return terms.successUrl;
  });
  context.kick();
  return successUrl;
}

/** Completes a checkout with the account that it created, or expires it without one. */
async function closeCheckout(
  tx: PlatformTransaction,
  context: SandboxContext,
  { id, reference }: SandboxCheckoutsTable,
  at: Timestamp,
  account?: Account,
): Promise<void> {
  const subscriptionId = account?.subscription?.id ?? null;
  const ids = { customer_id: account?.customerId ?? null, subscription_id: subscriptionId };
  const state = { ...ids, status: account === undefined ? 'expired' : 'complete', due_at: null } as const;
  await tx.updateTable('sandbox_checkouts').set(state).where('id', '=', id).execute();
  const type = account === undefined ? 'checkout.session.expired' : 'checkout.session.completed';
  await writeEvents(tx, context, [{ type, objectId: id, at, subscriptionId, reference, invoiceId: null }]);
}

/** Expires an open checkout. Has no effect on a checkout that is over. */
export async function expireSandboxCheckout(context: SandboxContext, id: string): Promise<void> {
  await context.platform.transaction(async (tx) => {
    const checkout = await lockCheckout(tx, id);
    if (checkout.status === 'open') await closeCheckout(tx, context, checkout, await readNow(tx, context.clock));
  });
  context.kick();
}

/** What a purchase costs. */
export type CheckoutPreview = Awaited<ReturnType<typeof previewCheckout>>;

/**
 * Returns what a purchase costs now: its first two invoices, and the amount due today, which is 0 in a trial. Throws
 * `CouponRefusedError` like `readDiscount`.
 */
export async function previewCheckout(
  { platform, clock, taxRules }: SandboxContext,
  terms: CheckoutTerms,
  { coupon, details }: Omit<CheckoutInput, 'card'>,
) {
  const at = await readNow(platform.query, clock);
  const discount = coupon === null ? null : await readDiscount(platform.query, coupon, terms.price.currency, at);
  const work = openAccount({ ...terms, reference: '', card: workingCard, details, discount, taxRules }, at);
  const { trialEndsAt } = subscriptionOf(work);
  while (work.invoices.length < 2) passTime(work, subscriptionOf(work).currentPeriodEndsAt);
  const [first, next] = work.invoices as [SandboxInvoice, SandboxInvoice];
  return { discount, trialEndsAt, first, dueToday: trialEndsAt === null ? first.total : 0, next };
}
