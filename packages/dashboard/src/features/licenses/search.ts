import { flag, oneOf, searchOf, text } from '../../lib/search.ts';
import { filteredFields } from './fields.ts';

/** The statuses of a license. */
export const licenseStatuses = ['active', 'pending', 'suspended', 'revoked', 'expired'] as const;

/** The offered filters of the expiry: a number of days from now. Any other number of days can be linked to. */
export const expiryFilters = ['7', '14', '30', '90'];

function readersOf<Name extends string>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, text])) as Record<Name, typeof text>;
}

/** The search parameters of the list of licenses. */
export const licensesSearch = searchOf({
  ...readersOf(filteredFields),
  q: text,
  status: oneOf(licenseStatuses),
  product_id: text,
  policy_id: text,
  batch_id: text,
  expires_within: (value) => (/^[1-9]\d{0,2}$/.test(String(value)) ? String(value) : undefined),
  sort: oneOf(['created_at', 'expires_at', '-expires_at']),
  cursor: text,
  panel: oneOf(['new']),
});

/** What `licensesSearch` returns. */
export type LicensesSearch = ReturnType<typeof licensesSearch>;

/** The search parameters of the import: the one whose progress is shown. */
export const importSearch = searchOf({ import: text });

/** The search parameters of the page of a license. */
export const licenseSearch = searchOf({
  tab: oneOf(['activations', 'checks', 'try', 'entitlements', 'mails', 'usage', 'history']),
  refused: flag,
  panel: oneOf(['edit']),
  cursor: text,
});
