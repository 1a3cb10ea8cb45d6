import type { Kysely } from 'kysely';
import type { PlatformTables } from '../../db/tables/platform-tables.ts';
import type { Timestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/duration.ts';
import { type CostPreview, type Discount, PaymentProviderError, type PlanPrice } from '../provider.ts';
import type { TaxLocation } from '../tax/taxes.ts';
import { notFound } from './accounts.ts';
import { type Amounts, amountDueOf, amountsOf, assertPrice, type Charge } from './amounts.ts';
import { readNow } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { readDiscount } from './coupons.ts';
import { chargeOfChange, chargeOfPeriod, nextPeriod, periodEnd } from './proration.ts';
import { type Account, type CheckoutTerms, locationOf } from './state.ts';
import { findAccount } from './store.ts';
import { isOver } from './subscription.ts';

async function readSubscriber({ platform }: SandboxContext, subscriptionId: string) {
  const account = await findAccount(platform.query, { subscription_id: subscriptionId });
  if (!account?.subscription) throw notFound('subscription');
  return { account, subscription: account.subscription };
}

function preview(
  { taxRules: rules }: SandboxContext,
  { details, balance }: Account,
  { currency, charge, at }: { readonly currency: string; readonly charge: Charge; readonly at: string },
): CostPreview {
  const { total, discount, tax } = amountsOf(charge, { location: locationOf(details), rules });
  const amountDue = amountDueOf(total, balance[currency] ?? 0);
  return { currency, amountDue, discount, tax, at, lines: charge.lines };
}

/** Implements `previewChange` of the provider. */
export async function previewSandboxChange(
  context: SandboxContext,
  subscriptionId: string,
  price: PlanPrice,
): Promise<CostPreview> {
  assertPrice(price);
  const { account, subscription } = await readSubscriber(context, subscriptionId);
  const { currency } = price;
  if (isOver(subscription) || subscription.price.currency !== currency) {
    throw new PaymentProviderError(
      'refused',
      'The subscription has ended, or its currency differs from that of the price. Start a new one.',
    );
  }
  const at = await readNow(context.platform.query, context.clock);
  if (subscription.status === 'trialing') return { currency, amountDue: 0, discount: 0, tax: 0, at, lines: [] };
  return preview(context, account, { currency, charge: chargeOfChange(subscription, price, at), at });
}

/** Implements `previewRenewal` of the provider. */
export async function previewSandboxRenewal(
  context: SandboxContext,
  subscriptionId: string,
): Promise<CostPreview | undefined> {
  const { account, subscription } = await readSubscriber(context, subscriptionId);
  const endsWithTrial = subscription.status === 'trialing' && account.card === null;
  if (isOver(subscription) || subscription.cancelAtPeriodEnd || endsWithTrial) return undefined;
  const { price, startsAt: at, endsAt } = nextPeriod(subscription);
  return preview(context, account, {
    currency: price.currency,
    charge: chargeOfPeriod(subscription, price, at, endsAt),
    at,
  });
}

/** What a purchase costs. */
export interface CheckoutPreview {
  readonly discount: Discount | null;
  /** When the free trial ends; null without one. */
  readonly trialEndsAt: Timestamp | null;
  /** The first invoice: today's, or that at the end of the trial. */
  readonly first: Amounts;
  /** The amount due today: 0 in a trial. */
  readonly dueToday: number;
  /** The charge after the first one, without a change of the address. */
  readonly next: { readonly at: Timestamp; readonly total: number };
}

/** What a customer has entered so far. */
export interface PreviewInput {
  /** In upper case, or null. */
  readonly coupon: string | null;
  readonly location: TaxLocation | null;
}

/** Returns what a purchase costs at a time. Throws `CouponRefusedError` like `readDiscount`. */
export async function previewCheckout(
  db: Kysely<PlatformTables>,
  { taxRules: rules }: Pick<SandboxContext, 'taxRules'>,
  { price, trialDays }: Pick<CheckoutTerms, 'price' | 'trialDays'>,
  { coupon, location }: PreviewInput,
  at: Timestamp,
): Promise<CheckoutPreview> {
  const discount = coupon === null ? null : await readDiscount(db, coupon, price.currency, at);
  const trialEndsAt = trialDays > 0 ? addDays(at, trialDays) : null;
  const startsAt = trialEndsAt ?? at;
  const amountsAt = (begin: Timestamp, applied: Discount | null) => {
    const end = periodEnd(startsAt, price.interval, begin);
    return { end, amounts: amountsOf(chargeOfPeriod({ discount: applied }, price, begin, end), { location, rules }) };
  };
  const first = amountsAt(startsAt, discount);
  const next = amountsAt(first.end, discount?.duration === 'once' ? null : discount);
  return {
    discount,
    trialEndsAt,
    first: first.amounts,
    dueToday: trialEndsAt === null ? first.amounts.total : 0,
    next: { at: first.end, total: next.amounts.total },
  };
}
