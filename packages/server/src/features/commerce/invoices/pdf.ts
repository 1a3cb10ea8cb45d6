import type PdfDocument from 'pdfkit';
import type { InvoiceDocument } from './document.ts';
import { toPdfText } from './pdf-text.ts';

const margin = 50;
/** A4, in points. */
const page = { width: 595, height: 842 };
const width = page.width - 2 * margin;
const bottom = page.height - margin;
const columns = { description: width - 170, quantity: 60, amount: 110 };
const gap = 8;

type Pdf = InstanceType<typeof PdfDocument>;

/** Returns an invoice as a PDF of A4 pages. The output is deterministic: one invoice always gives the same bytes. */
export async function renderPdf(invoice: InvoiceDocument): Promise<Buffer> {
  // Imported on demand: loading it would add 90 ms to the start of every command.
  const { default: Document } = await import('pdfkit');
  const pdf: Pdf = new Document({
    size: 'A4',
    margin,
    info: { Title: toPdfText(`Invoice ${invoice.number}`), CreationDate: new Date(invoice.finalizedAt) },
  });
  const written = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', () => resolve(Buffer.concat(chunks)));
    pdf.on('error', reject);
  });
  drawHead(pdf, invoice);
  drawLines(pdf, invoice);
  drawSums(pdf, invoice);
  pdf.end();
  return await written;
}

function drawHead(pdf: Pdf, { number, seller, customer, facts }: InvoiceDocument): void {
  pdf
    .font('Helvetica-Bold')
    .fontSize(20)
    .text(toPdfText(`Invoice ${number}`), margin, margin);
  const top = pdf.y + 2 * gap;
  const third = width / 3;
  const blocks: [string, readonly string[]][] = [
    ['From', seller],
    ['To', customer],
    ['Invoice', facts.map(([name, value]) => `${name}: ${value}`)],
  ];
  let end = top;
  for (const [index, [title, lines]] of blocks.entries()) {
    const place = { width: third - gap };
    pdf
      .font('Helvetica-Bold')
      .fontSize(9)
      .text(title, margin + index * third, top, place);
    pdf.font('Helvetica').fontSize(9);
    for (const line of lines) pdf.text(toPdfText(line), place);
    end = Math.max(end, pdf.y);
  }
  pdf.y = end + 3 * gap;
}

interface Row {
  readonly description: string;
  readonly quantity: string;
  readonly amount: string;
}

/** Draws a row of the table. Starts a new page when the row does not fit. */
function drawRow(pdf: Pdf, row: Row, font: string): void {
  pdf.font(font).fontSize(10);
  const height = pdf.heightOfString(row.description, { width: columns.description - gap });
  if (pdf.y + height > bottom) pdf.addPage();
  const { y } = pdf;
  const quantityX = margin + columns.description;
  pdf.text(row.description, margin, y, { width: columns.description - gap });
  const end = pdf.y;
  const right = { align: 'right', lineBreak: false } as const;
  pdf.text(row.quantity, quantityX, y, { ...right, width: columns.quantity });
  pdf.text(row.amount, quantityX + columns.quantity, y, { ...right, width: columns.amount });
  pdf.x = margin;
  pdf.y = end + gap;
}

function drawRule(pdf: Pdf): void {
  pdf
    .moveTo(margin, pdf.y)
    .lineTo(margin + width, pdf.y)
    .lineWidth(0.5)
    .stroke();
  pdf.y += gap;
}

function drawLines(pdf: Pdf, { lines }: InvoiceDocument): void {
  drawRow(pdf, { description: 'Description', quantity: 'Quantity', amount: 'Amount' }, 'Helvetica-Bold');
  drawRule(pdf);
  for (const { description, period, quantity, amount } of lines) {
    const about = period === '' ? description : `${description} (${period})`;
    drawRow(pdf, { description: toPdfText(about), quantity, amount: toPdfText(amount) }, 'Helvetica');
  }
  drawRule(pdf);
}

function drawSums(pdf: Pdf, { sums }: InvoiceDocument): void {
  for (const [name, value] of sums) {
    const font = name === 'Total' ? 'Helvetica-Bold' : 'Helvetica';
    drawRow(pdf, { description: name, quantity: '', amount: toPdfText(value) }, font);
  }
}
