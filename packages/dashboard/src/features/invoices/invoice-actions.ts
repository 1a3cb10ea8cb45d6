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
    consequence: 'The draft is permanently deleted. It has no number yet, so your invoice numbers stay consecutive.',
    isDangerous: true,
  },
  finalize: {
    label: 'Finalize invoice',
    consequence:
      'The invoice gets its number and tax, and can no longer be changed. It is not mailed. Send it to the customer afterwards.',
    isDangerous: false,
  },
  send: {
    label: 'Send invoice',
    consequence:
      'The customer receives the invoice as a PDF by mail. The mail to an open invoice links to the payment page.',
    isDangerous: false,
  },
  remind: {
    label: 'Send reminder',
    consequence: 'The customer receives a mail that the invoice is overdue, with a link to the payment page.',
    isDangerous: false,
  },
  retry: {
    label: 'Retry payment',
    consequence:
      'The payment provider charges the card on file now. If the payment succeeds, a suspended tenant is restored.',
    isDangerous: false,
  },
  'mark-uncollectible': {
    label: 'Mark as uncollectible',
    consequence:
      'The invoice is written off, and there are no further attempts to collect it. It stays on record at the payment provider and can still be paid.',
    isDangerous: true,
  },
  void: {
    label: 'Void invoice',
    consequence: 'The customer no longer has to pay this invoice. You cannot undo this.',
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
