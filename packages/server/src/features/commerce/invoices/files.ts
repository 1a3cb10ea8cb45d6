import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { Uuid } from '../../../http/schema.ts';
import type { BillingDocument } from './document.ts';
import { invoicePolicy, renderHtml } from './html.ts';
import { renderPdf } from './pdf.ts';

const File = Type.Unsafe<Buffer | string>({ type: 'string', format: 'binary' });

/** The response of a route that returns a document as PDF. */
export const pdfResponse = { 200: { content: { 'application/pdf': { schema: File } } } } as const;

/** The response of a route that returns a document as a printable page. */
export const htmlResponse = { 200: { content: { 'text/html': { schema: File } } } } as const;

/** What the documentation says about the files of invoices. */
export const finalOnly = 'A draft has no number yet and gets 409 `INVOICE.NOT_FINAL`.';
export const pdfLetters = 'Letters beyond Latin-1 are replaced by similar ones, or by a question mark.';

/** The path parameters of a credit note of an invoice. */
export const CreditNoteParams = Type.Object({ id: Uuid, creditNoteId: Uuid });

/** Sets the headers of a document as a PDF, and returns its bytes. */
export async function replyWithPdf(reply: FastifyReply, content: BillingDocument): Promise<Buffer> {
  const file = await renderPdf(content);
  const name = `${content.kind.toLowerCase().replace(' ', '-')}-${content.number}.pdf`;
  reply.type('application/pdf').header('cache-control', 'private, no-cache');
  reply.header('content-disposition', `attachment; filename="${name}"`);
  return file;
}

/** Sets the headers of a document as a printable page, and returns the page. */
export function replyWithHtml(reply: FastifyReply, content: BillingDocument): string {
  reply.header('content-security-policy', invoicePolicy).header('cache-control', 'private, no-cache');
  reply.type('text/html; charset=utf-8');
  return renderHtml(content);
}
