import { toPage } from '../../../http/cursor.ts';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { Credit } from '../billing/schemas.ts';
import { presentAdminInvoice } from '../invoices/invoice.ts';
import { AdminInvoice } from '../invoices/schemas.ts';
import { giveCredit } from './credit-service.ts';
import { actOnInvoice, invoiceActions } from './invoice-service.ts';
import { readDunning, readRevenue } from './overview-service.ts';
import { listOrphans } from './queries.ts';
import { DunningCase, DunningQuery, GiveCredit, Orphan, OrphansQuery, RevenueOverview } from './schemas.ts';

const tags = ['Billing administration'] as const;

const invoiceActionNames = {
  void: { operationId: 'adminVoidInvoice', summary: 'Void an open invoice' },
  'mark-uncollectible': {
    operationId: 'adminMarkInvoiceUncollectible',
    summary: 'Mark an open invoice as uncollectible',
  },
  retry: { operationId: 'adminRetryInvoicePayment', summary: 'Retry the payment of an open invoice' },
} as const satisfies Record<keyof typeof invoiceActions, object>;

/**
 * Registers the routes on which admins manage payments. URLs are relative to `/api/v1/admin/billing`, behind the
 * billing guard.
 */
export function billingAdminRoutes(services: Services): AdminRoute[] {
  const { platform } = services;
  return [
    adminRoute('GET', '/overview', {
      operationId: 'adminGetRevenueOverview',
      summary: 'Read revenue, churn and overdue amounts',
      tags,
      response: { 200: Envelope(RevenueOverview) },
      handler: async ({ request }) => success(request, await readRevenue(services)),
    }),
    adminRoute('GET', '/dunning', {
      operationId: 'adminListOverdueSubscriptions',
      summary: 'List overdue subscriptions',
      tags,
      querystring: DunningQuery,
      response: { 200: PageEnvelope(DunningCase) },
      handler: async ({ request }) => successPage(request, await readDunning(platform, request.query)),
    }),
    adminRoute('GET', '/orphans', {
      operationId: 'adminListOrphanSubscriptions',
      summary: 'List orphan subscriptions',
      tags,
      description: 'Subscriptions at the payment provider that belong to no tenant, or whose plan is unknown.',
      querystring: OrphansQuery,
      response: { 200: PageEnvelope(Orphan) },
      async handler({ request }) {
        return successPage(request, toPage(await listOrphans(platform, request.query), request.query.limit));
      },
    }),
    ...(Object.keys(invoiceActionNames) as (keyof typeof invoiceActionNames)[]).map((action) =>
      adminRoute('POST', `/invoices/:id/${action}`, {
        ...invoiceActionNames[action],
        tags,
        errors: ['BILLING.PAYMENT_FAILED', 'BILLING.REFUSED', 'INVOICE.TRANSITION_INVALID'],
        description:
          'A repeated request has no further effect and gets the same response. An invoice that is not open gets ' +
          '409 `INVOICE.TRANSITION_INVALID`.',
        params: IdParams,
        response: { 200: Envelope(AdminInvoice) },
        async handler({ request, actor }) {
          const row = await actOnInvoice(services, actor, request.params.id, invoiceActions[action]);
          return success(request, presentAdminInvoice(row));
        },
      }),
    ),
    adminRoute('POST', '/credits', {
      operationId: 'adminGrantCredit',
      summary: 'Grant a credit that lowers the next invoices of a tenant',
      tags,
      errors: ['BILLING.NO_SUBSCRIPTION', 'BILLING.REFUSED', 'BILLING.REFERENCE_REUSED'],
      body: GiveCredit,
      response: { 201: Envelope(Credit) },
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
