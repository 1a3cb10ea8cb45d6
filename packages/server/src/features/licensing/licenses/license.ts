import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { validationError } from '../../../lib/error.ts';
import { presentGrants, type StoredGrant } from '../entitlements/grants.ts';
import { deriveStatus } from './license-status.ts';
import type { CountedLicense, DetailedLicense } from './queries.ts';
import type { License, LicenseDetails, UpdateLicense } from './schemas.ts';
import type { LicenseValidations } from './validations.ts';

/** The job kind of the job that publishes `license.expired`. */
export const expiredJobKind = 'expired';

/** Returns the API representation of a license at `now`, with a `last_validated_at` that may not be stored yet. */
export function presentLicense(
  row: CountedLicense,
  now: Timestamp,
  validations: Pick<LicenseValidations, 'newest'>,
): License {
  return {
    ...licenseState(row),
    id: row.id,
    product_id: row.product_id,
    key: row.key,
    status: deriveStatus(row, now),
    activations_count: row.activations_count,
    deactivations_count: row.deactivations_count,
    last_validated_at: validations.newest(row.id, row.last_validated_at),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** Returns the API representation of a license together with what applies to it from its product and policy. */
export function presentLicenseDetails(
  row: DetailedLicense,
  now: Timestamp,
  validations: Pick<LicenseValidations, 'newest'>,
): LicenseDetails {
  const { product_name, policy_name, max_activations, policy_max_activations } = row;
  const activations_limit = max_activations ?? policy_max_activations;
  return { ...presentLicense(row, now, validations), product_name, policy_name, activations_limit };
}

type Override = License['entitlements'][number];

/** The changes to a license. Its entitlements are in their stored form, but their dates are as the caller sent them. */
export type LicenseChangeInput = Omit<UpdateLicense, 'entitlements'> & {
  readonly entitlements?: readonly StoredGrant<Override>[];
};

function parseOverrides(json: string): StoredGrant<Override>[] {
  return JSON.parse(json);
}

/**
 * Returns the fields that the vendor controls, in the API representation. The audit log records their changes. Every
 * validation calls this function, and most licenses have no overrides and no metadata, so both skip JSON parsing then.
 */
export function licenseState(row: LicensesTable) {
  return {
    policy_id: row.policy_id,
    status: row.status,
    holder: { name: row.holder_name, email: row.holder_email, reference: row.holder_reference },
    starts_at: row.starts_at,
    expires_at: row.expires_at,
    maintenance_expires_at: row.maintenance_expires_at,
    max_activations: row.max_activations,
    entitlements: row.entitlements_json === '[]' ? [] : presentGrants(parseOverrides(row.entitlements_json)),
    metadata: row.metadata_json === '{}' ? {} : (JSON.parse(row.metadata_json) as License['metadata']),
  };
}

/** The fields whose changes the audit log records. */
export const auditedLicenseFields = [
  'policy_id',
  'status',
  'holder',
  'starts_at',
  'expires_at',
  'maintenance_expires_at',
  'max_activations',
  'entitlements',
  'metadata',
] as const;

function changedDate(input: string | null | undefined, current: Timestamp | null): Timestamp | null {
  if (input === undefined) return current;
  return input === null ? null : toStoredTimestamp(input);
}

function applyHolder(row: LicensesTable, holder: UpdateLicense['holder']) {
  if (holder === null) return { holder_name: null, holder_email: null, holder_reference: null };
  return {
    holder_name: holder?.name === undefined ? row.holder_name : holder.name,
    holder_email: holder?.email === undefined ? row.holder_email : holder.email,
    holder_reference: holder?.reference === undefined ? row.holder_reference : holder.reference,
  };
}

function storedEntitlements(entitlements: readonly StoredGrant<Override>[]): string {
  const stored = entitlements.map((entitlement) =>
    entitlement.expires_at == null
      ? entitlement
      : { ...entitlement, expires_at: toStoredTimestamp(entitlement.expires_at) },
  );
  return JSON.stringify(stored);
}

/**
 * Returns a copy of the row with the fields that `input` contains. `null` clears a nullable field, also inside
 * `holder`. Ignores `policy_id`, which the service applies. Throws 422 when the license would not end after it starts.
 */
export function applyLicenseInput(row: LicensesTable, input: LicenseChangeInput): LicensesTable {
  const { entitlements, metadata } = input;
  const after: LicensesTable = {
    ...row,
    ...applyHolder(row, input.holder),
    starts_at: input.starts_at === undefined ? row.starts_at : toStoredTimestamp(input.starts_at),
    expires_at: changedDate(input.expires_at, row.expires_at),
    maintenance_expires_at: changedDate(input.maintenance_expires_at, row.maintenance_expires_at),
    max_activations: input.max_activations === undefined ? row.max_activations : input.max_activations,
    entitlements_json: entitlements === undefined ? row.entitlements_json : storedEntitlements(entitlements),
    metadata_json: metadata === undefined ? row.metadata_json : JSON.stringify(metadata ?? {}),
  };
  if (after.expires_at !== null && after.expires_at <= after.starts_at) {
    throw validationError({ field: 'expires_at', message: 'must be later than starts_at' });
  }
  return after;
}
