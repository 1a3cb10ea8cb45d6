import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
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

/** Returns a product by its id. */
export function findCatalogProduct({ query }: PlatformDb, id: string): Promise<CatalogProductsTable | undefined> {
  return query.selectFrom('catalog_products').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns a product and locks its row until the transaction ends. */
export function lockCatalogProduct(tx: PlatformTransaction, id: string): Promise<CatalogProductsTable | undefined> {
  return forUpdate(tx, tx.selectFrom('catalog_products').selectAll().where('id', '=', id)).executeTakeFirst();
}

/** Inserts a product. */
export async function createCatalogProductRow(tx: PlatformTransaction, row: CatalogProductsTable): Promise<void> {
  await tx.insertInto('catalog_products').values(row).execute();
}

/** Replaces the row of a product. */
export async function updateCatalogProductRow(tx: PlatformTransaction, row: CatalogProductsTable): Promise<void> {
  await tx.updateTable('catalog_products').set(row).where('id', '=', row.id).execute();
}

/** Deletes a product. */
export async function deleteCatalogProductRow(tx: PlatformTransaction, id: string): Promise<void> {
  await tx.deleteFrom('catalog_products').where('id', '=', id).execute();
}
