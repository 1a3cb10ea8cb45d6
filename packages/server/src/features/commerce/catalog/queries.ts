import type { PlatformDb } from '../../../db/database.ts';
import type { CatalogProductsTable } from '../../../db/tables/platform/billing.ts';
import { paginate } from '../../../http/cursor.ts';
import type { CatalogProductsQuery } from './schemas.ts';

/** Returns one page of the products, with one row more than the page when there are more. */
export function listCatalogProducts(
  { query }: PlatformDb,
  filters: CatalogProductsQuery,
): Promise<CatalogProductsTable[]> {
  let products = query.selectFrom('catalog_products').selectAll();
  if (filters.code !== undefined) products = products.where('code', '=', filters.code);
  return paginate(products, filters).execute();
}
