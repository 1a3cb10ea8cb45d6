import type { AdminInvoice, InvoiceAction } from '../../api/commerce.ts';

interface ActionText {
  readonly label: string;
  readonly consequence: string;
  readonly isDangerous: boolean;
}

/** The actions of admins on an invoice, and what each does. */
export const invoiceActionTexts: Readonly<Record<InvoiceAction, ActionText>> = {
  delete: {
    label: 'Delete draft',
    consequence: 'It is removed for good. It has no number yet, so no gap appears.',
    isDangerous: true,
  },
  finalize: {
    label: 'Finalize invoice',
    consequence:
      'It gets its number and its tax, and can no longer be changed. Nothing is mailed; send it to the customer afterwards.',
    isDangerous: false,
  },
  send: {
    label: 'Send invoice',
    consequence: 'The customer gets a mail with the invoice as a PDF, and with the page on which an open one is paid.',
    isDangerous: false,
  },
  remind: {
    label: 'Send reminder',
    consequence: 'The customer gets a mail that says that the invoice is overdue, with the page on which it is paid.',
    isDangerous: false,
  },
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
    consequence: 'Nothing has to be paid, as if the invoice had never been due. This cannot be undone.',
    isDangerous: true,
  },
};

/** Returns the actions that the service accepts for an invoice in its state, the primary one last. */
export function actionsOf({ status, subscription_id, collection_method, due_at }: AdminInvoice): InvoiceAction[] {
  if (status === 'draft') return subscription_id === null ? ['delete', 'finalize'] : [];
  if (status === 'paid') return ['send'];
  if (status !== 'open') return [];
  const isDue = due_at !== null && Date.parse(due_at) <= Date.now();
  return [
    'void',
    'mark-uncollectible',
    ...(isDue ? (['remind'] as const) : []),
    'send',
    ...(collection_method === 'charge' ? (['retry'] as const) : []),
  ];
}

/** Returns what of an invoice can still be paid back, in minor units. */
export function refundableOf({ status, amount_paid, amount_refunded }: AdminInvoice): number {
  return status === 'paid' ? amount_paid - amount_refunded : 0;
}
