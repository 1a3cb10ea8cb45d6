import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import type {
  ReleaseArtifactsTable,
  ReleaseDownloadsTable,
  ReleasesTable,
} from '../../../db/tables/tenant/releases.ts';
import { decodeCursor, pageSize } from '../../../http/cursor.ts';
import type { ReleasesQuery } from './schemas.ts';

type Query = TenantDb['query'];

function isSortedVersion(values: readonly string[]): values is readonly [version: string] {
  return values.length === 1 && /^[0-9A-Za-z!~-]+$/.test(values[0] ?? '');
}

/** Returns one page of the releases of a product and one row more, newest version first. */
export async function listReleases(
  { query }: TenantDb,
  productId: string,
  filters: ReleasesQuery,
): Promise<ReleasesTable[]> {
  let rows = query.selectFrom('releases').selectAll().where('product_id', '=', productId);
  if (filters.status !== undefined) rows = rows.where('status', '=', filters.status);
  if (filters.channel !== undefined) rows = rows.where('channel', '=', filters.channel);
  if (filters.cursor !== undefined) {
    rows = rows.where('version_sort', '<', decodeCursor(filters.cursor, isSortedVersion)[0]);
  }
  return await rows
    .orderBy('version_sort', 'desc')
    .limit(pageSize(filters) + 1)
    .execute();
}

/** Returns the release of the product with this id, or undefined. */
export function findRelease(query: Query, productId: string, id: string): Promise<ReleasesTable | undefined> {
  const rows = query.selectFrom('releases').selectAll().where('id', '=', id).where('product_id', '=', productId);
  return rows.executeTakeFirst();
}

/** Reads a release and locks its row until the transaction ends. */
export function lockRelease(tx: TenantTransaction, productId: string, id: string): Promise<ReleasesTable | undefined> {
  const rows = tx.selectFrom('releases').selectAll().where('id', '=', id).where('product_id', '=', productId);
  return forUpdate(tx, rows).executeTakeFirst();
}

/** Returns the files of these releases, those of each release in their order. */
export async function listArtifacts(query: Query, releaseIds: readonly string[]): Promise<ReleaseArtifactsTable[]> {
  if (releaseIds.length === 0) return [];
  const files = query.selectFrom('release_artifacts').selectAll().where('release_id', 'in', releaseIds);
  return await files.orderBy('release_id').orderBy('position').execute();
}

/** Deletes a release, which has no downloads because it was never published, and its files. */
export async function deleteReleaseRow(tx: TenantTransaction, id: string): Promise<void> {
  await replaceArtifacts(tx, id, []);
  await tx.deleteFrom('releases').where('id', '=', id).execute();
}

/** Replaces all files of a release. */
export async function replaceArtifacts(
  tx: TenantTransaction,
  releaseId: string,
  files: readonly ReleaseArtifactsTable[],
): Promise<void> {
  await tx.deleteFrom('release_artifacts').where('release_id', '=', releaseId).execute();
  await insertRows(tx, 'release_artifacts', files);
}

/** Returns the number of downloads of each of these releases that has any. */
export async function sumDownloads(query: Query, releaseIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (releaseIds.length === 0) return new Map();
  const sums = await query
    .selectFrom('release_downloads')
    .select(({ fn }) => ['release_id', fn.sum<number>('count').as('count')])
    .where('release_id', 'in', releaseIds)
    .groupBy('release_id')
    .execute();
  return new Map(sums.map(({ release_id, count }) => [release_id, Number(count)]));
}

/** Returns the days with downloads of a release, oldest first, at most the newest `limit` of them. */
export async function listDownloads(
  { query }: TenantDb,
  releaseId: string,
  { from, to, limit }: { readonly from: string; readonly to: string; readonly limit: number },
): Promise<Pick<ReleaseDownloadsTable, 'day' | 'count'>[]> {
  const days = await query
    .selectFrom('release_downloads')
    .select(['day', 'count'])
    .where('release_id', '=', releaseId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .orderBy('day', 'desc')
    .limit(limit)
    .execute();
  return days.reverse();
}
