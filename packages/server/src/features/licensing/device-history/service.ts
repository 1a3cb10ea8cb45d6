import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { findRow } from '../../../db/rows.ts';
import type { LicenseChecksTable } from '../../../db/tables/tenant/checks.ts';
import { batchesOf } from '../../../lib/batches.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { expiryRule } from '../../tenant-core/retention/retention.ts';
import { readLicenseKey } from '../licenses/service.ts';
import { deleteChecksOf, listChecks, listChecksOf, writeRefusal } from './queries.ts';
import { keptChecks, type LicenseChecksQuery } from './schemas.ts';

export { noteSeatTaken } from './queries.ts';

const idsPerStatement = 500;

/** Returns the newest checks of a license that match the filters. Throws 404 `LICENSE.NOT_FOUND`. */
export async function readChecks(
  db: TenantDb,
  licenseId: string,
  query: LicenseChecksQuery,
): Promise<LicenseChecksTable[]> {
  await readLicenseKey(db, licenseId);
  return await listChecks(db, licenseId, { limit: keptChecks, ...query });
}

/** Returns every check of these licenses, also of deleted ones. */
export async function readChecksOf(db: TenantDb, licenseIds: readonly string[]): Promise<LicenseChecksTable[]> {
  const rows: LicenseChecksTable[] = [];
  for (const ids of batchesOf(licenseIds, idsPerStatement)) rows.push(...(await listChecksOf(db, ids)));
  return rows;
}

/** Deletes every check of these licenses: it names devices and addresses of a person. */
export async function eraseChecksOf(tx: TenantTransaction, licenseIds: readonly string[]): Promise<void> {
  for (const ids of batchesOf(licenseIds, idsPerStatement)) await deleteChecksOf(tx, ids);
}

const dayOf = (at: Timestamp) => at.slice(0, 10);

/** Returns true if a refusal of a device at `at` is known and was reported on its day, so that it changes nothing. */
export async function isRefusalKnown({ query }: TenantDb, licenseId: string, at: Timestamp): Promise<boolean> {
  const refusal = await findRow(query, 'license_refusals', { license_id: licenseId });
  return refusal !== undefined && refusal.refused_since !== null && dayOf(refusal.reported_at) === dayOf(at);
}

/**
 * Notes that a device was refused because every seat is taken. Returns true if the vendor must be told: for the first
 * refusal of a license on a day (UTC). The caller must hold the license's lock.
 */
export async function noteRefusal(tx: TenantTransaction, licenseId: string, at: Timestamp): Promise<boolean> {
  const refusal = await findRow(tx, 'license_refusals', { license_id: licenseId });
  const isFirst = refusal === undefined || dayOf(refusal.reported_at) !== dayOf(at);
  const refused_since = refusal?.refused_since ?? at;
  await writeRefusal(tx, { license_id: licenseId, refused_since, reported_at: isFirst ? at : refusal.reported_at });
  return isFirst;
}

/** Deletes checks whose last request is older than `retention_days.checks`. */
export const checkRetention = expiryRule(({ now, settings }) => [
  { table: 'license_checks', order: ['last_at'], before: addDays(now, -settings.retention_days.checks) },
]);
