import { toPage } from '../../../http/cursor.ts';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { formatCreditNote, formatInvoice } from './document.ts';
import {
  CreditNoteParams,
  finalOnly,
  htmlResponse,
  pdfLetters,
  pdfResponse,
  replyWithHtml,
  replyWithPdf,
} from './files.ts';
import { presentAdminInvoice } from './invoice.ts';
import { listInvoices } from './queries.ts';
import { AdminInvoice, AdminInvoicesQuery } from './schemas.ts';
import { requireCreditNote, requireInvoice } from './service.ts';

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
    adminRoute({
      method: 'GET',
      url: '/invoices/:id/pdf',
      schema: {
        operationId: 'adminGetInvoicePdf',
        summary: 'Read an invoice of any tenant as PDF',
        tags,
        errors: ['INVOICE.NOT_FINAL'],
        description: `${finalOnly} ${pdfLetters}`,
        params: IdParams,
        response: pdfResponse,
      },
      async handler({ request, reply }) {
        return await replyWithPdf(reply, formatInvoice(await requireInvoice(platform, request.params.id)));
      },
    }),
    adminRoute({
      method: 'GET',
      url: '/invoices/:id/html',
      schema: {
        operationId: 'adminGetInvoiceHtml',
        summary: 'Read an invoice of any tenant as a printable page',
        tags,
        errors: ['INVOICE.NOT_FINAL'],
        description: finalOnly,
        params: IdParams,
        response: htmlResponse,
      },
      async handler({ request, reply }) {
        return replyWithHtml(reply, formatInvoice(await requireInvoice(platform, request.params.id)));
      },
    }),
    adminRoute({
      method: 'GET',
      url: '/invoices/:id/credit-notes/:creditNoteId/pdf',
      schema: {
        operationId: 'adminGetCreditNotePdf',
        summary: 'Read a credit note of any tenant as PDF',
        tags,
        description: pdfLetters,
        params: CreditNoteParams,
        response: pdfResponse,
      },
      async handler({ request, reply }) {
        const invoice = await requireInvoice(platform, request.params.id);
        return await replyWithPdf(
          reply,
          formatCreditNote(requireCreditNote(invoice, request.params.creditNoteId), invoice),
        );
      },
    }),
    adminRoute({
      method: 'GET',
      url: '/invoices/:id/credit-notes/:creditNoteId/html',
      schema: {
        operationId: 'adminGetCreditNoteHtml',
        summary: 'Read a credit note of any tenant as a printable page',
        tags,
        params: CreditNoteParams,
        response: htmlResponse,
      },
      async handler({ request, reply }) {
        const invoice = await requireInvoice(platform, request.params.id);
        return replyWithHtml(reply, formatCreditNote(requireCreditNote(invoice, request.params.creditNoteId), invoice));
      },
    }),
  ];
}
