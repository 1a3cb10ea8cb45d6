import type { CustomerDetails } from '../../../payments/provider.ts';

/** Returns the billing details of a tenant that has set none. */
export function defaultDetails(tenantName: string, ownerEmails: readonly string[]): CustomerDetails {
  return { name: tenantName, email: ownerEmails[0] ?? '', address: null, taxId: null };
}
