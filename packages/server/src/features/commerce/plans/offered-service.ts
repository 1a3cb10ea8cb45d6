import type { Static } from 'typebox';
import type { Services } from '../../../services.ts';
import { freePlanCode } from '../../accounts/tenants/tenant.ts';
import { presentPublicPlan } from './plan.ts';
import { listOfferedRows, type PricedPlan, withPrices } from './queries.ts';
import type { PublicPlan } from './schemas.ts';

/** Returns the lowest monthly amount of a plan in minor units, of any currency. It is used for sorting alone. */
function monthlyAmount({ prices }: PricedPlan): number {
  return Math.min(...prices.map(({ interval, amount }) => (interval === 'year' ? amount / 12 : amount)));
}

/** Reads the offered plans: the free plan first, then the plans that can be bought, the cheapest first. */
export async function readOfferedPlans({
  platform,
  payments,
}: Pick<Services, 'platform' | 'payments'>): Promise<Static<typeof PublicPlan>[]> {
  const isFree = ({ plan }: PricedPlan) => plan.code === freePlanCode;
  const plans = await withPrices(platform.query, await listOfferedRows(platform));
  // A plan without a price can only be assigned by admins, except the free plan.
  const paid = plans.filter((one) => !isFree(one) && payments !== null && one.prices.length > 0);
  paid.sort((one, other) => monthlyAmount(one) - monthlyAmount(other));
  return [...plans.filter(isFree), ...paid].map(presentPublicPlan);
}
