import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { actOnInvoice, commerceKey, type InvoiceAction } from '../../api/commerce.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { useAction } from '../../components/use-action.ts';

interface ActionText {
  readonly label: string;
  readonly consequence: ReactNode;
  readonly isDangerous: boolean;
}

/** The actions of admins on an open invoice, and what each does. */
export const invoiceActionTexts: Readonly<Record<InvoiceAction, ActionText>> = {
  retry: {
    label: 'Retry payment',
    consequence: 'The payment provider charges the card on file once, now. A payment restores a suspended tenant.',
    isDangerous: false,
  },
  'mark-uncollectible': {
    label: 'Mark as uncollectible',
    consequence:
      'The invoice is written off: no further attempt to collect it is made. The payment provider keeps it on record, and it can still be paid.',
    isDangerous: true,
  },
  void: {
    label: 'Void invoice',
    consequence: 'Nothing has to be paid any more, as if the invoice had never been due. This cannot be undone.',
    isDangerous: true,
  },
};

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
  const { mutateAsync } = useAction({ run: (one: InvoiceAction) => actOnInvoice(id, one), invalidates: [commerceKey] });
  const text = action === null ? null : invoiceActionTexts[action];
  return (
    <ConfirmDialog
      title={text?.label ?? ''}
      isDangerous={text?.isDangerous ?? false}
      isOpen={action !== null}
      onClose={onClose}
      onConfirm={() => (action === null ? Promise.resolve() : mutateAsync(action))}
    >
      <b>{name}</b>. {text?.consequence}
    </ConfirmDialog>
  );
}

/** The buttons of the actions on an open invoice. */
export function InvoiceActions({ id, name }: Pick<InvoiceActionDialogProps, 'id' | 'name'>) {
  const [action, setAction] = useState<InvoiceAction | null>(null);
  return (
    <>
      {(['void', 'mark-uncollectible', 'retry'] as const).map((one) => (
        <Button key={one} variant={one === 'retry' ? 'filled' : 'default'} onClick={() => setAction(one)}>
          {invoiceActionTexts[one].label}
        </Button>
      ))}
      <InvoiceActionDialog id={id} name={name} action={action} onClose={() => setAction(null)} />
    </>
  );
}
