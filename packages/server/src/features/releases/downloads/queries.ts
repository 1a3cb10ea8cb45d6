import { type SqlBool, sql } from 'kysely';
import type { PreparedRead, TenantDb } from '../../../db/database.ts';
import { containsOnly } from '../../../db/dialect.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable, ProductsTable } from '../../../db/tables/tenant/policies.ts';
import type { ReleaseArtifactsTable, ReleasesTable } from '../../../db/tables/tenant/releases.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { WantedFiles } from './wanted-files.ts';

/** Everything of a license that decides which releases it permits, and where the files of its product are. */
export type LicenseRow = Pick<
  LicensesTable,
  | 'id'
  | 'product_id'
  | 'status'
  | 'created_at'
  | 'starts_at'
  | 'expires_at'
  | 'maintenance_expires_at'
  | 'entitlements_json'
> &
  Pick<PoliciesTable, 'expiry_strategy' | 'grace_days'> &
  Pick<ProductsTable, 'download_storage_json'> & {
    readonly policy_entitlements_json: string;
    readonly product_code: string;
  };

/** Reads a license that is not deleted, with its policy and product. Arguments: license key. */
export const findForReleases = licenseBy('key');

/** Does the same. Arguments: license id. */
export const findForReleasesById = licenseBy('id');

function licenseBy(column: 'key' | 'id'): PreparedRead<TenantTables, LicenseRow> {
  return {
    name: `find_for_releases_by_${column}`,
    build: (db, parameter) =>
      db
        .selectFrom('licenses')
        .innerJoin('policies', 'policies.id', 'licenses.policy_id')
        .innerJoin('products', 'products.id', 'licenses.product_id')
        .select([
          'licenses.id as id',
          'licenses.product_id as product_id',
          'licenses.status as status',
          'licenses.created_at as created_at',
          'licenses.starts_at as starts_at',
          'licenses.expires_at as expires_at',
          'licenses.maintenance_expires_at as maintenance_expires_at',
          'licenses.entitlements_json as entitlements_json',
          'policies.expiry_strategy as expiry_strategy',
          'policies.grace_days as grace_days',
          'policies.entitlements_json as policy_entitlements_json',
          'products.code as product_code',
          'products.download_storage_json as download_storage_json',
        ])
        .where(`licenses.${column}`, '=', parameter(0))
        .where('licenses.deleted_at', 'is', null),
  };
}

/** Which releases of a product are meant. */
export interface Wanted {
  readonly productId: string;
  readonly channels: readonly string[];
  readonly files: WantedFiles;
}

/** What a license permits: `permission.ts` is the rule, this finds what it permits without reading every release. */
export interface Permitted {
  readonly maintainedUntil: Timestamp | null;
  readonly entitlements: readonly string[];
}

type Query = TenantDb['query'];

function newestIn(query: Query, { productId, files }: Wanted, channel: string, permitted: Permitted | undefined) {
  let rows = query
    .selectFrom('releases as newest')
    .select('newest.id')
    .where('newest.product_id', '=', productId)
    .where('newest.status', '=', 'published')
    .where('newest.channel', '=', channel);
  if (permitted !== undefined) rows = rows.where(isPermitted(query, 'newest', permitted));
  rows = rows.where(({ exists }) =>
    exists(fileOf(query, files).select('release_artifacts.id').where('release_id', '=', sql.ref<string>('newest.id'))),
  );
  return rows.orderBy('newest.version_sort', 'desc').limit(1);
}

function isPermitted(query: Query, table: string, { maintainedUntil, entitlements }: Permitted) {
  const isGranted = containsOnly(query, `${table}.minimum_entitlements_json`, entitlements);
  if (maintainedUntil === null) return isGranted;
  return sql<SqlBool>`(${sql.ref(`${table}.released_at`)} <= ${maintainedUntil} and ${isGranted})`;
}

function fileOf(query: Query, { platforms, archs, signed }: WantedFiles) {
  let files = query.selectFrom('release_artifacts').where('platform', 'in', platforms);
  if (archs !== undefined) files = files.where('arch', 'in', archs);
  return signed === undefined ? files : files.where('signature', 'is not', null);
}

/**
 * Returns the newest published release of each channel, and with `permitted` also the newest one that it permits; newest
 * version first. Each is one step in an index.
 */
export async function findCandidates(
  query: Query,
  wanted: Wanted,
  permitted: Permitted | undefined,
): Promise<ReleasesTable[]> {
  const questions = permitted === undefined ? [undefined] : [undefined, permitted];
  const ids = wanted.channels.flatMap((channel) =>
    questions.map((question) => newestIn(query, wanted, channel, question).$asScalar()),
  );
  const rows = query.selectFrom('releases').selectAll().where('id', 'in', ids);
  return await rows.orderBy('version_sort', 'desc').execute();
}

/** Returns the newest published releases of a product, in every channel; with `permitted` the newest that it permits. */
export async function listPublished(
  query: Query,
  productId: string,
  limit: number,
  permitted?: Permitted,
): Promise<ReleasesTable[]> {
  let rows = query.selectFrom('releases').selectAll();
  rows = rows.where('product_id', '=', productId).where('status', '=', 'published');
  if (permitted !== undefined) rows = rows.where(isPermitted(query, 'releases', permitted));
  return await rows.orderBy('version_sort', 'desc').limit(limit).execute();
}

/** Returns the files of a release that are meant, in their order. */
export async function listFiles(query: Query, releaseId: string, files: WantedFiles): Promise<ReleaseArtifactsTable[]> {
  return await fileOf(query, files).selectAll().where('release_id', '=', releaseId).orderBy('position').execute();
}

/** A file with what decides who may have its release. */
export type FileRow = ReleaseArtifactsTable &
  Pick<ReleasesTable, 'product_id' | 'channel' | 'status' | 'released_at' | 'minimum_entitlements_json'>;

/** Reads a file of a release. Arguments: id of the file, id of the release. */
export const findFile: PreparedRead<TenantTables, FileRow> = {
  name: 'find_release_file',
  build: (db, parameter) =>
    db
      .selectFrom('release_artifacts')
      .innerJoin('releases', 'releases.id', 'release_artifacts.release_id')
      .selectAll('release_artifacts')
      .select([
        'releases.product_id as product_id',
        'releases.channel as channel',
        'releases.status as status',
        'releases.released_at as released_at',
        'releases.minimum_entitlements_json as minimum_entitlements_json',
      ])
      .where('release_artifacts.id', '=', parameter(0))
      .where('release_artifacts.release_id', '=', parameter(1)),
};

/** Counts a download of a release on a day. */
export async function countDownload(query: Query, releaseId: string, day: string): Promise<void> {
  await query
    .insertInto('release_downloads')
    .values({ release_id: releaseId, day, count: 1 })
    .onConflict((conflict) =>
      conflict.columns(['release_id', 'day']).doUpdateSet((eb) => ({ count: eb('release_downloads.count', '+', 1) })),
    )
    .execute();
}

/** Inserts how often the files of a release were downloaded on days without a count. */
export async function insertDownloads(
  query: Query,
  releaseId: string,
  counts: readonly { readonly day: string; readonly count: number }[],
): Promise<void> {
  await query
    .insertInto('release_downloads')
    .values(counts.map((count) => ({ release_id: releaseId, ...count })))
    .execute();
}
