import type { TenantTransaction } from '../../../db/database.ts';
import type { HolderMailsTable } from '../../../db/tables/tenant/holder-mails.ts';
import type { HolderMailSwitch, HolderMailType } from './holder-mail.ts';

/** Far below the limits of parameters per statement: 32,766 on SQLite and 65,535 on PostgreSQL. */
const rowsPerStatement = 50;
const idsPerStatement = 500;

/** Returns the switches of these types. */
export function listSwitches(tx: TenantTransaction, types: readonly HolderMailType[]): Promise<HolderMailSwitch[]> {
  return tx
    .selectFrom('holder_mail_switches')
    .select(['product_id', 'type', 'is_on'])
    .where('type', 'in', types)
    .execute();
}

/** Returns the id of the product of each of these licenses. */
export async function listProductsOf(
  tx: TenantTransaction,
  licenseIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const products = new Map<string, string>();
  for (let start = 0; start < licenseIds.length; start += idsPerStatement) {
    const ids = licenseIds.slice(start, start + idsPerStatement);
    const rows = await tx.selectFrom('licenses').select(['id', 'product_id']).where('id', 'in', ids).execute();
    for (const { id, product_id } of rows) products.set(id, product_id);
  }
  return products;
}

/** Inserts mails, except those whose event has a mail already. Returns how many were inserted. */
export async function insertNewMails(tx: TenantTransaction, rows: readonly HolderMailsTable[]): Promise<number> {
  let inserted = 0;
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    const result = await tx
      .insertInto('holder_mails')
      .values(rows.slice(start, start + rowsPerStatement))
      .onConflict((conflict) => conflict.column('event').doNothing())
      .executeTakeFirst();
    inserted += Number(result.numInsertedOrUpdatedRows ?? 0n);
  }
  return inserted;
}
