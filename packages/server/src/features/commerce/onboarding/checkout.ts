import type { PlanPricesTable } from '../../../db/tables/platform/billing.ts';
import type { OnboardingCheckoutsTable } from '../../../db/tables/platform/payments.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { validationError } from '../../../lib/error.ts';
import type { PlanPrice } from '../../../payments/provider.ts';
import type { Placement } from '../../../tenancy/placement.ts';
import type { Checkout, StartCheckout } from './schemas.ts';

/** Hours in which a checkout can be paid after it was started. */
export const openForHours = 24;

export type StepName = Checkout['steps'][number]['name'];

const freePlanSteps: readonly StepName[] = ['database', 'migrations', 'signing_key', 'tenant', 'welcome'];
const paidPlanSteps: readonly StepName[] = [
  'payment',
  'database',
  'migrations',
  'signing_key',
  'tenant',
  'subscription',
  'welcome',
];

type DoneSteps = Partial<Record<StepName, Timestamp>>;

/** Returns true for a checkout of a plan without a price, which involves no payment provider. */
export function isFree({ amount }: Pick<OnboardingCheckoutsTable, 'amount'>): boolean {
  return amount === 0;
}

/** Returns when each finished step was done. */
export function doneSteps({ steps_json }: Pick<OnboardingCheckoutsTable, 'steps_json'>): DoneSteps {
  return JSON.parse(steps_json) as DoneSteps;
}

/** Returns `steps_json` with one more finished step. A step that was finished before keeps its time. */
export function withStep(row: Pick<OnboardingCheckoutsTable, 'steps_json'>, step: StepName, at: Timestamp): string {
  return JSON.stringify({ [step]: at, ...doneSteps(row) });
}

/** Returns the placement of the tenant's database; undefined before it is chosen. */
export function placementOf({ placement_json }: OnboardingCheckoutsTable): Placement | undefined {
  return placement_json === null ? undefined : (JSON.parse(placement_json) as Placement);
}

/** Returns the agreed price of a checkout for the payment provider. Throws for a plan without a price. */
export function priceOf(row: OnboardingCheckoutsTable): PlanPrice {
  const { plan_code: planCode, plan_name: planName, interval, currency, amount } = row;
  if (interval === null || currency === null) throw new Error(`The checkout ${row.id} has no price.`);
  return { planCode, planName, interval, currency, amount };
}

type OfferedPrice = Pick<PlanPricesTable, 'interval' | 'currency' | 'amount' | 'trial_days'>;

/**
 * Returns the price that a user selects. The default interval is `month`, or the plan's only interval; the currency may
 * be omitted when the interval has one. Undefined for a plan without prices, which is free. Throws 422.
 */
export function choosePrice(
  prices: readonly OfferedPrice[],
  { interval, currency }: Pick<StartCheckout, 'interval' | 'currency'>,
): OfferedPrice | undefined {
  if (prices.length === 0) return undefined;
  const intervals = [...new Set(prices.map((price) => price.interval))];
  const wanted = interval ?? (intervals.includes('month') ? 'month' : intervals[0]);
  const ofInterval = prices.filter((price) => price.interval === wanted);
  if (ofInterval.length === 0) {
    throw validationError({ field: 'interval', message: `Choose ${intervals.sort().join(' or ')} for this plan.` });
  }
  const matching = currency === undefined ? ofInterval : ofInterval.filter((price) => price.currency === currency);
  const [price, another] = matching;
  if (price !== undefined && another === undefined) return price;
  const currencies = ofInterval.map((one) => one.currency).sort();
  throw validationError({ field: 'currency', message: `Choose one of ${currencies.join(', ')} for this plan.` });
}

/** Returns the view of a checkout for its user. */
export function presentCheckout(row: OnboardingCheckoutsTable): Checkout {
  const { id, status, plan_code, interval, currency, amount, trial_days, tenant_name, error } = row;
  const done = doneSteps(row);
  return {
    id,
    status,
    plan_code,
    plan: plan_code,
    interval,
    currency,
    amount,
    trial_days,
    tenant_name,
    tenant_id: done.tenant === undefined ? null : row.tenant_id,
    checkout_url: status === 'pending' ? row.checkout_url : null,
    steps: (isFree(row) ? freePlanSteps : paidPlanSteps).map((name) => ({ name, done_at: done[name] ?? null })),
    error,
    expires_at: row.expires_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
