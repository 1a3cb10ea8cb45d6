import type { PlatformTransaction } from '../../db/database.ts';
import { sandboxIdOf } from './context.ts';

/**
 * Deletes subscriptions of the sandbox with all data of their customers, so that nothing of them becomes due
 * again. Returns the customers' ids.
 */
async function forgetSandboxSubscriptions(
  tx: PlatformTransaction,
  subscriptionIds: readonly string[],
): Promise<string[]> {
  if (subscriptionIds.length === 0) return [];
  const accounts = tx.selectFrom('sandbox_accounts').select('customer_id');
  const rows = await accounts.where('subscription_id', 'in', subscriptionIds).execute();
  const customerIds = rows.map(({ customer_id }) => customer_id);
  await forgetCustomers(tx, customerIds);
  return customerIds;
}

/**
 * Deletes the sandbox's data about a tenant: its customers, with and without a subscription. Their billing details are
 * personal data.
 */
export async function forgetSandboxTenant(
  tx: PlatformTransaction,
  tenantId: string,
  subscriptionIds: readonly string[],
): Promise<void> {
  await forgetSandboxSubscriptions(tx, subscriptionIds);
  await forgetCustomers(tx, [sandboxIdOf('cus', tenantId)]);
}

/** Deletes coupons of the sandbox. Discounts that exist stay. */
export async function forgetSandboxCoupons(tx: PlatformTransaction, codes: readonly string[]): Promise<void> {
  if (codes.length > 0) await tx.deleteFrom('sandbox_coupons').where('code', 'in', codes).execute();
}

async function forgetCustomers(tx: PlatformTransaction, customerIds: readonly string[]): Promise<void> {
  if (customerIds.length === 0) return;
  await tx.deleteFrom('sandbox_invoices').where('customer_id', 'in', customerIds).execute();
  await tx.deleteFrom('sandbox_checkouts').where('customer_id', 'in', customerIds).execute();
  await tx.deleteFrom('sandbox_accounts').where('customer_id', 'in', customerIds).execute();
}
