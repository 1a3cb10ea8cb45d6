import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { storedEmail } from '../../../lib/email.ts';
import { validationError } from '../../../lib/error.ts';
import { presentGrants, type StoredGrant } from '../entitlements/grants.ts';
import { activationCapacity } from './activation-capacity.ts';
import { holderColumns, type NullableName, nullableColumns, nullableNames } from './columns.ts';
import type { LicenseDetails } from './details-schemas.ts';
import { deriveStatus } from './license-status.ts';
import { pendingTerm } from './license-term.ts';
import type { CountedLicense, DetailedLicense } from './queries.ts';
import type { License, UpdateLicense } from './schemas.ts';
import type { ValidationTimes } from './validation-times.ts';

/** The job kind of the job that publishes `license.expired`. */
export const expiredJobKind = 'expired';

/** Returns the API representation of a license at `now`, with a `last_validated_at` that may not be stored yet. */
export function presentLicense(
  row: CountedLicense,
  now: Timestamp,
  validations: Pick<ValidationTimes, 'newest'>,
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
  validations: Pick<ValidationTimes, 'newest'>,
): LicenseDetails {
  const { product_name, policy_name, refused_since } = row;
  const { limit, admitted } = activationCapacity(row, {
    max_activations: row.policy_max_activations,
    activation_overage_percent: row.policy_activation_overage_percent,
  });
  const policy = {
    expiry_basis: row.policy_expiry_basis,
    duration_days: row.policy_duration_days,
    duration_months: row.policy_duration_months,
    ends_with_month: row.policy_ends_with_month,
  };
  return {
    ...presentLicense(row, now, validations),
    product_name,
    policy_name,
    activations_limit: limit,
    activations_admitted: admitted,
    pending_term: pendingTerm(policy, row),
    refused_since,
  };
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

/** With a value for each field that columns.ts describes. */
type LicenseState = Pick<License, 'policy_id' | 'status' | 'holder' | 'starts_at' | 'metadata' | 'entitlements'> &
  Required<Pick<License, NullableName>>;

/**
 * Returns the fields that the vendor controls, in the API representation. The audit log records their changes. Every
 * validation calls this function, and most licenses have no overrides and no metadata, so both skip JSON parsing then.
 */
export function licenseState(row: LicensesTable): LicenseState {
  return {
    policy_id: row.policy_id,
    status: row.status,
    holder: { name: row.holder_name, email: row.holder_email, reference: row.holder_reference },
    starts_at: row.starts_at,
    expires_at: row.expires_at,
    maintenance_expires_at: row.maintenance_expires_at,
    max_activations: row.max_activations,
    order_number: row.order_number,
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
    if (value !== undefined) changed[column] = name === 'email' && value != null ? storedEmail(value) : value;
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
