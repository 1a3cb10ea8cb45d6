import { Type } from 'typebox';
import { toPage } from '../../../http/cursor.ts';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { formatInvoice } from './document.ts';
import { invoicePolicy, renderHtml } from './html.ts';
import { presentInvoice } from './invoice.ts';
import { renderPdf } from './pdf.ts';
import { listInvoices } from './queries.ts';
import { Invoice, InvoicesQuery } from './schemas.ts';
import { requireInvoice } from './service.ts';

const tags = ['Billing'] as const;
const File = Type.Unsafe<Buffer | string>({ type: 'string', format: 'binary' });
const finalOnly = 'A draft has no number yet and gets 409 `INVOICE.NOT_FINAL`.';

/** Registers the routes on which the owners of a tenant read its invoices. */
export function ownerInvoiceRoutes({ platform }: Services): TenantRoute[] {
  return [
    tenantRoute({
      method: 'GET',
      url: '/invoices',
      schema: {
        operationId: 'listInvoices',
        summary: 'List invoices',
        tags,
        querystring: InvoicesQuery,
        response: { 200: PageEnvelope(Invoice) },
      },
      async handler({ request, tenant }) {
        const rows = await listInvoices(platform, { ...request.query, tenant_id: tenant.id });
        const page = toPage(rows, request.query.limit);
        return successPage(request, { ...page, rows: page.rows.map(presentInvoice) });
      },
    }),
    tenantRoute({
      method: 'GET',
      url: '/invoices/:id',
      schema: {
        operationId: 'getInvoice',
        summary: 'Read an invoice',
        tags,
        params: IdParams,
        response: { 200: Envelope(Invoice) },
      },
      async handler({ request, tenant }) {
        return success(request, presentInvoice(await requireInvoice(platform, request.params.id, tenant.id)));
      },
    }),
    tenantRoute({
      method: 'GET',
      url: '/invoices/:id/pdf',
      schema: {
        operationId: 'getInvoicePdf',
        summary: 'Read an invoice as PDF',
        tags,
        errors: ['INVOICE.NOT_FINAL'],
        description: `${finalOnly} Letters beyond Latin-1 are replaced by similar ones, or by a question mark.`,
        params: IdParams,
        response: { 200: { content: { 'application/pdf': { schema: File } } } },
      },
      async handler({ request, reply, tenant }) {
        const invoice = formatInvoice(await requireInvoice(platform, request.params.id, tenant.id));
        const file = await renderPdf(invoice);
        reply.type('application/pdf').header('cache-control', 'private, no-cache');
        reply.header('content-disposition', `attachment; filename="invoice-${invoice.number}.pdf"`);
        return file;
      },
    }),
    tenantRoute({
      method: 'GET',
      url: '/invoices/:id/html',
      schema: {
        operationId: 'getInvoiceHtml',
        summary: 'Read an invoice as a printable page',
        tags,
        errors: ['INVOICE.NOT_FINAL'],
        description: finalOnly,
        params: IdParams,
        response: { 200: { content: { 'text/html': { schema: File } } } },
      },
      async handler({ request, reply, tenant }) {
        const page = renderHtml(formatInvoice(await requireInvoice(platform, request.params.id, tenant.id)));
        reply.header('content-security-policy', invoicePolicy).header('cache-control', 'private, no-cache');
        reply.type('text/html; charset=utf-8');
        return page;
      },
    }),
  ];
}
