import type { RouteOptions } from 'fastify';
import { PageEnvelope, successPage } from '../../../http/envelope.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import type { Services } from '../../../services.ts';
import { freePlanCode } from '../../accounts/tenants/free-plan.ts';
import { presentPublicPlan } from './plan.ts';
import { listOfferedRows, type PricedPlan, withPrices } from './queries.ts';
import { PublicPlan } from './schemas.ts';

/** Returns the lowest monthly amount of a plan in minor units, of any currency. It is used for sorting alone. */
function monthlyAmount({ prices }: PricedPlan): number {
  return Math.min(...prices.map(({ interval, amount }) => (interval === 'year' ? amount / 12 : amount)));
}

/** Registers the public list of plans. */
export function publicPlanRoutes({ platform, payments }: Services): RouteOptions[] {
  /** A plan without a price can only be assigned by admins, except the free plan. */
  const isOffered = ({ plan, prices }: PricedPlan) =>
    plan.code === freePlanCode || (payments !== null && prices.length > 0);

  return [
    publicRoute({
      method: 'GET',
      url: '/api/v1/plans',
      schema: {
        operationId: 'listPlans',
        summary: 'List the offered plans',
        tags: ['Plans'],
        description: 'One page with the free plan first, then the plans that can be bought, the cheapest first.',
        response: { 200: PageEnvelope(PublicPlan) },
      },
      async handler({ request, reply }) {
        const plans = (await withPrices(platform.query, await listOfferedRows(platform))).filter(isOffered);
        const [free, paid] = [
          plans.filter(({ plan }) => plan.code === freePlanCode),
          plans.filter(({ plan }) => plan.code !== freePlanCode),
        ];
        paid.sort((one, other) => monthlyAmount(one) - monthlyAmount(other));
        reply.header('cache-control', 'public, max-age=60');
        return successPage(request, { rows: [...free, ...paid].map(presentPublicPlan), nextCursor: null });
      },
    }),
  ];
}
