import type { Static } from 'typebox';
import type { PlanPricesTable } from '../../../db/tables/platform/billing.ts';
import type { PlansTable } from '../../../db/tables/platform/tenants.ts';
import { fieldRequired, orThrow, validationError } from '../../../lib/error.ts';
import type { PlanLimits } from '../../../tenancy/tenant.ts';
import type { PricedPlan } from './queries.ts';
import type { Plan, PublicPlan, UpdatePlan } from './schemas.ts';

/** The plan of a request: `plan` is the name of `plan_code` in version 1.0.0. */
interface ChosenPlan {
  readonly plan_code?: string;
  readonly plan?: string;
}

/** Returns the code of the plan that a request names. Throws 422 unless it names it once. */
export function chosenPlanCode({ plan_code, plan }: ChosenPlan): string {
  if (plan_code !== undefined && plan !== undefined) {
    throw validationError({ field: 'plan', message: 'Send plan or plan_code, not both.' });
  }
  const code = orThrow(plan_code ?? plan, () => validationError({ field: 'plan_code', message: fieldRequired }));
  return code;
}

const noLimits: PlanLimits = {
  products: null,
  licenses: null,
  activations: null,
  api_keys: null,
  webhooks: null,
  members: null,
  integration_requests_per_minute: 6000,
};

/** Completes the limits of a plan with the defaults: no limit, and 6,000 Integration API requests per minute. */
export function fullLimits(limits: Partial<PlanLimits>): PlanLimits {
  return { ...noLimits, ...limits };
}

function presentPrices(prices: readonly PlanPricesTable[]): Static<typeof PublicPlan>['prices'] {
  return prices
    .map(({ interval, currency, amount, trial_days }) => ({ interval, currency, amount, trial_days }))
    .sort((one, other) => (one.currency + one.interval < other.currency + other.interval ? -1 : 1));
}

/** Returns the public view of a plan. Prices are sorted by currency and interval. */
export function presentPublicPlan({ plan, prices }: PricedPlan): Static<typeof PublicPlan> {
  const { id, code, name, limits_json, features_json } = plan;
  return {
    id,
    code,
    name,
    prices: presentPrices(prices),
    limits: JSON.parse(limits_json),
    features: JSON.parse(features_json),
  };
}

/** Returns the view of a plan for admins. */
export function presentPlan(priced: PricedPlan): Plan {
  const { catalog_product_id, archived_at, created_at, updated_at } = priced.plan;
  const archived = archived_at !== null;
  return { ...presentPublicPlan(priced), catalog_product_id, archived, created_at, updated_at };
}

/** Returns the row with the given fields of `input`; `null` clears a field. Prices are separate rows. */
export function applyPlanInput(row: PlansTable, input: UpdatePlan, at: string): PlansTable {
  const { name, catalog_product_id, limits, features, archived } = input;
  const archivedAt = archived ? (row.archived_at ?? at) : null;
  return {
    ...row,
    name: name ?? row.name,
    catalog_product_id: catalog_product_id === undefined ? row.catalog_product_id : catalog_product_id,
    limits_json: limits === undefined ? row.limits_json : JSON.stringify(fullLimits(limits ?? {})),
    features_json: features === undefined ? row.features_json : JSON.stringify(features ?? []),
    archived_at: archived === undefined ? row.archived_at : archivedAt,
  };
}
