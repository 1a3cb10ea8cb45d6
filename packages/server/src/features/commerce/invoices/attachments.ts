import type { PlatformDb } from '../../../db/database.ts';
import type { AttachedFile, RenderAttachment } from '../../../mail/transport.ts';
import { formatCreditNote } from './credit-note-document.ts';
import { type BillingDocument, formatInvoice } from './document.ts';
import { renderPdf } from './pdf.ts';
import { findCreditNote, findInvoiceRow } from './queries.ts';

/** Creates the function that renders the invoices and credit notes of mails as PDF. */
export function createAttachmentRenderer(platform: PlatformDb): RenderAttachment {
  return async ({ document, id }) => {
    if (document === 'invoice') {
      const invoice = await findInvoiceRow(platform.query, id);
      return invoice && (await fileOf('invoice', formatInvoice(invoice)));
    }
    const note = await findCreditNote(platform.query, id);
    const invoice = note && (await findInvoiceRow(platform.query, note.invoice_id));
    return invoice && (await fileOf('credit-note', formatCreditNote(note, invoice)));
  };
}

async function fileOf(kind: string, content: BillingDocument): Promise<AttachedFile> {
  return {
    filename: `${kind}-${content.number}.pdf`,
    contentType: 'application/pdf',
    content: await renderPdf(content),
  };
}
