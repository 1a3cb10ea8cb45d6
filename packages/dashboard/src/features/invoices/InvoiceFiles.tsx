import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { type Invoice, type InvoiceFile, readInvoiceFile } from '../../api/billing.ts';
import { showProblem, useAction } from '../../components/use-action.ts';
import { Download } from '../../icons/icons.gen.ts';
import { saveFile } from '../../lib/save-file.ts';
import { useSurface } from '../../shell/surface-context.ts';

interface InvoiceFilesProps {
  readonly invoice: Invoice;
  readonly isPrimary?: boolean;
}

/** The files of an invoice; a draft has no files. */
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

interface SaveFileButtonProps {
  readonly file: InvoiceFile;
  /** The printed number of the invoice or the credit note. */
  readonly number: string;
  readonly isPrimary?: boolean;
  /** Shows an icon alone, for a row of a table. */
  readonly isCompact?: boolean;
}

/** Saves an invoice or a credit note as a file. The page in HTML can be printed and searched without a viewer of PDF. */
export function SaveFileButton({ file, number, isPrimary = false, isCompact = false }: SaveFileButtonProps) {
  const surface = useSurface();
  const { mutate, isPending } = useAction({ run: () => readInvoiceFile(surface, file), invalidates: [] });
  const name = `${file.creditNoteId === null ? 'invoice' : 'credit-note'}-${number}.${file.format}`;
  const save = () => mutate(undefined, { onSuccess: (blob) => saveFile(blob, name), onError: showProblem });
  const icon = <Download size={15} aria-hidden="true" />;
  const format = file.format.toUpperCase();
  if (isCompact) {
    return (
      <Tooltip label={`Download ${format}`}>
        <ActionIcon aria-label={`Download ${format} of ${number}`} loading={isPending} onClick={save}>
          {icon}
        </ActionIcon>
      </Tooltip>
    );
  }
  return (
    <Button variant={isPrimary ? 'filled' : 'default'} leftSection={icon} loading={isPending} onClick={save}>
      Download {format}
    </Button>
  );
}
