import type { PlatformDb } from '../../../db/database.ts';
import { findRow } from '../../../db/rows.ts';
import type {
  CustomerDetails,
  PaymentProvider,
  ProviderInvoice,
  ProviderSubscription,
} from '../../../payments/provider.ts';

/**
 * Reads the billing details that a customer entered at a checkout, or later in the billing portal; undefined if no customer can
 * have entered any since the last sync.
 */
export async function readEnteredDetails(
  { query }: PlatformDb,
  payments: PaymentProvider,
  { id, customerId }: ProviderSubscription,
): Promise<CustomerDetails | undefined> {
  const isNew =
    (await findRow(query, 'subscriptions', { provider: payments.name, provider_subscription_id: id })) === undefined;
  return isNew || payments.billingPortalChangesDetails ? await payments.findCustomerDetails(customerId) : undefined;
}

/**
 * Reads the invoices of a subscription, the newest first. `invoiceId` is one that is read even when it is older than
 * those that the provider lists.
 */
export async function readInvoices(
  payments: PaymentProvider,
  subscriptionId: string,
  invoiceId: string | undefined,
): Promise<readonly ProviderInvoice[]> {
  const invoices = await payments.listInvoices(subscriptionId);
  if (invoiceId === undefined || invoices.some(({ id }) => id === invoiceId)) return invoices;
  const older = await payments.findInvoice(invoiceId);
  return older === undefined ? invoices : [...invoices, older];
}
