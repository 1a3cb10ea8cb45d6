import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { updateRows } from '../../../db/rows.ts';
import type { CustomerNotesTable } from '../../../db/tables/tenant/checks.ts';
import { type PageRequest, paginate, toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import { foldEmail } from '../../../lib/email.ts';

/** Returns one page of the notes about a customer, newest first. */
export async function listNotes(db: TenantDb, email: string, page: PageRequest): Promise<Page<CustomerNotesTable>> {
  const query = db.query.selectFrom('customer_notes').selectAll().where('email_key', '=', foldEmail(email));
  return toPage(await paginate(query, page).execute(), page.limit);
}

/** Returns every note about a person, oldest first, as an export of personal data contains it. */
export function listEveryNote(
  { query }: TenantDb,
  email: string,
): Promise<Pick<CustomerNotesTable, 'text' | 'created_at'>[]> {
  return query
    .selectFrom('customer_notes')
    .select(['text', 'created_at'])
    .where('email_key', '=', foldEmail(email))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Deletes a note about a customer. Returns false if there is none with this id. */
export async function deleteNoteRow(tx: TenantTransaction, email: string, id: string): Promise<boolean> {
  const query = tx.deleteFrom('customer_notes').where('id', '=', id).where('email_key', '=', foldEmail(email));
  return (await query.executeTakeFirst()).numDeletedRows > 0n;
}

/** Deletes every note about a person. Returns how many there were. */
export async function deleteNotesOf(tx: TenantTransaction, email: string): Promise<number> {
  const query = tx.deleteFrom('customer_notes').where('email_key', '=', foldEmail(email));
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

/** Gives the notes about a customer to the customer with another address. */
export async function moveNotes(tx: TenantTransaction, from: string, to: string): Promise<void> {
  await updateRows(tx, 'customer_notes', { email_key: foldEmail(from) }, { email_key: foldEmail(to) });
}
