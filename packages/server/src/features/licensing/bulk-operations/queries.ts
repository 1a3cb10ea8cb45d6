import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import { updateRows } from '../../../db/rows.ts';
import type { BulkChangesTable, BulkOperationsTable } from '../../../db/tables/tenant/bulk.ts';
import { paginate } from '../../../http/cursor.ts';
import type { BulkOperationsQuery } from './schemas.ts';

type Query = TenantDb['query'];

/** Returns a page of the operations, newest first, and one more row. */
export function listOperations({ query }: TenantDb, page: BulkOperationsQuery): Promise<BulkOperationsTable[]> {
  return paginate(query.selectFrom('bulk_operations').selectAll(), page).execute();
}

/** Records what an operation did to licenses. */
export async function insertChanges(tx: TenantTransaction, rows: readonly BulkChangesTable[]): Promise<void> {
  await insertRows(tx, 'bulk_changes', rows);
}

/** Which records of an operation are read: those after a license, in the order of the ids. */
interface ChangesPage {
  readonly operationId: string;
  readonly after: string;
  readonly limit: number;
  /** False to leave out the licenses that were refused. */
  readonly withRefusals: boolean;
}

/** Returns the next records of what an operation did to licenses. */
export function listChanges(query: Query, page: ChangesPage): Promise<BulkChangesTable[]> {
  const { operationId, after, limit, withRefusals } = page;
  return query
    .selectFrom('bulk_changes')
    .selectAll()
    .where('operation_id', '=', operationId)
    .where('license_id', '>', after)
    .$if(!withRefusals, (changes) => changes.where('refusal', 'is', null))
    .orderBy('license_id')
    .limit(limit)
    .execute();
}

/** Returns the keys of licenses, also of deleted ones, by id. */
export async function readKeys(query: Query, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await query.selectFrom('licenses').select(['id', 'key']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, key }) => [id, key]));
}

/**
 * Removes an address from the filters and reasons of all operations. They are few, and rarely name anybody. Returns the
 * ids of the operations that lost their reason.
 */
export async function eraseFromOperations(tx: TenantTransaction, email: string): Promise<string[]> {
  const address = email.toLowerCase();
  const isNamed = (text: string | null) => text?.toLowerCase().includes(address) === true;
  const rows = await tx.selectFrom('bulk_operations').select(['id', 'filter_json', 'reason']).execute();
  for (const { id, filter_json, reason } of rows) {
    if (!isNamed(filter_json) && !isNamed(reason)) continue;
    const filter = isNamed(filter_json) ? '{}' : filter_json;
    await updateRows(tx, 'bulk_operations', id, { filter_json: filter, reason: isNamed(reason) ? null : reason });
  }
  return rows.filter(({ reason }) => isNamed(reason)).map(({ id }) => id);
}

/** Where a record is among those of all operations. */
export type ChangePlace = Pick<BulkChangesTable, 'created_at' | 'operation_id' | 'license_id'>;

/** Returns the next records of all operations, oldest first. */
export function listEveryChange(
  query: Query,
  after: ChangePlace | null,
  limit: number,
): Promise<Omit<BulkChangesTable, 'refusal'>[]> {
  const { created_at, operation_id, license_id } = after ?? { created_at: '', operation_id: '', license_id: '' };
  return query
    .selectFrom('bulk_changes')
    .select(['created_at', 'operation_id', 'license_id', 'changes_json'])
    .where((eb) =>
      eb(eb.refTuple('created_at', 'operation_id', 'license_id'), '>', eb.tuple(created_at, operation_id, license_id)),
    )
    .orderBy('created_at')
    .orderBy('operation_id')
    .orderBy('license_id')
    .limit(limit)
    .execute();
}

/** Replaces what operations did to licenses. */
export async function replaceChanges(
  tx: TenantTransaction,
  rows: readonly Pick<BulkChangesTable, 'operation_id' | 'license_id' | 'changes_json'>[],
): Promise<void> {
  for (const { operation_id, license_id, changes_json } of rows) {
    const row = tx.updateTable('bulk_changes').set({ changes_json });
    await row.where('operation_id', '=', operation_id).where('license_id', '=', license_id).execute();
  }
}
