import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { validationError } from '../../../lib/error.ts';
import { presentGrants, type StoredGrant } from '../entitlements/grants.ts';
import { holderColumns, type NullableName, nullableColumns, nullableNames } from './columns.ts';
import type { LicenseDetails } from './details-schemas.ts';
import { deriveStatus } from './license-status.ts';
import type { CountedLicense, DetailedLicense } from './queries.ts';
import type { License, UpdateLicense } from './schemas.ts';
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
    status_reason: row.status_reason,
    batch_id: row.batch_id,
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
  const { product_name, policy_name, max_activations, policy_max_activations, refused_since } = row;
  const activations_limit = max_activations ?? policy_max_activations;
  const license = presentLicense(row, now, validations);
  const pending_term = pendingTerm(row, license.last_validated_at);
  return { ...license, product_name, policy_name, activations_limit, pending_term, refused_since };
}

/** Returns the term that begins with the first validation or activation; null if it has begun, or if none begins. */
function pendingTerm(
  row: DetailedLicense,
  validatedAt: Timestamp | null,
): Exclude<LicenseDetails['pending_term'], undefined> {
  const { policy_expiry_basis: begins_with } = row;
  const { policy_duration_days: duration_days, policy_duration_months: duration_months } = row;
  const isEndless = duration_days === null && duration_months === null;
  if (row.expires_at !== null || isEndless || begins_with === 'creation') return null;
  const hasBegun = begins_with === 'first_validation' ? validatedAt !== null : row.first_activation_id !== null;
  return hasBegun ? null : { begins_with, duration_days, duration_months };
}

/** An override of an entitlement, as the API shows it. */
export type Override = License['entitlements'][number];

/** The changes to a license. Its entitlements are in their stored form, but their dates are as the caller sent them. */
export type LicenseChangeInput = Omit<UpdateLicense, 'entitlements' | 'notify_holder'> & {
  readonly entitlements?: readonly StoredGrant<Override>[];
};

/** Returns the overrides of a license in their stored form. */
export function storedGrants({ entitlements_json }: Pick<LicensesTable, 'entitlements_json'>): StoredGrant<Override>[] {
  return parseOverrides(entitlements_json);
}

function parseOverrides(json: string): StoredGrant<Override>[] {
  return JSON.parse(json);
}

/** Returns the fields of `nullableColumns`. */
function nullableFields(row: Pick<LicensesTable, NullableName>): Pick<LicensesTable, NullableName> {
  const fields: Partial<Record<NullableName, unknown>> = {};
  for (const name of nullableNames) fields[name] = row[name];
  return fields as Pick<LicensesTable, NullableName>;
}

function holderOf(row: LicensesTable): License['holder'] {
  const holder: Partial<Record<keyof License['holder'], string | null>> = {};
  for (const { column, name } of holderColumns) holder[name] = row[column];
  return holder as License['holder'];
}

/**
 * Returns the fields that the vendor controls, in the API representation. The audit log records their changes. Every
 * validation calls this function, and most licenses have no overrides and no metadata, so both skip JSON parsing then.
 */
export function licenseState(row: LicensesTable) {
  return {
    policy_id: row.policy_id,
    status: row.status,
    holder: holderOf(row),
    starts_at: row.starts_at,
    ...nullableFields(row),
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
  ...nullableNames,
  'entitlements',
  'metadata',
] as const;

/** The columns that are null in a license for which nothing was set. */
export const emptyColumns = Object.fromEntries(
  [...holderColumns.map(({ column }) => column), ...nullableNames].map((name) => [name, null]),
) as { readonly [Name in NullableName | (typeof holderColumns)[number]['column']]: null };

/** Returns the columns of the nullable fields and of the holder that `input` contains. */
function changedColumns({ holder, ...input }: LicenseChangeInput): Partial<LicensesTable> {
  const changed: Partial<Record<keyof LicensesTable, unknown>> = {};
  for (const name of nullableNames) {
    const value = input[name];
    if (value === undefined) continue;
    const isDate = nullableColumns[name].kind === 'date';
    changed[name] = isDate && typeof value === 'string' ? toStoredTimestamp(value) : value;
  }
  for (const { column, name } of holderColumns) {
    const value = holder === null ? null : holder?.[name];
    if (value !== undefined) changed[column] = value;
  }
  return changed as Partial<LicensesTable>;
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
    ...changedColumns(input),
    starts_at: input.starts_at === undefined ? row.starts_at : toStoredTimestamp(input.starts_at),
    entitlements_json: entitlements === undefined ? row.entitlements_json : storedEntitlements(entitlements),
    metadata_json: metadata === undefined ? row.metadata_json : JSON.stringify(metadata ?? {}),
  };
  if (after.expires_at !== null && after.expires_at <= after.starts_at) {
    throw validationError({ field: 'expires_at', message: 'Choose a time after the start.' });
  }
  return after;
}
