import { toPage } from '../../../http/cursor.ts';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { presentAdminInvoice } from './invoice.ts';
import { listInvoices } from './queries.ts';
import { AdminInvoice, AdminInvoicesQuery } from './schemas.ts';
import { requireInvoice } from './service.ts';

const tags = ['Subscriptions'] as const;

/** Registers the routes on which admins read the invoices of all tenants. */
export function adminInvoiceRoutes({ platform }: Services): AdminRoute[] {
  return [
    adminRoute({
      method: 'GET',
      url: '/invoices',
      schema: {
        operationId: 'adminListInvoices',
        summary: 'List invoices of all tenants',
        tags,
        querystring: AdminInvoicesQuery,
        response: { 200: PageEnvelope(AdminInvoice) },
      },
      async handler({ request }) {
        const page = toPage(await listInvoices(platform, request.query), request.query.limit);
        return successPage(request, { ...page, rows: page.rows.map(presentAdminInvoice) });
      },
    }),
    adminRoute({
      method: 'GET',
      url: '/invoices/:id',
      schema: {
        operationId: 'adminGetInvoice',
        summary: 'Read an invoice of any tenant',
        tags,
        params: IdParams,
        response: { 200: Envelope(AdminInvoice) },
      },
      async handler({ request }) {
        return success(request, presentAdminInvoice(await requireInvoice(platform, request.params.id)));
      },
    }),
  ];
}
