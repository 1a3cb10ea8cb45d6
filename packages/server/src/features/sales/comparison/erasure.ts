import type { TenantTransaction } from '../../../db/database.ts';
import type { SalesTable } from '../../../db/tables/tenant/sales.ts';

/** Deletes what comparisons have found of some sales, because it contains personal data of their buyer. */
export async function eraseDifferences(
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
