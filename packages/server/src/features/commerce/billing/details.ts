import type { CustomerDetails } from '../../../payments/provider.ts';

/** Whom invoices are made out to until somebody says it. */
export function defaultDetails(tenantName: string, ownerEmails: readonly string[]): CustomerDetails {
  return { name: tenantName, email: ownerEmails[0] ?? '', address: null, taxId: null };
}
