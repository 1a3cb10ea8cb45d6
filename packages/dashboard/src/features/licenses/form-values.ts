import type { License, UpdateLicense } from '../../api/licenses.ts';
import { parseJsonField } from '../../components/JsonEditor.tsx';

/** One override of an entitlement in the form. Empty texts mean "as in the policy". */
export interface OverrideValues {
  readonly code: string;
  readonly value: string;
  readonly limit: number | string;
  readonly expires_at: string;
  /** The override as it is stored; absent for a new one. Fields that the form does not show stay as they are. */
  readonly stored?: License['entitlements'][number];
}

/** The fields of a license that its form has. Dates are local times as `datetime-local` writes them. */
export interface LicenseValues extends Record<string, unknown> {
  readonly holder: { readonly name: string; readonly email: string; readonly reference: string };
  readonly starts_at: string;
  readonly expires_at: string;
  readonly maintenance_expires_at: string;
  readonly max_activations: number | string;
  readonly entitlements: OverrideValues[];
  readonly metadata: string;
}

/** The values of a new license. */
export const emptyValues: LicenseValues = {
  holder: { name: '', email: '', reference: '' },
  starts_at: '',
  expires_at: '',
  maintenance_expires_at: '',
  max_activations: '',
  entitlements: [],
  metadata: '',
};

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

/** Returns a timestamp as the local time of a `datetime-local` field, to the second. */
function toLocal(timestamp: string | null): string {
  if (timestamp === null) return '';
  const date = new Date(timestamp);
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day}T${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

function fromLocal(local: string): string | null {
  return local === '' ? null : new Date(local).toISOString();
}

/** Returns the values of an existing license. */
export function valuesOf(license: License): LicenseValues {
  const { holder, metadata } = license;
  return {
    holder: { name: holder.name ?? '', email: holder.email ?? '', reference: holder.reference ?? '' },
    starts_at: toLocal(license.starts_at),
    expires_at: toLocal(license.expires_at),
    maintenance_expires_at: toLocal(license.maintenance_expires_at),
    max_activations: license.max_activations ?? '',
    entitlements: license.entitlements.map((stored) => ({
      code: stored.code,
      value: stored.value == null ? '' : String(stored.value),
      limit: stored.limit ?? '',
      expires_at: toLocal(stored.expires_at ?? null),
      stored,
    })),
    metadata: Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata, null, 2),
  };
}

/** Returns a value as the API takes it: `true`, `false`, a number or a text. */
function valueOfText(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** A field that is empty in the form and null in the store stays null, which means "unlimited" or "no value". */
function overrideOf({ code, value, limit, expires_at, stored }: OverrideValues) {
  const { value: _value, limit: _limit, expires_at: _end, ...hidden } = stored?.code === code ? stored : { code };
  const nulls = stored?.code === code ? stored : undefined;
  return {
    ...hidden,
    code: code.trim(),
    ...(value.trim() !== '' ? { value: valueOfText(value.trim()) } : nulls?.value === null && { value: null }),
    ...(typeof limit === 'number' ? { limit } : nulls?.limit === null && { limit: null }),
    ...(expires_at !== '' && { expires_at: fromLocal(expires_at) }),
  };
}

const textOrNull = (text: string) => (text.trim() === '' ? null : text.trim());

/** Returns the fields of the request that differ between `values` and `before`, so that nothing else changes. */
export function changesOf(values: LicenseValues, before: LicenseValues): UpdateLicense {
  const differs = (name: keyof LicenseValues) => JSON.stringify(values[name]) !== JSON.stringify(before[name]);
  const { holder, max_activations } = values;
  return {
    ...(differs('holder') && {
      holder: {
        name: textOrNull(holder.name),
        email: textOrNull(holder.email),
        reference: textOrNull(holder.reference),
      },
    }),
    ...(differs('starts_at') && values.starts_at !== '' && { starts_at: new Date(values.starts_at).toISOString() }),
    ...(differs('expires_at') && { expires_at: fromLocal(values.expires_at) }),
    ...(differs('maintenance_expires_at') && { maintenance_expires_at: fromLocal(values.maintenance_expires_at) }),
    ...(differs('max_activations') && {
      max_activations: typeof max_activations === 'number' ? max_activations : null,
    }),
    ...(differs('entitlements') && { entitlements: values.entitlements.map(overrideOf) }),
    ...(differs('metadata') && { metadata: parseJsonField(values.metadata) }),
  };
}

/** The checks that the form makes before it asks the service. */
export const validations = {
  metadata: (text: string) => {
    try {
      const value: unknown = parseJsonField(text);
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'Enter a JSON object.';
    } catch {
      return 'This is not valid JSON.';
    }
  },
};
