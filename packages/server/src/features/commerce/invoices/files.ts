import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { PlatformDb } from '../../../db/database.ts';
import { findRow } from '../../../db/rows.ts';
import { Uuid } from '../../../http/schema.ts';
import { escapeHtml } from '../../../lib/escape-html.ts';
import { markSvg } from '../../../lib/mark.ts';
import type { AttachedFile, RenderAttachment } from '../../../mail/transport.ts';
import { type BillingDocument, formatCreditNote, formatInvoice } from './document.ts';
import { renderPdf } from './pdf.ts';

const style = `
body{font:15px/1.5 system-ui,sans-serif;color:#1f2933;max-width:48rem;margin:3rem auto;padding:0 1.5rem}
.masthead{display:flex;align-items:center;gap:.5rem;font-weight:600;margin:0 0 1.5rem}
h1{font-size:1.75rem;margin:0 0 1.5rem}
h2{font-size:.8rem;text-transform:uppercase;letter-spacing:.05em;color:#52606d;margin:0 0 .25rem}
.parties{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:1.5rem 2rem;margin:0 0 2rem}
.parties section{min-width:0;overflow-wrap:anywhere}
.parties p{margin:0}
table{border-collapse:collapse;width:100%;margin:0 0 2rem}
th,td{text-align:left;padding:.5rem .25rem;border-bottom:1px solid #cbd2d9;vertical-align:top}
td:first-child{overflow-wrap:anywhere}
.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
th.number:last-child,td.number:last-child{padding-left:1rem}
tfoot td{border-bottom:0;padding:.3rem .25rem}
tfoot td:first-child{text-align:right;color:#52606d}
tfoot .total td{font-weight:700;color:inherit;border-top:1px solid #cbd2d9;border-bottom:1px solid #cbd2d9}
.period{color:#52606d;font-size:.85rem}
.note{margin:0 0 .25rem}
@media(max-width:30rem){td.number{white-space:normal}}
@media print{body{margin:0;max-width:none}tr{break-inside:avoid}}
`;

/** The Content-Security-Policy of the page: only its own style, no script, image, form or frame. */
const invoicePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const lineBreaks = (lines: readonly string[]) => lines.map(escapeHtml).join('<br>');

const masthead = `<p class="masthead">${markSvg}Licensing</p>`;

/** Returns an invoice or a credit note as a printable HTML page. All texts are escaped. */
function renderHtml(content: BillingDocument): string {
  const { kind, number, facts, seller, customer, notes } = content;
  const title = escapeHtml(`${kind} ${number}`);
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${title}</title>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<style>${style}</style></head><body>${masthead}<h1>${title}</h1>`,
    '<div class="parties">',
    `<section><h2>From</h2><p>${lineBreaks(seller)}</p></section>`,
    `<section><h2>To</h2><p>${lineBreaks(customer)}</p></section>`,
    `<section><h2>${kind}</h2><p>${lineBreaks(facts.map(([name, value]) => `${name}: ${value}`))}</p></section>`,
    '</div><table>',
    '<thead><tr><th>Description</th><th class="number">Quantity</th><th class="number">Amount</th></tr></thead>',
    `<tbody>${rowsOf(content)}</tbody><tfoot>${totalsOf(content)}</tfoot>`,
    `</table>${notes.map((note) => `<p class="note">${escapeHtml(note)}</p>`).join('')}</body></html>`,
    '',
  ].join('\n');
}

function rowsOf({ lines }: BillingDocument): string {
  const rows = lines.map(({ description, period, quantity, amount }) => {
    const about = period === '' ? '' : `<br><span class="period">${escapeHtml(period)}</span>`;
    return (
      `<tr><td>${escapeHtml(description)}${about}</td><td class="number">${escapeHtml(quantity)}</td>` +
      `<td class="number">${escapeHtml(amount)}</td></tr>`
    );
  });
  return rows.join('');
}

function totalsOf({ sums }: BillingDocument): string {
  const rows = sums.map(({ name, value, isTotal }) => {
    const kind = isTotal ? ' class="total"' : '';
    return `<tr${kind}><td colspan="2">${escapeHtml(name)}</td><td class="number">${escapeHtml(value)}</td></tr>`;
  });
  return rows.join('');
}

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

/** Creates the function that renders the invoices and credit notes of mails as PDF. */
export function createAttachmentRenderer(platform: PlatformDb): RenderAttachment {
  return async ({ document, id }) => {
    if (document === 'invoice') {
      const invoice = await findRow(platform.query, 'invoices', id);
      return invoice && (await fileOf('invoice', formatInvoice(invoice)));
    }
    const note = await findRow(platform.query, 'credit_notes', id);
    const invoice = note && (await findRow(platform.query, 'invoices', note.invoice_id));
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
