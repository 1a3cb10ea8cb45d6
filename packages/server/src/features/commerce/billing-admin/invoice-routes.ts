import { DeletedEnvelope, Envelope, success, successDeleted } from '../../../http/envelope.ts';
import { type AdminRoute, adminRoute } from '../../../http/routes/admin-route.ts';
import { IdParams } from '../../../http/schema.ts';
import type { Services } from '../../../services.ts';
import { adminCreatingRoute } from '../../tenant-core/idempotency/user-creating-route.ts';
import { presentAdminInvoice, presentCreditNote } from '../invoices/invoice.ts';
import { AdminInvoice, CreditNote } from '../invoices/schemas.ts';
import { createInvoice, deleteInvoice, finalizeInvoice, remindOfInvoice, sendInvoice } from './invoice-service.ts';
import { refundInvoice } from './refund-service.ts';
import { CreateInvoice, RefundInvoice } from './schemas.ts';

const tags = ['Subscriptions'] as const;

const actions = [
  {
    name: 'finalize',
    operationId: 'adminFinalizeInvoice',
    summary: 'Finalize a draft',
    description: 'It gets its number and can be paid. Has no effect on an invoice that is final.',
    errors: ['BILLING.REFUSED'],
    perform: finalizeInvoice,
  },
  {
    name: 'send',
    operationId: 'adminSendInvoice',
    summary: 'Mail an open invoice to its customer',
    description: 'The mail has the invoice as a PDF and the link to pay it.',
    errors: ['BILLING.REFUSED', 'INVOICE.NOT_FINAL', 'INVOICE.TRANSITION_INVALID'],
    perform: sendInvoice,
  },
  {
    name: 'remind',
    operationId: 'adminRemindOfInvoice',
    summary: 'Remind the customer of an overdue invoice',
    description: 'Only for an open invoice that is due, at most once in 24 hours.',
    errors: [
      'BILLING.REFUSED',
      'INVOICE.NOT_FINAL',
      'INVOICE.TRANSITION_INVALID',
      'INVOICE.NOT_DUE',
      'INVOICE.ALREADY_REMINDED',
    ],
    perform: remindOfInvoice,
  },
] as const;

/**
 * Registers the routes on which admins manage invoices. Their URLs are relative to `/api/v1/admin`; each requires the
 * billing guard.
 */
export function adminInvoiceWriteRoutes(services: Services): AdminRoute[] {
  return [
    adminCreatingRoute(services, '/invoices', {
      area: 'billing',
      operationId: 'adminCreateInvoice',
      summary: 'Create a single invoice',
      tags,
      errors: ['BILLING.NO_PROVIDER', 'BILLING.REFUSED'],
      description: 'The draft of an invoice outside any subscription. Finalize it, then send it.',
      body: CreateInvoice,
      response: { 201: Envelope(AdminInvoice) },
      async create({ request, actor }, id) {
        return { status: 201, data: presentAdminInvoice(await createInvoice(services, actor, id, request.body)) };
      },
    }),
    adminRoute('DELETE', '/invoices/:id', {
      area: 'billing',
      operationId: 'adminDeleteInvoice',
      summary: 'Delete the draft of a single invoice',
      tags,
      errors: ['BILLING.NO_PROVIDER', 'BILLING.REFUSED', 'INVOICE.TRANSITION_INVALID'],
      params: IdParams,
      response: { 200: DeletedEnvelope },
      async handler({ request, actor }) {
        await deleteInvoice(services, actor, request.params.id);
        return successDeleted(request, request.params.id);
      },
    }),
    ...actions.map(({ name, perform, errors, ...schema }) =>
      adminRoute('POST', `/invoices/:id/${name}`, {
        area: 'billing',
        ...schema,
        tags,
        errors: ['BILLING.NO_PROVIDER', ...errors],
        params: IdParams,
        response: { 200: Envelope(AdminInvoice) },
        async handler({ request, actor }) {
          return success(request, presentAdminInvoice(await perform(services, actor, request.params.id)));
        },
      }),
    ),
    adminCreatingRoute(services, '/invoices/:id/refund', {
      area: 'billing',
      operationId: 'adminRefundInvoice',
      summary: 'Refund a paid invoice, in whole or in part',
      tags,
      errors: ['BILLING.NO_PROVIDER', 'BILLING.REFUSED', 'INVOICE.TRANSITION_INVALID'],
      description:
        'Returns the credit note, which the customer gets by mail. All refunds together never exceed what was paid. ' +
        'After a 503, the service completes the refund by itself.',
      params: IdParams,
      body: RefundInvoice,
      response: { 201: Envelope(CreditNote) },
      async create({ request, actor }, id) {
        const { amount, reason } = request.body;
        const note = await refundInvoice(services, actor, request.params.id, { id, amount, reason });
        return { status: 201, data: presentCreditNote(note) };
      },
    }),
  ];
}
