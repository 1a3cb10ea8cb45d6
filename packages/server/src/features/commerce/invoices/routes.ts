import { toPage } from '../../../http/cursor.ts';
import { Envelope, PageEnvelope, success, successPage } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { type TenantRoute, tenantRoute } from '../../../http/routes/tenant-route.ts';
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
import { presentAdminInvoice, presentInvoice } from './invoice.ts';
import { listInvoices, listOwnerInvoices } from './queries.ts';
import { AdminInvoice, AdminInvoicesQuery, Invoice, InvoicesQuery } from './schemas.ts';
import { requireCreditNote, requireInvoice } from './service.ts';

const tags = ['Subscriptions'] as const;

/** Registers the routes on which admins read the invoices of all tenants. */
export function adminInvoiceRoutes({ platform }: Services): AdminRoute[] {
  return [
    adminRoute('GET', '/invoices', {
      operationId: 'adminListInvoices',
      summary: 'List invoices of all tenants',
      tags,
      querystring: AdminInvoicesQuery,
      response: { 200: PageEnvelope(AdminInvoice) },
      async handler({ request }) {
        const page = toPage(await listInvoices(platform, request.query), request.query.limit);
        return successPage(request, { ...page, rows: page.rows.map(presentAdminInvoice) });
      },
    }),
    adminRoute('GET', '/invoices/:id', {
      operationId: 'adminGetInvoice',
      summary: 'Read an invoice of any tenant',
      tags,
      params: IdParams,
      response: { 200: Envelope(AdminInvoice) },
      async handler({ request }) {
        return success(request, presentAdminInvoice(await requireInvoice(platform, request.params.id)));
      },
    }),
    adminRoute('GET', '/invoices/:id/pdf', {
      operationId: 'adminGetInvoicePdf',
      summary: 'Read an invoice of any tenant as PDF',
      tags,
      errors: ['INVOICE.NOT_FINAL'],
      description: `${finalOnly} ${pdfLetters}`,
      params: IdParams,
      response: pdfResponse,
      async handler({ request, reply }) {
        return await replyWithPdf(reply, formatInvoice(await requireInvoice(platform, request.params.id)));
      },
    }),
    adminRoute('GET', '/invoices/:id/html', {
      operationId: 'adminGetInvoiceHtml',
      summary: 'Read an invoice of any tenant as a printable page',
      tags,
      errors: ['INVOICE.NOT_FINAL'],
      description: finalOnly,
      params: IdParams,
      response: htmlResponse,
      async handler({ request, reply }) {
        return replyWithHtml(reply, formatInvoice(await requireInvoice(platform, request.params.id)));
      },
    }),
    adminRoute('GET', '/invoices/:id/credit-notes/:creditNoteId/pdf', {
      operationId: 'adminGetCreditNotePdf',
      summary: 'Read a credit note of any tenant as PDF',
      tags,
      description: pdfLetters,
      params: CreditNoteParams,
      response: pdfResponse,
      async handler({ request, reply }) {
        const invoice = await requireInvoice(platform, request.params.id);
        return await replyWithPdf(
          reply,
          formatCreditNote(requireCreditNote(invoice, request.params.creditNoteId), invoice),
        );
      },
    }),
    adminRoute('GET', '/invoices/:id/credit-notes/:creditNoteId/html', {
      operationId: 'adminGetCreditNoteHtml',
      summary: 'Read a credit note of any tenant as a printable page',
      tags,
      params: CreditNoteParams,
      response: htmlResponse,
      async handler({ request, reply }) {
        const invoice = await requireInvoice(platform, request.params.id);
        return replyWithHtml(reply, formatCreditNote(requireCreditNote(invoice, request.params.creditNoteId), invoice));
      },
    }),
  ];
}

/** Registers the routes on which the owners of a tenant read its invoices. */
export function ownerInvoiceRoutes({ platform }: Services): TenantRoute[] {
  return [
    tenantRoute('GET', '/invoices', {
      operationId: 'listInvoices',
      summary: 'List invoices',
      tags: ['Billing'],
      querystring: InvoicesQuery,
      response: { 200: PageEnvelope(Invoice) },
      async handler({ request, tenant }) {
        const rows = await listOwnerInvoices(platform, tenant.id, request.query);
        const page = toPage(rows, request.query.limit);
        return successPage(request, { ...page, rows: page.rows.map(presentInvoice) });
      },
    }),
    tenantRoute('GET', '/invoices/:id', {
      operationId: 'getInvoice',
      summary: 'Read an invoice',
      tags: ['Billing'],
      params: IdParams,
      response: { 200: Envelope(Invoice) },
      async handler({ request, tenant }) {
        return success(request, presentInvoice(await requireInvoice(platform, request.params.id, tenant.id)));
      },
    }),
    tenantRoute('GET', '/invoices/:id/pdf', {
      operationId: 'getInvoicePdf',
      summary: 'Read an invoice as PDF',
      tags: ['Billing'],
      errors: ['INVOICE.NOT_FINAL'],
      description: `${finalOnly} ${pdfLetters}`,
      params: IdParams,
      response: pdfResponse,
      async handler({ request, reply, tenant }) {
        return await replyWithPdf(reply, formatInvoice(await requireInvoice(platform, request.params.id, tenant.id)));
      },
    }),
    tenantRoute('GET', '/invoices/:id/html', {
      operationId: 'getInvoiceHtml',
      summary: 'Read an invoice as a printable page',
      tags: ['Billing'],
      errors: ['INVOICE.NOT_FINAL'],
      description: finalOnly,
      params: IdParams,
      response: htmlResponse,
      async handler({ request, reply, tenant }) {
        return replyWithHtml(reply, formatInvoice(await requireInvoice(platform, request.params.id, tenant.id)));
      },
    }),
    tenantRoute('GET', '/invoices/:id/credit-notes/:creditNoteId/pdf', {
      operationId: 'getCreditNotePdf',
      summary: 'Read a credit note as PDF',
      tags: ['Billing'],
      description: pdfLetters,
      params: CreditNoteParams,
      response: pdfResponse,
      async handler({ request, reply, tenant }) {
        const { id, creditNoteId } = request.params;
        const invoice = await requireInvoice(platform, id, tenant.id);
        return await replyWithPdf(reply, formatCreditNote(requireCreditNote(invoice, creditNoteId), invoice));
      },
    }),
    tenantRoute('GET', '/invoices/:id/credit-notes/:creditNoteId/html', {
      operationId: 'getCreditNoteHtml',
      summary: 'Read a credit note as a printable page',
      tags: ['Billing'],
      params: CreditNoteParams,
      response: htmlResponse,
      async handler({ request, reply, tenant }) {
        const { id, creditNoteId } = request.params;
        const invoice = await requireInvoice(platform, id, tenant.id);
        return replyWithHtml(reply, formatCreditNote(requireCreditNote(invoice, creditNoteId), invoice));
      },
    }),
  ];
}
