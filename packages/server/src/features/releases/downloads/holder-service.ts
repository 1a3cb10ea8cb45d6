import type { ReleaseArtifactsTable, ReleasesTable } from '../../../db/tables/tenant/releases.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { licenseNotFound } from '../../licensing/licenses/service.ts';
import { type ReleaseDenial, releaseDenial } from '../releases/permission.ts';
import { listFilesOf } from '../releases/service.ts';
import { findForReleasesById, listPublished } from './queries.ts';
import { subjectOf } from './service.ts';

/** How many releases a holder sees. */
const shownMax = 20;

/** A release as the holder of a license sees it. */
export interface HeldRelease {
  readonly row: ReleasesTable;
  readonly files: readonly ReleaseArtifactsTable[];
  /** Why the license does not permit the release; null: it does. */
  readonly code: ReleaseDenial | null;
}

/**
 * Returns the newest 20 published releases of the product of a license, and which of them it permits. The caller knows its
 * holder. Throws 404 `LICENSE.NOT_FOUND`.
 */
export async function listForLicense({ clock }: Services, { db }: Tenant, licenseId: string): Promise<HeldRelease[]> {
  const license = await db.first(findForReleasesById, [licenseId]);
  if (license === undefined) throw licenseNotFound();
  const rows = await listPublished(db.query, license.product_id, shownMax);
  if (rows.length === 0) return [];
  const files = await listFilesOf(db, rows);
  const subject = subjectOf(license);
  const now = clock.now();
  return rows.map((row) => ({
    row,
    files: files.get(row.id) ?? [],
    code: releaseDenial(subject, row, now),
  }));
}
