import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { actOnInvoice, type InvoiceAction } from '../../api/admin-invoices.ts';
import { type AdminInvoice, commerceKey } from '../../api/commerce.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { actionsOf, invoiceActionTexts, refundableOf } from './invoice-actions.ts';
import { RefundForm } from './RefundForm.tsx';

interface InvoiceActionDialogProps {
  readonly id: string;
  /** What the dialog calls the invoice: "Invoice 9F3A01BC-0001". */
  readonly name: string;
  /** Null closes the dialog. */
  readonly action: InvoiceAction | null;
  readonly onClose: () => void;
}

/** Asks before an action on an invoice. */
export function InvoiceActionDialog({ id, name, action, onClose }: InvoiceActionDialogProps) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const text = action === null ? null : invoiceActionTexts[action];
  return (
    <ConfirmDialog
      title={text?.label ?? ''}
      isDangerous={text?.isDangerous ?? false}
      isOpen={action !== null}
      onClose={onClose}
      onConfirm={async () => {
        if (action === null) return;
        await actOnInvoice(id, action);
        if (action === 'delete') await navigate({ to: '/admin/invoices' });
        // Only afterwards: the page of the invoice would read the deleted draft again.
        await client.invalidateQueries({ queryKey: commerceKey });
      }}
    >
      <b>{name}</b>. {text?.consequence}
    </ConfirmDialog>
  );
}

interface InvoiceActionsProps {
  readonly invoice: AdminInvoice;
  /** What the dialogs call the invoice. */
  readonly name: string;
}

/** The buttons of the actions on an invoice in its state. */
export function InvoiceActions({ invoice, name }: InvoiceActionsProps) {
  const [action, setAction] = useState<InvoiceAction | null>(null);
  const [isRefunding, setRefunding] = useState(false);
  // The dialog shows the result, which changes what is left.
  const [left, setLeft] = useState(0);
  const refundable = refundableOf(invoice);
  const actions = actionsOf(invoice);
  const open = () => {
    setLeft(refundable);
    setRefunding(true);
  };
  return (
    <>
      {actions.map((one, index) => (
        <Button
          key={one}
          variant={index === actions.length - 1 && refundable === 0 ? 'filled' : 'default'}
          onClick={() => setAction(one)}
        >
          {invoiceActionTexts[one].label}
        </Button>
      ))}
      {refundable > 0 && <Button onClick={open}>Refund invoice</Button>}
      <InvoiceActionDialog id={invoice.id} name={name} action={action} onClose={() => setAction(null)} />
      <FormDialog title="Refund invoice" isOpen={isRefunding} onClose={() => setRefunding(false)}>
        <RefundForm invoice={invoice} left={left} onClose={() => setRefunding(false)} />
      </FormDialog>
    </>
  );
}
