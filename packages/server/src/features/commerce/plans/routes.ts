import type { RouteOptions } from 'fastify';
import { toPage } from '../../../http/cursor.ts';
import {
  DeletedEnvelope,
  Envelope,
  PageEnvelope,
  success,
  successDeleted,
  successPage,
} from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { publicRoute } from '../../../http/routes/public-route.ts';
import { IdParams } from '../../../http/schema.ts';
import { orThrow } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import { readOfferedPlans } from './offered-service.ts';
import { presentPlan } from './plan.ts';
import { findPlanRow, listPlanRows, withPrices } from './queries.ts';
import { CreatePlan, Plan, PlansQuery, PublicPlan, UpdatePlan } from './schemas.ts';
import { createPlan, deletePlan, planNotFound, updatePlan } from './service.ts';

const tags = ['Catalog'] as const;
const collection = '/catalog/plans';
const one = `${collection}/:id`;

/** Registers the routes on which admins manage plans. */
export function planRoutes(services: Services): AdminRoute[] {
  const { platform } = services;
  return [
    adminRoute('GET', collection, {
      operationId: 'adminListPlans',
      summary: 'List plans',
      tags,
      querystring: PlansQuery,
      response: { 200: PageEnvelope(Plan) },
      async handler({ request }) {
        const page = toPage(await listPlanRows(platform, request.query), request.query.limit);
        const plans = await withPrices(platform.query, page.rows);
        return successPage(request, { ...page, rows: plans.map(presentPlan) });
      },
    }),
    adminRoute('POST', collection, {
      operationId: 'adminCreatePlan',
      summary: 'Create a plan',
      tags,
      errors: ['PLAN.CODE_TAKEN'],
      body: CreatePlan,
      response: { 201: Envelope(Plan) },
      async handler({ request, reply, actor }) {
        const plan = await createPlan(services, actor, request.body);
        reply.status(201);
        return success(request, presentPlan(plan));
      },
    }),
    adminRoute('GET', one, {
      operationId: 'adminGetPlan',
      summary: 'Read a plan',
      tags,
      params: IdParams,
      response: { 200: Envelope(Plan) },
      async handler({ request }) {
        const row = orThrow(await findPlanRow(platform.query, request.params), planNotFound);
        const [plan = { plan: row, prices: [] }] = await withPrices(platform.query, [row]);
        return success(request, presentPlan(plan));
      },
    }),
    adminRoute('PUT', one, {
      operationId: 'adminUpdatePlan',
      summary: 'Change a plan, or archive it',
      tags,
      errors: ['PLAN.CODE_TAKEN', 'PLAN.FREE_FIXED'],
      description:
        'Prices are replaced as a whole and apply to new purchases; subscriptions keep their price. An archived ' +
        'plan is no longer offered; tenants that have it keep it. Limits apply from the next request.',
      params: IdParams,
      body: UpdatePlan,
      response: { 200: Envelope(Plan) },
      async handler({ request, actor }) {
        return success(request, presentPlan(await updatePlan(services, actor, request.params.id, request.body)));
      },
    }),
    adminRoute('DELETE', one, {
      operationId: 'adminDeletePlan',
      summary: 'Delete a plan',
      tags,
      errors: ['PLAN.FREE_FIXED', 'PLAN.IN_USE'],
      description:
        'Responds with 409 `PLAN.IN_USE` when a tenant has the plan or has ever bought it. Archive such a plan ' +
        'instead.',
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, actor }) {
        await deletePlan(services, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
  ];
}

/** Registers the public list of plans. */
export function publicPlanRoutes(services: Pick<Services, 'platform' | 'payments'>): RouteOptions[] {
  return [
    publicRoute('GET', '/api/v1/plans', {
      operationId: 'listPlans',
      summary: 'List the offered plans',
      tags: ['Plans'],
      description: 'One page with the free plan first, then the plans that can be bought, the cheapest first.',
      response: { 200: PageEnvelope(PublicPlan) },
      async handler({ request, reply }) {
        reply.header('cache-control', 'public, max-age=60');
        return successPage(request, { rows: await readOfferedPlans(services), nextCursor: null });
      },
    }),
  ];
}
