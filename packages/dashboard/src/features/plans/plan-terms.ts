import type { PlanUsage } from '../../api/billing.ts';
import type { BillingInterval, PublicPlan } from '../../api/onboarding.ts';
import { savingPercent } from '../../lib/money.ts';
import { count, formatMoney, formatNumber } from '../../lib/text.ts';

type Limits = PublicPlan['limits'];
type PlanPrice = PublicPlan['prices'][number];

/** The limits of a plan in the order of reading, with the words for them. */
export const limitNames = [
  { name: 'licenses', label: 'Licenses', noun: 'license' },
  { name: 'activations', label: 'Devices', noun: 'device' },
  { name: 'products', label: 'Products', noun: 'product' },
  { name: 'members', label: 'Members', noun: 'member' },
  { name: 'api_keys', label: 'API keys', noun: 'API key' },
  { name: 'webhooks', label: 'Webhooks', noun: 'webhook' },
  { name: 'integration_requests_per_minute', label: 'API requests per minute', noun: 'API request' },
] as const satisfies readonly { readonly name: keyof Limits; readonly label: string; readonly noun: string }[];

/** Returns one limit of a plan in words: "1,000 licenses", "Unlimited products", "6,000 API requests per minute". */
function limitText(limits: Limits, { name, noun }: (typeof limitNames)[number]): string {
  const limit = limits[name];
  if (name === 'integration_requests_per_minute') return `${formatNumber(limit ?? 0)} API requests per minute`;
  return limit === null ? `Unlimited ${noun}s` : count(limit, noun);
}

/** Returns the limits of a plan in words. */
export function limitTexts(limits: Limits): string[] {
  return limitNames.map((limit) => limitText(limits, limit));
}

/** Returns the limits of a plan that are lower than the present ones, in words; none if the plan takes nothing away. */
export function lowerLimitTexts(limits: Limits, usage: PlanUsage): string[] {
  const lowered = limitNames.filter(({ name }) => {
    const [next, now] = [limits[name], usage[name].limit];
    return next !== null && (now === null || next < now);
  });
  return lowered.map((limit) => limitText(limits, limit));
}

/** Returns whether nothing is ever paid for a plan. */
export function isFreePlan({ prices }: Pick<PublicPlan, 'prices'>): boolean {
  return prices.every(({ amount }) => amount === 0);
}

/** Returns the currencies of plans, first the one that most plans are sold in, and US dollars among equals. */
export function currenciesOf(plans: readonly Pick<PublicPlan, 'prices'>[]): string[] {
  const sold = plans.flatMap(({ prices }) => [...new Set(prices.map(({ currency }) => currency))]);
  const plansIn = (currency: string) => sold.filter((one) => one === currency).length;
  return [...new Set(sold)].sort(
    (one, other) =>
      plansIn(other) - plansIn(one) || Number(other === 'usd') - Number(one === 'usd') || (one < other ? -1 : 1),
  );
}

/** Returns a plan's price for an interval and a currency. */
export function priceOf(
  plan: Pick<PublicPlan, 'prices'>,
  interval: BillingInterval,
  currency: string | undefined,
): PlanPrice | undefined {
  return plan.prices.find((price) => price.interval === interval && price.currency === currency);
}

/** Returns a plan's price for an interval in the wanted currency, or in another one that it is sold in. */
export function nearestPriceOf(
  plan: Pick<PublicPlan, 'prices'>,
  interval: BillingInterval,
  currency: string | undefined,
): PlanPrice | undefined {
  return priceOf(plan, interval, currency) ?? plan.prices.find((price) => price.interval === interval);
}

/** Returns the largest saving of yearly over monthly payment among plans, in whole percent. */
export function bestSaving(plans: readonly Pick<PublicPlan, 'prices'>[], currency: string | undefined): number {
  const savings = plans.map((plan) => {
    const [month, year] = [priceOf(plan, 'month', currency), priceOf(plan, 'year', currency)];
    return month && year ? savingPercent(month.amount, year.amount) : 0;
  });
  return Math.max(0, ...savings);
}

/** Returns a price in words: "$49.00 per month". */
export function priceText({ amount, currency, interval }: PlanPrice): string {
  return `${formatMoney(amount, currency)} per ${interval}`;
}

/** Returns a free trial in words: "14 days free". */
export function trialText(days: number): string {
  return `${count(days, 'day')} free`;
}
