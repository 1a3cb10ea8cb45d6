import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import { batchesOf } from '../../../lib/batches.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { type AuditEntry, changedFields, recordAudits } from '../../tenant-core/audit/audit.ts';
import type { Outbox } from '../../tenant-core/events/outbox.ts';
import type { LicenseDetails } from './details-schemas.ts';
import {
  findHolderLicenses,
  type HolderColumns,
  type LicensePlace,
  listDetailsOfHolder,
  listHolderPage,
  updateHolderRows,
} from './holder-queries.ts';
import { auditedLicenseFields, licenseState, presentLicense, presentLicenseDetails } from './license.ts';
import type { License } from './schemas.ts';
import { auditOf, presentAll } from './service.ts';

export type { HolderColumns, LicensePlace } from './holder-queries.ts';
export { lockLicensesOfHolder } from './holder-queries.ts';

/** Returns the newest `limit` licenses of an address, compared without case. Deleted licenses are omitted. */
export async function readLicensesOfHolder(
  { clock, validationTimes }: Services,
  db: TenantDb,
  email: string,
  limit: number,
): Promise<LicenseDetails[]> {
  const now = clock.now();
  const rows = await listDetailsOfHolder(db, email, limit, now);
  return rows.map((row) => presentLicenseDetails(row, now, validationTimes));
}

/** Licenses that are read at once. */
const pageSize = 500;

/** Returns the ids of all licenses of an address, also of deleted ones. */
export async function readIdsOfHolder({ query }: TenantDb, email: string): Promise<string[]> {
  const ids: string[] = [];
  for (const deleted of [false, true]) {
    for (let after: LicensePlace | null = null; ; ) {
      const page: LicensePlace[] = await listHolderPage(query, email, { deleted, after, limit: pageSize });
      for (const { id } of page) ids.push(id);
      after = page.at(-1) ?? null;
      if (page.length < pageSize) break;
    }
  }
  return ids;
}

/** Returns true if an address has other licenses than these, also deleted ones. */
export async function hasOtherLicenses(tx: TenantTransaction, email: string, ids: readonly string[]): Promise<boolean> {
  for (const deleted of [false, true]) {
    const page = await listHolderPage(tx, email, { deleted, after: null, limit: ids.length + 1 });
    if (page.some(({ id }) => !ids.includes(id))) return true;
  }
  return false;
}

/** Returns the next licenses of an address that are not deleted, oldest first. */
export function readPageOfHolder(
  { query }: TenantDb,
  email: string,
  page: { readonly after: LicensePlace | null; readonly limit: number },
): Promise<LicensePlace[]> {
  return listHolderPage(query, email, { ...page, deleted: false });
}

/** Returns every license of an address for an export of personal data, with `deleted_at`. Activations are not counted. */
export async function readEveryLicenseOfHolder(
  { clock, validationTimes }: Services,
  db: TenantDb,
  email: string,
): Promise<(Omit<License, 'activations_count'> & { readonly deleted_at: Timestamp | null })[]> {
  const now = clock.now();
  const licenses = [];
  for (const ids of batchesOf((await readIdsOfHolder(db, email)).sort(), pageSize)) {
    for (const row of await findHolderLicenses(db.query, ids)) {
      const { activations_count: _uncounted, ...license } = presentLicense(
        { ...row, activations_count: 0 },
        now,
        validationTimes,
      );
      licenses.push({ ...license, deleted_at: row.deleted_at });
    }
  }
  return licenses;
}

interface HolderChange {
  readonly tx: TenantTransaction;
  readonly outbox: Outbox;
  readonly actor: Actor;
  readonly at: Timestamp;
}

/**
 * Sets fields of the holder in licenses that the transaction has locked, with an audit record and an event for each
 * license that it changes. Returns how many it changed.
 */
export async function changeHolder(
  services: Services,
  { tx, outbox, actor, at }: HolderChange,
  licenses: readonly LicensesTable[],
  columns: HolderColumns,
): Promise<number> {
  const changed = licenses.filter((row) => differs(row, columns));
  if (changed.length === 0) return 0;
  await updateHolderRows(tx, changed, columns, at);
  const entries = changed.map((before): AuditEntry => {
    const changes = changedFields(licenseState(before), licenseState({ ...before, ...columns }), auditedLicenseFields);
    return { ...auditOf(before.id, 'LICENSE.UPDATED'), changes, at };
  });
  await recordAudits(tx, actor, entries);
  await publishChange(services, { tx, outbox, actor, at }, changed);
  return changed.length;
}

/**
 * Removes the holder from licenses that the transaction has locked, deleted ones included. The licenses keep working.
 * The audit records say that the holder was erased, and not who it was.
 */
export async function eraseHolder(
  services: Services,
  { tx, outbox, actor, at }: HolderChange,
  licenses: readonly LicensesTable[],
): Promise<void> {
  await updateHolderRows(
    tx,
    licenses,
    { holder_name: null, holder_email: null, holder_reference: null, status_reason: null },
    at,
  );
  const entries = licenses.map((row): AuditEntry => ({ ...auditOf(row.id, 'LICENSE.HOLDER_ERASED'), at }));
  await recordAudits(tx, actor, entries);
  await publishChange(services, { tx, outbox, actor, at }, licenses);
}

/** Publishes `license.updated` for each of the licenses that is not deleted. */
async function publishChange(
  services: Services,
  { tx, outbox, actor, at }: HolderChange,
  licenses: readonly LicensesTable[],
): Promise<void> {
  const ids = licenses.filter(({ deleted_at }) => deleted_at === null).map(({ id }) => id);
  if (ids.length === 0) return;
  const data = () => presentAll(services, tx, ids, at);
  await outbox.recordAll({ type: 'license.updated', data, requestId: actor.requestId, at });
}

function differs(row: LicensesTable, columns: HolderColumns): boolean {
  return Object.entries(columns).some(([column, value]) => row[column as keyof HolderColumns] !== value);
}
