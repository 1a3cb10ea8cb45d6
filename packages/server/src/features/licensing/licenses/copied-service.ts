import type { Kysely } from 'kysely';
import type { TenantTransaction } from '../../../db/database.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { changedFields, recordAudits } from '../../tenant-core/audit/audit.ts';
import type { Outbox } from '../../tenant-core/events/outbox.ts';
import type { Grant } from '../entitlements/grants.ts';
import { replaceReferences } from '../entitlements/service.ts';
import { auditedLicenseFields, licenseState } from './license.ts';
import { holdPolicies } from './policy-change-service.ts';
import { findKeyOwners, findLicensesById, updateLicenseRow } from './queries.ts';
import { auditOf, issueLicenses, presentAll } from './service.ts';

/** How copied licenses are written. */
export interface CopyOptions {
  readonly actor: Actor;
  readonly at: Timestamp;
  /** True to publish events. A copy of history normally publishes no events, because nothing happened now. */
  readonly publishes: boolean;
}

/** Returns the ids of the licenses that have these keys, by key. */
export function readKeyOwners(db: Kysely<TenantTables>, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return findKeyOwners(db, keys);
}

/** Returns the licenses with these ids that are not deleted, by id; locks them in a transaction if `isLocking`. */
export function readLicenses(
  db: Kysely<TenantTables>,
  ids: readonly string[],
  isLocking: boolean,
): Promise<ReadonlyMap<string, LicensesTable>> {
  return findLicensesById(db, ids, isLocking);
}

/**
 * Returns a new license as a copy of one that already existed elsewhere. If it has ended, its end counts as reported:
 * it did not happen now.
 */
export function asCopy(
  row: LicensesTable,
  { status, created_at, last_validated_at }: Pick<LicensesTable, 'status' | 'created_at' | 'last_validated_at'>,
  at: Timestamp,
): LicensesTable {
  const endedAt = row.expires_at !== null && row.expires_at <= at ? row.expires_at : null;
  const noted = { expired_noted_for: endedAt, expiring_noted_for: endedAt };
  return { ...row, status, created_at, last_validated_at, ...noted };
}

/** Inserts copied licenses as `issueLicenses` does. The caller must call `reserveQuota` at the end. */
export async function issueCopies(
  services: Services,
  tx: TenantTransaction,
  outbox: Outbox,
  rows: readonly LicensesTable[],
  { actor, at, publishes }: CopyOptions,
): Promise<void> {
  if (rows.length > 0) await issueLicenses(services, tx, outbox, actor, rows, at, publishes);
}

/** The old and the new row of a license. */
export interface LicenseReplacement {
  readonly before: LicensesTable;
  readonly after: LicensesTable;
}

/** Replaces the rows of licenses that the transaction has locked, with references, search terms and audit records. */
export async function replaceCopies(
  services: Services,
  tx: TenantTransaction,
  outbox: Outbox,
  replacements: readonly LicenseReplacement[],
  { actor, at, publishes }: CopyOptions,
): Promise<void> {
  if (replacements.length === 0) return;
  for (const { before, after } of replacements) {
    await updateLicenseRow(tx, { ...after, updated_at: at });
    const policies = await holdPolicies(tx, before, after);
    const change = policies && { ...policies, licenseId: after.id, at };
    if (change !== null) await services.licenseDependents.changeLease(tx, outbox, change);
    if (before.entitlements_json !== after.entitlements_json)
      await replaceReferences(tx, after.id, JSON.parse(after.entitlements_json) as Grant[]);
  }
  const entries = replacements.map(({ before, after }) => {
    const changes = changedFields(licenseState(before), licenseState(after), auditedLicenseFields);
    return { ...auditOf(after.id, 'LICENSE.UPDATED'), changes, at };
  });
  await recordAudits(tx, actor, entries);
  if (!publishes) return;
  const ids = replacements.map(({ after }) => after.id);
  const data = () => presentAll(services, tx, ids, at);
  await outbox.recordAll({ type: 'license.updated', data, requestId: actor.requestId, at });
}
