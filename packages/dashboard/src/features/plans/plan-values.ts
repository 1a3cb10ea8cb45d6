import type { Plan, PlanLimits } from '../../api/commerce.ts';
import type { components } from '../../api/schema.gen.ts';
import { moneyText, parseMoney } from '../../lib/money.ts';
import { limitNames } from './plan-terms.ts';

type Schemas = components['schemas'];
type LimitName = (typeof limitNames)[number]['name'];

/** A price as the form holds it: in units of the currency, as people write it. */
export interface PriceValue {
  readonly interval: 'month' | 'year';
  readonly currency: string;
  readonly amount: string;
  /** Empty: no trial. */
  readonly trial_days: number | string;
}

/** A plan as the form holds it. An empty limit is unlimited. */
export interface PlanValues extends Record<string, unknown> {
  readonly code: string;
  readonly name: string;
  readonly catalog_product_id: string | null;
  readonly prices: PriceValue[];
  readonly limits: Record<LimitName, number | string>;
  readonly features: string;
}

const defaultRequestsPerMinute = 6_000;

/** Returns the form's values of a plan, or of a new one. */
export function valuesOf(plan: Plan | null): PlanValues {
  const limits = Object.fromEntries(
    limitNames.map(({ name }) => [
      name,
      plan?.limits[name] ??
        (plan === null && name === 'integration_requests_per_minute' ? defaultRequestsPerMinute : ''),
    ]),
  ) as PlanValues['limits'];
  return {
    code: plan?.code ?? '',
    name: plan?.name ?? '',
    catalog_product_id: plan?.catalog_product_id ?? null,
    prices: (plan?.prices ?? []).map(({ interval, currency, amount, trial_days }) => ({
      interval,
      currency,
      amount: moneyText(amount, currency),
      trial_days: trial_days === 0 ? '' : trial_days,
    })),
    limits,
    features: (plan?.features ?? []).join('\n'),
  };
}

/** Returns what the form sends: prices in minor units, and null for an unlimited resource. */
export function inputOf({ name, catalog_product_id, prices, limits, features }: PlanValues) {
  const sent = Object.fromEntries(
    limitNames
      .map(({ name: limit }) => [limit, limits[limit] === '' ? null : Number(limits[limit])] as const)
      // The requests per minute always have a limit; absent is the default.
      .filter(([limit, value]) => limit !== 'integration_requests_per_minute' || value !== null),
  ) as Partial<PlanLimits>;
  return {
    name: name.trim(),
    catalog_product_id,
    prices: prices.map(({ interval, currency, amount, trial_days }) => ({
      interval,
      currency: currency.trim().toLowerCase(),
      amount: parseMoney(amount, currency) ?? 0,
      trial_days: Number(trial_days),
    })),
    limits: sent,
    features: features
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  } satisfies Schemas['UpdatePlan'];
}
