import type { TenantTransaction } from '../../../db/database.ts';
import { batchesOf } from '../../../lib/batches.ts';

/** Far below the limits of parameters per statement: 32,766 on SQLite and 65,535 on PostgreSQL. */
const idsPerStatement = 500;

/** Returns the id of the product of each of these licenses. */
export async function listProductsOf(
  tx: TenantTransaction,
  licenseIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const products = new Map<string, string>();
  for (const ids of batchesOf(licenseIds, idsPerStatement)) {
    const rows = await tx.selectFrom('licenses').select(['id', 'product_id']).where('id', 'in', ids).execute();
    for (const { id, product_id } of rows) products.set(id, product_id);
  }
  return products;
}
