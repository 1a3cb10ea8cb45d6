import type { License, UpdateLicense } from '../../api/licenses.ts';
import { expiryText } from '../../components/ExpiryInput.tsx';
import { parseJsonField } from '../../components/JsonEditor.tsx';
import { type LicenseFieldName, licenseFieldList, licenseFields } from './fields.ts';

/** One override of an entitlement in the form. Empty texts mean "as in the policy". */
export interface OverrideValues {
  readonly code: string;
  readonly value: string;
  readonly limit: number | string;
  readonly expires_at: string;
  /** The override as it is stored; absent for a new one. Fields that the form does not show stay as they are. */
  readonly stored?: License['entitlements'][number];
}

type FieldValues = Readonly<Record<LicenseFieldName, number | string>>;

/** The fields of a license that its form has. Dates are local times as `datetime-local` writes them. */
export interface LicenseValues extends Record<string, unknown>, FieldValues {
  readonly holder: { readonly name: string; readonly email: string; readonly reference: string };
  readonly starts_at: string;
  readonly entitlements: OverrideValues[];
  readonly metadata: string;
}

function fieldValues(initialOf: (name: LicenseFieldName) => number | string): FieldValues {
  return Object.fromEntries(licenseFieldList.map(([name]) => [name, initialOf(name)])) as FieldValues;
}

/** The values of a new license. */
export const emptyValues: LicenseValues = {
  holder: { name: '', email: '', reference: '' },
  ...fieldValues(() => ''),
  starts_at: '',
  entitlements: [],
  metadata: '',
};

/** Returns a timestamp as the local time of a `datetime-local` field, to the minute. */
function toLocal(timestamp: string | null): string {
  return timestamp === null ? '' : expiryText(timestamp);
}

function fromLocal(local: string): string | null {
  return local === '' ? null : new Date(local).toISOString();
}

/** Returns the values of an existing license. */
export function valuesOf(license: License): LicenseValues {
  const { holder, metadata } = license;
  return {
    holder: { name: holder.name ?? '', email: holder.email ?? '', reference: holder.reference ?? '' },
    ...fieldValues((name) => {
      const value = license[name];
      return licenseFields[name].kind === 'date' && value !== null ? toLocal(String(value)) : (value ?? '');
    }),
    starts_at: toLocal(license.starts_at),
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

/** Returns the value of an optional field in a request; null for an empty input. */
const inputParsers = {
  text: (value: number | string) => textOrNull(String(value)),
  integer: (value: number | string) => (typeof value === 'number' ? value : null),
  date: (value: number | string) => fromLocal(String(value)),
};

/** Returns the fields of the request that differ between `values` and `before`, so that nothing else changes. */
export function changesOf(values: LicenseValues, before: LicenseValues): UpdateLicense {
  const differs = (name: keyof LicenseValues) => JSON.stringify(values[name]) !== JSON.stringify(before[name]);
  const { holder } = values;
  return {
    ...(differs('holder') && {
      holder: {
        name: textOrNull(holder.name),
        email: textOrNull(holder.email),
        reference: textOrNull(holder.reference),
      },
    }),
    ...(differs('starts_at') && values.starts_at !== '' && { starts_at: new Date(values.starts_at).toISOString() }),
    ...Object.fromEntries(
      licenseFieldList.flatMap(([name, { kind }]) =>
        differs(name) ? [[name, inputParsers[kind](values[name])] as const] : [],
      ),
    ),
    ...(differs('entitlements') && { entitlements: values.entitlements.map(overrideOf) }),
    ...(differs('metadata') && { metadata: parseJsonField(values.metadata) }),
  };
}

/** Client-side validation of the form. */
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
