import type { License, UpdateLicense } from '../../api/licenses.ts';

/** An optional field of a license, as the form, the page, the list and the template of an import show it. */
export interface LicenseField {
  readonly kind: 'text' | 'integer' | 'date';
  /** The label in the form. */
  readonly label: string;
  readonly description?: string;
  /** The label on the page of a license; absent if the page shows the field in another way. */
  readonly fact?: string;
  /** Whether the list can be filtered by a complete value. The service must have the same filter. */
  readonly isFilter?: boolean;
  /** Whether the template of an import has the column. */
  readonly isInTemplate?: boolean;
}

/** The optional fields, in the order of the form. */
export const licenseFields = {
  expires_at: { kind: 'date', label: 'Expires at', fact: 'Expires', isInTemplate: true },
  maintenance_expires_at: { kind: 'date', label: 'Maintenance expires at', fact: 'Maintenance expires' },
  max_activations: { kind: 'integer', label: 'Devices', isInTemplate: true },
  order_number: {
    kind: 'text',
    label: 'Order number',
    description: 'Your own number of the order. No other license can have it.',
    fact: 'Order number',
    isFilter: true,
    isInTemplate: true,
  },
} as const satisfies { readonly [Name in keyof (License | UpdateLicense)]?: LicenseField };

/** The name of an optional field. */
export type LicenseFieldName = keyof typeof licenseFields;
/** The names and descriptions of the optional fields. */
export const licenseFieldList = Object.entries(licenseFields) as readonly (readonly [LicenseFieldName, LicenseField])[];

type Filtered = {
  [Name in LicenseFieldName]: (typeof licenseFields)[Name] extends { readonly isFilter: true } ? Name : never;
}[LicenseFieldName];
/** The names of the fields by which the list can be filtered. */
export const filteredFields = licenseFieldList.flatMap(([name, { isFilter }]) =>
  isFilter ? [name] : [],
) as Filtered[];

/** Returns the label of an optional field. */
export function labelOf(name: LicenseFieldName): string {
  return licenseFields[name].label;
}
