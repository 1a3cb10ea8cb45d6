import type { PlatformTransaction } from '../../db/database.ts';

/**
 * Deletes subscriptions of the sandbox with all that it knows of their customers, so that nothing of them becomes due
 * again. Returns the customers' ids.
 */
export async function forgetSandboxSubscriptions(
  tx: PlatformTransaction,
  subscriptionIds: readonly string[],
): Promise<string[]> {
  if (subscriptionIds.length === 0) return [];
  const accounts = tx.selectFrom('sandbox_accounts').select('customer_id');
  const rows = await accounts.where('subscription_id', 'in', subscriptionIds).execute();
  await tx.deleteFrom('sandbox_invoices').where('subscription_id', 'in', subscriptionIds).execute();
  await tx.deleteFrom('sandbox_checkouts').where('subscription_id', 'in', subscriptionIds).execute();
  await tx.deleteFrom('sandbox_accounts').where('subscription_id', 'in', subscriptionIds).execute();
  return rows.map(({ customer_id }) => customer_id);
}
