import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { LicenseBatchesTable } from '../../../db/tables/tenant/bulk.ts';
import { paginate } from '../../../http/cursor.ts';
import type { LicenseBatchesQuery } from './schemas.ts';

type Query = TenantDb['query'];

/** Inserts a batch. */
export async function insertBatch(tx: TenantTransaction, row: LicenseBatchesTable): Promise<void> {
  await tx.insertInto('license_batches').values(row).execute();
}

/** Returns a page of the batches, newest first, and one more row. */
export function listBatches({ query }: TenantDb, page: LicenseBatchesQuery): Promise<LicenseBatchesTable[]> {
  return paginate(query.selectFrom('license_batches').selectAll(), page).execute();
}

/** Returns a batch, or undefined. */
export function findBatch(query: Query, id: string): Promise<LicenseBatchesTable | undefined> {
  return query.selectFrom('license_batches').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Reads a batch and locks it until the transaction ends. */
export function lockBatch(tx: TenantTransaction, id: string): Promise<LicenseBatchesTable | undefined> {
  return forUpdate(tx, tx.selectFrom('license_batches').selectAll().where('id', '=', id)).executeTakeFirst();
}

/** Updates a batch. The caller must have locked it. */
export async function updateBatch(
  tx: TenantTransaction,
  id: string,
  fields: Partial<LicenseBatchesTable>,
): Promise<void> {
  await tx.updateTable('license_batches').set(fields).where('id', '=', id).execute();
}
