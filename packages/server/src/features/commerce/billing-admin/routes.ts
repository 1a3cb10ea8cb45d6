import { toPage } from '../../../http/cursor.ts';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { Credit } from '../billing/schemas.ts';
import { presentAdminInvoice } from '../invoices/invoice.ts';
import { AdminInvoice } from '../invoices/schemas.ts';
import { giveCredit } from './credit-service.ts';
import { actOnInvoice, invoiceActions } from './invoice-action-service.ts';
import { readDunning, readRevenue } from './overview-service.ts';
import { listOrphans } from './queries.ts';
import { DunningCase, DunningQuery, GiveCredit, Orphan, OrphansQuery, RevenueOverview } from './schemas.ts';

const tags = ['Billing administration'] as const;

const summaries = {
  void: 'Void an open invoice',
  'mark-uncollectible': 'Write an open invoice off',
  retry: 'Try to collect an open invoice now',
} as const satisfies Record<keyof typeof invoiceActions, string>;

/** What operators see and do about payments; the URLs are relative to `/api/v1/admin/billing`, behind its gate. */
export function billingAdminRoutes(services: Services): AdminRoute[] {
  const { platform } = services;
  return [
    adminRoute({
      method: 'GET',
      url: '/overview',
      schema: {
        summary: 'Revenue, churn and what is past due',
        tags,
        response: { 200: Envelope(RevenueOverview) },
      },
      handler: async ({ request }) => success(request, await readRevenue(services)),
    }),
    adminRoute({
      method: 'GET',
      url: '/dunning',
      schema: {
        summary: 'List subscriptions of which a payment is missing',
        tags,
        querystring: DunningQuery,
        response: { 200: PageEnvelope(DunningCase) },
      },
      handler: async ({ request }) => successPage(request, await readDunning(platform, request.query)),
    }),
    adminRoute({
      method: 'GET',
      url: '/orphans',
      schema: {
        summary: 'List subscriptions at the provider that belong to no tenant here',
        tags,
        querystring: OrphansQuery,
        response: { 200: PageEnvelope(Orphan) },
      },
      async handler({ request }) {
        return successPage(request, toPage(await listOrphans(platform, request.query), request.query.limit));
      },
    }),
    ...(Object.keys(summaries) as (keyof typeof summaries)[]).map((action) =>
      adminRoute({
        method: 'POST',
        url: `/invoices/:id/${action}`,
        schema: {
          summary: summaries[action],
          tags,
          description:
            'Repeated it answers the same. 409 `INVOICE.TRANSITION_INVALID` for an invoice that is not open.',
          params: IdParams,
          response: { 200: Envelope(AdminInvoice) },
        },
        async handler({ request, actor }) {
          const row = await actOnInvoice(services, actor, request.params.id, invoiceActions[action]);
          return success(request, presentAdminInvoice(row));
        },
      }),
    ),
    adminRoute({
      method: 'POST',
      url: '/credits',
      schema: {
        summary: 'Lower what the next invoices of a tenant charge',
        tags,
        body: GiveCredit,
        response: { 201: Envelope(Credit) },
      },
      async handler({ request, reply, actor }) {
        const { id, tenant_id, amount, currency, reason, reference, applied_at, created_at } = await giveCredit(
          services,
          actor,
          request.body,
        );
        reply.status(201);
        return success(request, { id, tenant_id, amount, currency, reason, reference, applied_at, created_at });
      },
    }),
  ];
}
