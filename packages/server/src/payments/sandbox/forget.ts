import type { PlatformTransaction } from '../../db/database.ts';
import { sandboxIdOf } from './context.ts';

/**
 * Deletes the sandbox's data about a tenant: its customers, with and without a subscription. Their billing details are
 * personal data, and nothing of them must become due again.
 */
export async function forgetSandboxTenant(
  tx: PlatformTransaction,
  tenantId: string,
  subscriptionIds: readonly string[],
): Promise<void> {
  const customerIds = [sandboxIdOf('cus', tenantId)];
  if (subscriptionIds.length > 0) {
    const accounts = tx.selectFrom('sandbox_accounts').select('customer_id');
    const rows = await accounts.where('subscription_id', 'in', subscriptionIds).execute();
    customerIds.push(...rows.map(({ customer_id }) => customer_id));
  }
  for (const table of ['sandbox_invoices', 'sandbox_checkouts', 'sandbox_accounts'] as const) {
    await tx.deleteFrom(table).where('customer_id', 'in', customerIds).execute();
  }
}

/** Deletes coupons of the sandbox. Discounts that exist stay. */
export async function forgetSandboxCoupons(tx: PlatformTransaction, codes: readonly string[]): Promise<void> {
  if (codes.length > 0) await tx.deleteFrom('sandbox_coupons').where('code', 'in', codes).execute();
}
