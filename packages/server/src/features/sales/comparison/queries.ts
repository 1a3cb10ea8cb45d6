import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { updateRows } from '../../../db/rows.ts';
import type { ComparisonDifferencesTable, ComparisonsTable } from '../../../db/tables/tenant/sales.ts';
import { paginate } from '../../../http/cursor.ts';
import { batchesOf } from '../../../lib/batches.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { ComparisonsQuery, DifferencesQuery } from './schemas.ts';

type Query = TenantDb['query'];

/** Inserts a comparison. Returns false if one of the connection is running. */
export async function insertComparison(tx: TenantTransaction, row: ComparisonsTable): Promise<boolean> {
  const running = await tx
    .selectFrom('comparisons')
    .select('id')
    .where('connection_id', '=', row.connection_id)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  if (running !== undefined) return false;
  await tx.insertInto('comparisons').values(row).execute();
  return true;
}

/** Returns a page of the comparisons of a connection. */
export function listComparisons(
  { query }: TenantDb,
  connectionId: string,
  page: ComparisonsQuery,
): Promise<ComparisonsTable[]> {
  const rows = query.selectFrom('comparisons').selectAll().where('connection_id', '=', connectionId);
  return paginate(rows, page).execute();
}

/** Returns when the latest comparison of a connection began; null if there is none. */
export async function latestComparison(query: Query, connectionId: string): Promise<Timestamp | null> {
  const row = await query
    .selectFrom('comparisons')
    .select('created_at')
    .where('connection_id', '=', connectionId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.created_at ?? null;
}

/** Returns a page of the differences of a comparison. */
export function listDifferences(
  { query }: TenantDb,
  comparisonId: string,
  { state, ...page }: DifferencesQuery,
): Promise<ComparisonDifferencesTable[]> {
  let rows = query.selectFrom('comparison_differences').selectAll().where('comparison_id', '=', comparisonId);
  if (state !== undefined) rows = rows.where('state', '=', state);
  return paginate(rows, page).execute();
}

/** Returns the differences of a comparison for these sales. */
export async function findDifferencesOf(
  query: Query,
  comparisonId: string,
  saleIds: readonly string[],
): Promise<ComparisonDifferencesTable[]> {
  if (saleIds.length === 0) return [];
  return await query
    .selectFrom('comparison_differences')
    .selectAll()
    .where('comparison_id', '=', comparisonId)
    .where('sale_external_id', 'in', saleIds)
    .execute();
}

/** Returns the open differences of a comparison after the one with the id `after`, in the order of their ids. */
export async function listOpenAfter(
  query: Query,
  comparisonId: string,
  after: string,
  limit: number,
): Promise<ComparisonDifferencesTable[]> {
  return await query
    .selectFrom('comparison_differences')
    .selectAll()
    .where('comparison_id', '=', comparisonId)
    .where('state', '=', 'open')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/**
 * Inserts the differences of a page, or replaces what an earlier page of the comparison said of a sale. Returns how many sales
 * had none. The caller must have locked the comparison.
 */
export async function writeDifferences(
  tx: TenantTransaction,
  comparisonId: string,
  rows: readonly ComparisonDifferencesTable[],
): Promise<number> {
  const present = await findDifferencesOf(
    tx,
    comparisonId,
    rows.map((row) => row.sale_external_id),
  );
  const idOf = new Map(present.map((row) => [row.sale_external_id, row.id]));
  const added = rows.filter((row) => !idOf.has(row.sale_external_id));
  for (const batch of batchesOf(added, rowsPerStatement)) {
    await tx.insertInto('comparison_differences').values(batch).execute();
  }
  for (const row of rows) {
    const id = idOf.get(row.sale_external_id);
    if (id !== undefined) await updateRows(tx, 'comparison_differences', id, { ...row, id });
  }
  return added.length;
}

const rowsPerStatement = 50;

/** Ends the comparisons of connections that were deleted or disabled meanwhile. */
export async function endOrphans(query: Query, at: Timestamp, reason: string): Promise<void> {
  const active = query
    .selectFrom('connections')
    .select('id')
    .where('status', '=', 'active')
    .where('deleted_at', 'is', null);
  await query
    .updateTable('comparisons')
    .set({ state: 'failed', reason, ended_at: at, continues_at: null })
    .where('continues_at', 'is not', null)
    .where('connection_id', 'not in', active)
    .execute();
}
