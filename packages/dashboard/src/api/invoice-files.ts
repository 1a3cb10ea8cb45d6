import type { Surface } from '../surfaces.ts';
import { apiOf } from './client.ts';

/** A file of an invoice, or of one of its credit notes. */
export interface InvoiceFile {
  readonly invoiceId: string;
  /** Null for the invoice itself. */
  readonly creditNoteId: string | null;
  readonly format: 'pdf' | 'html';
}

/** Reads a file. A link cannot send the session's token, so the page fetches the file. */
export async function readInvoiceFile(surface: Surface, file: InvoiceFile): Promise<Blob> {
  const { data } = await (surface.area === 'admin' ? readAsAdmin(file) : readAsOwner(surface, file));
  if (data === undefined) throw new Error('The service sent no file. Try again.');
  return data;
}

function readAsOwner(surface: Surface, { invoiceId: id, creditNoteId, format }: InvoiceFile) {
  const api = apiOf(surface);
  if (creditNoteId === null) {
    const options = { params: { path: { id } }, parseAs: 'blob' } as const;
    return format === 'pdf'
      ? api.GET('/api/v1/billing/invoices/{id}/pdf', options)
      : api.GET('/api/v1/billing/invoices/{id}/html', options);
  }
  const options = { params: { path: { id, creditNoteId } }, parseAs: 'blob' } as const;
  return format === 'pdf'
    ? api.GET('/api/v1/billing/invoices/{id}/credit-notes/{creditNoteId}/pdf', options)
    : api.GET('/api/v1/billing/invoices/{id}/credit-notes/{creditNoteId}/html', options);
}

function readAsAdmin({ invoiceId: id, creditNoteId, format }: InvoiceFile) {
  const api = apiOf({ area: 'admin', tenantId: null });
  if (creditNoteId === null) {
    const options = { params: { path: { id } }, parseAs: 'blob' } as const;
    return format === 'pdf'
      ? api.GET('/api/v1/admin/invoices/{id}/pdf', options)
      : api.GET('/api/v1/admin/invoices/{id}/html', options);
  }
  const options = { params: { path: { id, creditNoteId } }, parseAs: 'blob' } as const;
  return format === 'pdf'
    ? api.GET('/api/v1/admin/invoices/{id}/credit-notes/{creditNoteId}/pdf', options)
    : api.GET('/api/v1/admin/invoices/{id}/credit-notes/{creditNoteId}/html', options);
}
