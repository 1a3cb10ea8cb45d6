import type PdfDocument from 'pdfkit';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import type { BillingDocument, DocumentSum } from './document.ts';

/** Characters of the standard PDF fonts beyond Latin-1 (WinAnsiEncoding, ISO 32000-1 annex D). */
const extra = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ');

/** Replacements of characters that Unicode does not decompose. */
const replacements: Readonly<Record<string, string>> = {
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ħ: 'h',
  Ħ: 'H',
  ı: 'i',
  ŋ: 'n',
  Ŋ: 'N',
  ŧ: 't',
  Ŧ: 'T',
  '\u2212': '-',
  '\u2010': '-',
  '\u2011': '-',
  '\u2009': ' ',
  '\u202f': ' ',
};

function isPrintable(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xff) || extra.has(character);
}

function nearest(character: string): string {
  if (isPrintable(character)) return character;
  const replacement = replacements[character];
  if (replacement !== undefined) return replacement;
  const plain = [...character.normalize('NFKD')].filter((part) => !/\p{M}/u.test(part));
  return plain.length > 0 && plain.every(isPrintable) ? plain.join('') : '?';
}

/**
 * Converts a text to the characters of the standard PDF fonts. A missing letter loses its accents; a character without
 * such a replacement becomes a question mark. The HTML page of an invoice shows every character.
 */
function toPdfText(text: string): string {
  return [...text.normalize('NFC').replace(/[\p{Cc}\p{Cf}]+/gu, ' ')].map(nearest).join('');
}

const margin = 50;
/** A4, in points. */
const page = { width: 595, height: 842 };
const width = page.width - 2 * margin;
/** The footer is below. */
const bottom = page.height - margin - 20;
const columns = { description: width - 190, quantity: 60, amount: 130 };
/** The sums are on the right, with their names over the quantities. */
const sumsLeft = margin + width - 320;
const gap = 8;
/** Minimum height of a row of the sums. Some rows have two lines. */
const sumHeight = 24;
const ink = { text: '#1f2933', faint: '#52606d', rule: '#cbd2d9', accent: '#3346b0' };
/** The side of the mark of the product. */
const markSize = 18;

type Pdf = InstanceType<typeof PdfDocument>;

/** Returns a document as a PDF of A4 pages. The output is deterministic: one document always gives the same bytes. */
export async function renderPdf(content: BillingDocument): Promise<Buffer> {
  // Imported on demand: loading it would add 90 ms to the start of every command.
  const { default: Document } = await import('pdfkit');
  // Several mails are sent at a time, each with its document.
  await yieldToEventLoop();
  const title = toPdfText(`${content.kind} ${content.number}`);
  const pdf: Pdf = new Document({
    size: 'A4',
    margin,
    bufferPages: true,
    info: { Title: title, CreationDate: new Date(content.issuedAt) },
  });
  const written = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', () => resolve(Buffer.concat(chunks)));
    pdf.on('error', reject);
  });
  drawMasthead(pdf);
  drawHead(pdf, content, title);
  drawLines(pdf, content);
  drawSums(pdf, content.sums);
  drawNotes(pdf, content.notes);
  drawFooters(pdf, title);
  pdf.end();
  return await written;
}

/** Draws the mark and the name of the product. The mark is the dashboard's, in its coordinates of 32 by 32. */
function drawMasthead(pdf: Pdf): void {
  pdf
    .save()
    .translate(margin, margin)
    .scale(markSize / 32)
    .roundedRect(0, 0, 32, 32, 8)
    .fill(ink.accent)
    .lineWidth(3)
    .lineCap('round')
    .circle(12, 16, 5)
    .moveTo(17, 16)
    .lineTo(26, 16)
    .moveTo(23, 16)
    .lineTo(23, 20)
    .stroke('#ffffff')
    .restore();
  pdf.fillColor(ink.text).font('Helvetica-Bold').fontSize(11);
  pdf.text('Licensing', margin + markSize + gap, margin + 4);
  pdf.x = margin;
  pdf.y = margin + markSize + 3 * gap;
}

