import type { Invoice } from '../../api/billing.ts';
import { SaveFileButton } from './SaveFileButton.tsx';

interface InvoiceFilesProps {
  readonly invoice: Invoice;
  readonly isPrimary?: boolean;
}

/** The files of an invoice; a draft has none. */
export function InvoiceFiles({ invoice, isPrimary = false }: InvoiceFilesProps) {
  const { id, number } = invoice;
  if (number === null) return null;
  return (
    <>
      <SaveFileButton file={{ invoiceId: id, creditNoteId: null, format: 'html' }} number={number} />
      <SaveFileButton
        file={{ invoiceId: id, creditNoteId: null, format: 'pdf' }}
        number={number}
        isPrimary={isPrimary}
      />
    </>
  );
}
