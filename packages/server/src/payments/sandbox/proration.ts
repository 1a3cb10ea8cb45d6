import { type Timestamp, toEpochMs } from '../../lib/clock.ts';
import type { InvoiceLine, PlanPrice } from '../provider.ts';
import { periodEnd } from './periods.ts';
import type { SandboxSubscription } from './state.ts';

const secondMs = 1000;

/**
 * Returns the share of an amount for the rest of a period, by whole seconds, rounded to the nearest minor unit, halves
 * up.
 */
function partOf(amount: number, at: Timestamp, startsAt: Timestamp, endsAt: Timestamp): number {
  const [startMs, endMs] = [toEpochMs(startsAt), toEpochMs(endsAt)];
  const totalSeconds = Math.floor((endMs - startMs) / secondMs);
  const restSeconds = Math.min(totalSeconds, Math.max(0, Math.floor((endMs - toEpochMs(at)) / secondMs)));
  // Amounts have at most 8 digits and periods at most 32 million seconds: the product is exact.
  return totalSeconds === 0 ? 0 : Math.round((amount * restSeconds) / totalSeconds);
}

/**
 * Returns the period after a plan change: the same interval keeps the current period, another interval starts a new
 * one.
 */
function periodAfterChange(subscription: SandboxSubscription, price: PlanPrice, at: Timestamp) {
  const { currentPeriodStartsAt, currentPeriodEndsAt } = subscription;
  const isSame = price.interval === subscription.price.interval;
  if (isSame) return { isSame, startsAt: currentPeriodStartsAt, endsAt: currentPeriodEndsAt };
  return { isSame, startsAt: at, endsAt: periodEnd(at, price.interval, at) };
}

/**
 * Returns the invoice lines of a plan change at `at`: a credit for the unused time, and the charge of the new price.
 */
export function linesOfChange(subscription: SandboxSubscription, price: PlanPrice, at: Timestamp): InvoiceLine[] {
  const { currentPeriodStartsAt, currentPeriodEndsAt, price: old } = subscription;
  const unused = partOf(old.amount, at, currentPeriodStartsAt, currentPeriodEndsAt);
  const { startsAt, endsAt, isSame } = periodAfterChange(subscription, price, at);
  const charge = partOf(price.amount, at, startsAt, endsAt);
  return [
    // Avoids minus zero, which `toEqual` and `Object.is` distinguish from zero.
    lineOf(`Unused time on ${old.planName}`, unused === 0 ? 0 : -unused, at, currentPeriodEndsAt),
    lineOf(isSame ? `Remaining time on ${price.planName}` : price.planName, charge, at, endsAt),
  ];
}

/** Returns the invoice line of a whole period. */
export function lineOfPeriod(price: PlanPrice, startsAt: Timestamp, endsAt: Timestamp): InvoiceLine {
  return lineOf(price.planName, price.amount, startsAt, endsAt);
}

function lineOf(description: string, amount: number, periodStartsAt: Timestamp, periodEndsAt: Timestamp): InvoiceLine {
  return { description, quantity: 1, amount, periodStartsAt, periodEndsAt };
}

/** Applies a new price to a subscription. Another interval starts a new period. */
export function applyPrice(subscription: SandboxSubscription, price: PlanPrice, at: Timestamp): void {
  const { isSame, startsAt, endsAt } = periodAfterChange(subscription, price, at);
  subscription.price = price;
  subscription.pendingPrice = null;
  if (isSame) return;
  subscription.anchorAt = at;
  subscription.currentPeriodStartsAt = startsAt;
  subscription.currentPeriodEndsAt = endsAt;
}
