import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams, NoFields } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { creatingRoute } from '../../tenant-core/idempotency/creating-route.ts';
import {
  Comparison,
  ComparisonDifference,
  ComparisonParams,
  ComparisonsQuery,
  DifferenceParams,
  DifferencesQuery,
} from './schemas.ts';
import {
  applyAll,
  applyOne,
  cancelComparison,
  presentComparison,
  readComparison,
  readComparisons,
  readDifferences,
  startComparison,
} from './service.ts';

const tags = ['Connections'] as const;

/** Routes of the comparisons of a connection, below `/connections`. */
export function comparisonRoutes(services: Services): TenantRoute[] {
  return [...readingRoutes(), ...actingRoutes(services)];
}

function readingRoutes(): TenantRoute[] {
  return [
    tenantRoute('GET', '/:id/comparisons', {
      operationId: 'listComparisons',
      summary: 'List the comparisons of a connection',
      tags,
      params: IdParams,
      querystring: ComparisonsQuery,
      response: { 200: PageEnvelope(Comparison) },
      async handler({ request, tenant }) {
        return successPage(request, await readComparisons(tenant, request.params.id, request.query));
      },
    }),
    tenantRoute('GET', '/:id/comparisons/:comparison_id', {
      operationId: 'getComparison',
      summary: 'Read a comparison',
      tags,
      params: ComparisonParams,
      response: { 200: Envelope(Comparison) },
      async handler({ request, tenant }) {
        const { id, comparison_id } = request.params;
        return success(request, presentComparison(await readComparison(tenant, id, comparison_id)));
      },
    }),
    tenantRoute('GET', '/:id/comparisons/:comparison_id/differences', {
      operationId: 'listDifferences',
      summary: 'List what a comparison has found',
      tags,
      params: ComparisonParams,
      querystring: DifferencesQuery,
      response: { 200: PageEnvelope(ComparisonDifference) },
      async handler({ request, tenant }) {
        const { id, comparison_id } = request.params;
        return successPage(request, await readDifferences(tenant, id, comparison_id, request.query));
      },
    }),
  ];
}

function actingRoutes(services: Services): TenantRoute[] {
  return [
    creatingRoute(services, '/:id/comparisons', {
      operationId: 'createComparison',
      summary: 'Compare a shop with the licenses here',
      tags,
      errors: ['SALES.NO_API', 'SALES.COMPARISON_RUNNING'],
      description:
        "A job reads the shop's subscriptions and orders in pages, as fast as the shop allows. The first comparison also " +
        'imports the customers that a shop already has.',
      params: IdParams,
      response: { 202: Envelope(Comparison) },
      create: ({ request, tenant, actor }) =>
        startComparison(services, tenant, request.params.id, { actor, isNightly: false }),
      answer: (row) => ({ status: 202, data: presentComparison(row) }),
    }),
    tenantRoute('POST', '/:id/comparisons/:comparison_id/apply', {
      operationId: 'applyComparison',
      summary: 'Apply everything that a comparison has found',
      tags,
      description:
        'A job applies the differences one after the other. What is refused stays open and can be tried again.',
      params: ComparisonParams,
      response: { 202: Envelope(Comparison) },
      async handler({ request, reply, tenant, actor }) {
        const { id: connectionId, comparison_id: comparisonId } = request.params;
        reply.status(202);
        return success(request, await applyAll(services, tenant, actor, { connectionId, comparisonId }));
      },
    }),
    tenantRoute('POST', '/:id/comparisons/:comparison_id/cancel', {
      operationId: 'cancelComparison',
      summary: 'Cancel a comparison',
      tags,
      description: 'Also stops one that applies what it has found. What it found and applied until then is kept.',
      params: ComparisonParams,
      body: NoFields,
      response: { 200: Envelope(Comparison) },
      async handler({ request, tenant, actor }) {
        const { id: connectionId, comparison_id: comparisonId } = request.params;
        return success(request, await cancelComparison(services, tenant, actor, { connectionId, comparisonId }));
      },
    }),
    tenantRoute('POST', '/:id/comparisons/:comparison_id/differences/:difference_id/apply', {
      operationId: 'applyDifference',
      summary: 'Apply a difference',
      tags,
      errors: ['PLAN.LIMIT_REACHED', 'LICENSE.TRANSITION_INVALID'],
      description: 'Changes the licenses of the sale to what the shop says. A repeated request changes nothing.',
      params: DifferenceParams,
      response: { 200: Envelope(ComparisonDifference) },
      async handler({ request, tenant, actor }) {
        const { id: connectionId, comparison_id: comparisonId, difference_id: id } = request.params;
        return success(request, await applyOne(services, tenant, actor, { connectionId, comparisonId, id }));
      },
    }),
  ];
}
