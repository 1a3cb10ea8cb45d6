import type { TenantDb, TenantTransaction } from '../../db/database.ts';
import { forUpdate } from '../../db/dialect.ts';
import type { ProductsTable } from '../../db/tables.ts';
import { paginate } from '../../http/cursor.ts';
import type { ProductsQuery } from './schemas.ts';

export function listProducts(db: TenantDb, filters: ProductsQuery): Promise<ProductsTable[]> {
  let query = db.query.selectFrom('products').selectAll();
  if (filters.code !== undefined) query = query.where('code', '=', filters.code);
  return paginate(query, filters).execute();
}

export function findProduct(db: TenantDb, id: string): Promise<ProductsTable | undefined> {
  return db.query.selectFrom('products').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Reads a product and keeps others from changing it until the transaction ends. */
export function lockProduct(tx: TenantTransaction, id: string): Promise<ProductsTable | undefined> {
  return forUpdate(tx, tx.selectFrom('products').selectAll().where('id', '=', id)).executeTakeFirst();
}

export async function createProductRow(tx: TenantTransaction, row: ProductsTable): Promise<void> {
  await tx.insertInto('products').values(row).execute();
}

export async function updateProductRow(tx: TenantTransaction, row: ProductsTable): Promise<void> {
  await tx.updateTable('products').set(row).where('id', '=', row.id).execute();
}

export async function deleteProductRow(tx: TenantTransaction, id: string): Promise<void> {
  await tx.deleteFrom('products').where('id', '=', id).execute();
}
