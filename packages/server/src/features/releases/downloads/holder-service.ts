import type { ReleaseArtifactsTable, ReleasesTable } from '../../../db/tables/tenant/releases.ts';
import { orThrow } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { licenseNotFound } from '../../licensing/licenses/service.ts';
import { type ReleaseDenial, releaseDenial } from '../releases/permission.ts';
import { listFilesOf } from '../releases/service.ts';
import { findForReleasesById, listPublished } from './queries.ts';
import { permissionsOf, subjectOf } from './service.ts';

/** How many of the newest releases a holder sees. */
const shownMax = 20;
/** How many older ones a holder sees when the license permits none of those. */
const olderMax = 5;

/** A release as the holder of a license sees it. */
export interface HeldRelease {
  readonly row: ReleasesTable;
  readonly files: readonly ReleaseArtifactsTable[];
  /** Why the license does not permit the release; null: it does. */
  readonly code: ReleaseDenial | null;
}

/**
 * Returns the newest 20 published releases of the product of a license, and which of them it permits; if it permits none of
 * them, also the newest five that it does. The caller knows its holder. Throws 404 `LICENSE.NOT_FOUND`.
 */
export async function listForLicense({ clock }: Services, { db }: Tenant, licenseId: string): Promise<HeldRelease[]> {
  const license = orThrow(await db.first(findForReleasesById, [licenseId]), licenseNotFound);
  const subject = subjectOf(license);
  const now = clock.now();
  const newest = await listPublished(db.query, license.product_id, shownMax);
  const mayMissOlder = newest.length === shownMax && newest.every((row) => releaseDenial(subject, row, now) !== null);
  const older = mayMissOlder
    ? await listPublished(db.query, license.product_id, olderMax, permissionsOf(subject, now))
    : [];
  const rows = [...newest, ...older.filter((row) => releaseDenial(subject, row, now) === null)];
  if (rows.length === 0) return [];
  const files = await listFilesOf(db, rows);
  return rows.map((row) => ({
    row,
    files: files.get(row.id) ?? [],
    code: releaseDenial(subject, row, now),
  }));
}
