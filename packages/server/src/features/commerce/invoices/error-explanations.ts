import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const invoiceErrors = {
  'INVOICE.NOT_FINAL': explain('The invoice is a draft and may change.', 'Wait until it is finalized.'),
  'INVOICE.NOT_DUE': explain('The invoice is not due yet.', 'Remind the customer after its due date.'),
  'INVOICE.ALREADY_REMINDED': explain(
    'The customer was reminded in the last 24 hours.',
    'Wait until the time that the message names.',
  ),
  'INVOICE.TRANSITION_INVALID': explain(
    'The state of the invoice does not allow this.',
    'Read the invoice: only drafts are deleted, only open invoices change or are mailed, only paid ones are refunded.',
  ),
} satisfies ErrorExplanations;
