import { sql } from 'kysely';
import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { SalesTable } from '../../../db/tables/tenant/sales.ts';

/** Deletes what comparisons have found of these sales. */
export async function eraseDifferencesOf(
  tx: TenantTransaction,
  sales: readonly Pick<SalesTable, 'connection_id' | 'external_id'>[],
): Promise<void> {
  for (const { connection_id, external_id } of sales) {
    const comparisons = tx.selectFrom('comparisons').select('id').where('connection_id', '=', connection_id);
    await tx
      .deleteFrom('comparison_differences')
      .where('sale_external_id', '=', external_id)
      .where('comparison_id', 'in', comparisons)
      .execute();
  }
}

/**
 * Deletes what comparisons have found of sales that exist only in the shop and name an address. They are found by the folded
 * address in their text; retention keeps the table small.
 */
export async function eraseDifferencesNaming({ query }: TenantDb, email: string): Promise<void> {
  // As the address appears as a JSON string; `%`, `_` and `\` mean themselves.
  const pattern = `%${JSON.stringify(email.toLowerCase()).replace(/[\\%_]/g, '\\$&')}%`;
  const mentions = sql<boolean>`lower(buyer_json) like ${pattern} escape '\\'`;
  await query.deleteFrom('comparison_differences').where(mentions).execute();
}