function drawHead(pdf: Pdf, { kind, seller, customer, facts }: BillingDocument, title: string): void {
  pdf.fillColor(ink.text).font('Helvetica-Bold').fontSize(20).text(title, margin, pdf.y);
  const top = pdf.y + 2 * gap;
  const third = width / 3;
  const blocks: [string, readonly string[]][] = [
    ['From', seller],
    ['To', customer],
    [kind, facts.map(([name, value]) => `${name}: ${value}`)],
  ];
  let end = top;
  for (const [index, [name, lines]] of blocks.entries()) {
    const place = { width: third - 2 * gap };
    pdf
      .font('Helvetica-Bold')
      .fontSize(9)
      .fillColor(ink.faint)
      .text(name, margin + index * third, top, place);
    pdf.moveDown(0.3).font('Helvetica').fillColor(ink.text);
    for (const line of lines) pdf.text(toPdfText(line), place);
    end = Math.max(end, pdf.y);
  }
  pdf.y = end + 3 * gap;
}

interface Cell {
  readonly text: string;
  readonly left: number;
  readonly width: number;
  readonly align?: 'right';
  readonly color?: string;
}

/** Draws the cells of a row beside each other. Starts a new page when the row does not fit. */
function drawRow(pdf: Pdf, cells: readonly Cell[], font: string): void {
  pdf.font(font).fontSize(10);
  const heights = cells.map(({ text, width: cellWidth }) => pdf.heightOfString(text, { width: cellWidth }));
  const height = Math.max(...heights);
  if (pdf.y + height > bottom) pdf.addPage();
  const { y } = pdf;
  for (const { text, left, width: cellWidth, align, color } of cells) {
    pdf.fillColor(color ?? ink.text).text(text, left, y, { width: cellWidth, ...(align && { align }) });
  }
  pdf.x = margin;
  pdf.y = y + height + gap;
}

function drawRule(pdf: Pdf, left = margin): void {
  pdf
    .moveTo(left, pdf.y)
    .lineTo(margin + width, pdf.y)
    .lineWidth(0.5)
    .stroke(ink.rule);
  pdf.y += gap;
}

const amountCell = (text: string) => ({
  text: toPdfText(text),
  left: margin + width - columns.amount,
  width: columns.amount,
  align: 'right' as const,
});

function drawLines(pdf: Pdf, { lines }: BillingDocument): void {
  const draw = (description: string, quantity: string, amount: string, font: string, color: string) => {
    const left = margin + columns.description;
    const cells: Cell[] = [
      { text: toPdfText(description), left: margin, width: columns.description - gap, color },
      { text: quantity, left, width: columns.quantity, align: 'right', color },
      { ...amountCell(amount), color },
    ];
    drawRow(pdf, cells, font);
  };
  draw('Description', 'Quantity', 'Amount', 'Helvetica-Bold', ink.faint);
  drawRule(pdf);
  for (const { description, period, quantity, amount } of lines) {
    const about = period === '' ? description : `${description} (${period})`;
    draw(about, quantity, amount, 'Helvetica', ink.text);
  }
  drawRule(pdf);
}

/** Draws the sums on one page, if they fit on one. */
function drawSums(pdf: Pdf, sums: readonly DocumentSum[]): void {
  const height = (sums.length + 1) * sumHeight;
  if (pdf.y + height > bottom && margin + height <= bottom) pdf.addPage();
  for (const { name, value, isTotal } of sums) {
    const amount = amountCell(value);
    const nameCell = { text: toPdfText(name), left: sumsLeft, width: amount.left - sumsLeft - gap };
    if (isTotal) drawRule(pdf, sumsLeft);
    drawRow(pdf, [nameCell, amount], isTotal ? 'Helvetica-Bold' : 'Helvetica');
    if (isTotal) drawRule(pdf, sumsLeft);
  }
}

function drawNotes(pdf: Pdf, notes: readonly string[]): void {
  if (notes.length === 0) return;
  pdf.y += 2 * gap;
  for (const text of notes) drawRow(pdf, [{ text: toPdfText(text), left: margin, width }], 'Helvetica');
}

/** Draws the title and the page number below each page. */
function drawFooters(pdf: Pdf, title: string): void {
  const { start, count } = pdf.bufferedPageRange();
  for (let index = start; index < start + count; index += 1) {
    pdf.switchToPage(index);
    // Without a bottom margin: text below it would start a new page.
    pdf.page.margins.bottom = 0;
    pdf.font('Helvetica').fontSize(8).fillColor(ink.faint);
    const top = page.height - margin;
    pdf.text(title, margin, top, { width, lineBreak: false });
    pdf.text(`Page ${index + 1} of ${count}`, margin, top, { width, align: 'right' });
  }
}
