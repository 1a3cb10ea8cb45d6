import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { Download } from 'lucide-react';
import { type Invoice, readInvoiceFile } from '../../api/billing.ts';
import { showProblem, useAction } from '../../components/use-action.ts';
import type { Surface } from '../../surfaces.ts';
import { saveFile } from './save-file.ts';

interface SaveInvoiceButtonProps {
  readonly surface: Surface;
  readonly invoice: Invoice;
  readonly isCompact?: boolean;
}

/** Saves an invoice as PDF. */
export function SaveInvoiceButton({ surface, invoice, isCompact = false }: SaveInvoiceButtonProps) {
  const { id, number } = invoice;
  const { mutate, isPending } = useAction({ run: () => readInvoiceFile(surface, id, 'pdf'), invalidates: [] });
  const save = () =>
    mutate(undefined, { onSuccess: (file) => saveFile(file, `invoice-${number}.pdf`), onError: showProblem });
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
    <Button leftSection={icon} loading={isPending} onClick={save}>
      Download PDF
    </Button>
  );
}
