import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forNoKeyUpdate, forUpdate } from '../../../db/dialect.ts';
import type { SealedColumn } from '../../../db/sealed.ts';
import { productTerms } from '../../../db/search/index-terms.ts';
import { planListFilters } from '../../../db/search/list-filter-plan.ts';
import { addSearchTerms, replaceSearchTerms, textFilters } from '../../../db/search/search-terms.ts';
import type { ProductsTable } from '../../../db/tables/tenant/policies.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import { paginate } from '../../../http/cursor.ts';
import type { ProductsQuery } from './schemas.ts';

/** The keys of the storages of private files. */
export const sealedStorageKeys: SealedColumn<TenantTables> = {
  table: 'products',
  column: 'download_storage_json',
  key: ['id'],
  what: 'keys of file storages',
  member: 'sealed_secret',
};

/** Returns one page of products and one row more, which `toPage` cuts off. Newest first. */
export async function listProducts(db: TenantDb, filters: ProductsQuery): Promise<ProductsTable[]> {
  const search =
    filters.q === undefined ? [] : textFilters(db.query, { table: 'products', scope: 'product', text: filters.q });
  const { query, timeColumn } = await planListFilters(db.query, 'products', search);
  const named = filters.code === undefined ? query : query.where('products.code', '=', filters.code);
  const { archived } = filters;
  const shown =
    archived === 'all' ? named : named.where('products.archived_at', archived === 'true' ? 'is not' : 'is', null);
  return await paginate(shown.selectAll('products'), filters, timeColumn).execute();
}

/** Returns the products with these ids, in no particular order. */
export async function findProducts(db: TenantDb, ids: readonly string[]): Promise<ProductsTable[]> {
  if (ids.length === 0) return [];
  return await db.query.selectFrom('products').selectAll().where('id', 'in', ids).execute();
}

/** Returns the product with this code, or else with this id. */
export async function findNamedProduct(db: TenantDb['query'], name: string): Promise<ProductsTable | undefined> {
  const products = db.selectFrom('products').selectAll();
  const byCode = await products.where('code', '=', name).executeTakeFirst();
  return byCode ?? (await products.where('id', '=', name).executeTakeFirst());
}

/**
 * Makes other transactions that call it for this product wait until the transaction ends. The product's policies and
 * licenses can be written in the meantime.
 */
export async function holdProduct(tx: TenantTransaction, id: string): Promise<void> {
  await forNoKeyUpdate(tx, tx.selectFrom('products').select('id').where('id', '=', id)).execute();
}

/** Reads a product and locks its row until the transaction ends. */
export function lockProduct(tx: TenantTransaction, id: string): Promise<ProductsTable | undefined> {
  return forUpdate(tx, tx.selectFrom('products').selectAll().where('id', '=', id)).executeTakeFirst();
}

/** Inserts a product and its search terms. Throws a unique violation when the code is taken. */
export async function createProductRow(tx: TenantTransaction, row: ProductsTable): Promise<void> {
  await tx.insertInto('products').values(row).execute();
  await addSearchTerms(tx, [[row, productTerms(row)]]);
}

/** Updates a product and its search terms. Throws a unique violation when the code is taken. */
export async function updateProductRow(tx: TenantTransaction, row: ProductsTable): Promise<void> {
  await tx.updateTable('products').set(row).where('id', '=', row.id).execute();
  await replaceSearchTerms(tx, row, productTerms(row));
}

/** Deletes a product and its search terms. Throws a foreign key violation while a policy refers to it. */
export async function deleteProductRow(tx: TenantTransaction, row: ProductsTable): Promise<void> {
  await tx.deleteFrom('products').where('id', '=', row.id).execute();
  await replaceSearchTerms(tx, row, []);
}

/** Returns id and code of every product of the tenant, and whether it is archived, for bulk work. */
export function listAllProductCodes(db: TenantDb): Promise<Pick<ProductsTable, 'id' | 'code' | 'archived_at'>[]> {
  return db.query.selectFrom('products').select(['id', 'code', 'archived_at']).execute();
}

/** Returns every product. */
export function listAllProducts(db: TenantDb): Promise<ProductsTable[]> {
  return db.query.selectFrom('products').selectAll().execute();
}
