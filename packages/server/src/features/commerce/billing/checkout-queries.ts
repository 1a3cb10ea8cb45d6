import { sql } from 'kysely';
import type { PlatformDb } from '../../../db/database.ts';
import type { BillingCheckoutsTable } from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** Returns the open checkout of a tenant, which has at most one. */
export function findOpenCheckout({ query }: PlatformDb, tenantId: string): Promise<BillingCheckoutsTable | undefined> {
  return query
    .selectFrom('billing_checkouts')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('status', '=', sql.lit('open' as const))
    .executeTakeFirst();
}

/** Returns at most `limit` open checkouts that were created before the given time. */
export function listOpenCheckouts(
  { query }: PlatformDb,
  before: Timestamp,
  limit: number,
): Promise<BillingCheckoutsTable[]> {
  return query
    .selectFrom('billing_checkouts')
    .selectAll()
    .where('status', '=', sql.lit('open' as const))
    .where('created_at', '<', before)
    .limit(limit)
    .execute();
}

/** Inserts an open checkout. Returns false when the tenant has one already: of concurrent calls one wins. */
export async function insertCheckout({ query }: PlatformDb, row: BillingCheckoutsTable): Promise<boolean> {
  const result = await query
    .insertInto('billing_checkouts')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Stores the provider's id of a checkout. */
export async function nameCheckout({ query }: PlatformDb, id: string, providerCheckoutId: string): Promise<void> {
  await query
    .updateTable('billing_checkouts')
    .set({ provider_checkout_id: providerCheckoutId })
    .where('id', '=', id)
    .execute();
}

/** Closes a checkout. Has no effect unless it is open. */
export async function closeCheckout({ query }: PlatformDb, id: string, status: 'complete' | 'expired'): Promise<void> {
  await query
    .updateTable('billing_checkouts')
    .set({ status })
    .where('id', '=', id)
    .where('status', '=', 'open')
    .execute();
}
