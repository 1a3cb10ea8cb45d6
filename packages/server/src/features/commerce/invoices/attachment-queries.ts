import type { PlatformDb } from '../../../db/database.ts';
import type { CreditNotesTable, InvoicesTable } from '../../../db/tables/platform/billing.ts';

/** Returns the row of an invoice, for its document. */
export function findInvoiceOfDocument({ query }: PlatformDb, id: string): Promise<InvoicesTable | undefined> {
  return query.selectFrom('invoices').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns a credit note by its id. */
export function findCreditNote({ query }: PlatformDb, id: string): Promise<CreditNotesTable | undefined> {
  return query.selectFrom('credit_notes').selectAll().where('id', '=', id).executeTakeFirst();
}
