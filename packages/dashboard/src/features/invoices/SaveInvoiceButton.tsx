import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { Download } from 'lucide-react';
import { type Invoice, readInvoiceFile } from '../../api/billing.ts';
import { showProblem, useAction } from '../../components/use-action.ts';
import { saveFile } from '../../lib/save-file.ts';
import type { Surface } from '../../surfaces.ts';

interface SaveInvoiceButtonProps {
  readonly surface: Surface;
  readonly invoice: Invoice;
  /** The format; the page can be printed and searched without a viewer of PDF. */
  readonly format?: 'pdf' | 'html';
  readonly isCompact?: boolean;
}

/** Saves an invoice as a file. */
export function SaveInvoiceButton({ surface, invoice, format = 'pdf', isCompact = false }: SaveInvoiceButtonProps) {
  const { id, number } = invoice;
  const { mutate, isPending } = useAction({ run: () => readInvoiceFile(surface, id, format), invalidates: [] });
  const save = () =>
    mutate(undefined, { onSuccess: (file) => saveFile(file, `invoice-${number}.${format}`), onError: showProblem });
  const icon = <Download size={15} aria-hidden="true" />;
  if (isCompact) {
    return (
      <Tooltip label="Download PDF">
        <ActionIcon aria-label={`Download PDF of ${number}`} loading={isPending} onClick={save}>
          {icon}
        </ActionIcon>
      </Tooltip>
    );
  }
  return (
    <Button variant={format === 'pdf' ? 'filled' : 'default'} leftSection={icon} loading={isPending} onClick={save}>
      Download {format.toUpperCase()}
    </Button>
  );
}
