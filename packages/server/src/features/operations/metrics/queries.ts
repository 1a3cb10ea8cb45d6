import { sql } from 'kysely';
import type { PlatformDb } from '../../../db/database.ts';
import type { BillingInterval } from '../../../db/tables/platform/billing.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';

/** Returns the number of tenants per status, of all tenants (null) or of one tenant. */
export async function countTenants(
  platform: PlatformDb,
  tenantId: string | null,
): Promise<{ status: TenantsTable['status']; count: number }[]> {
  const query = platform.query.selectFrom('tenants');
  return await (tenantId === null ? query : query.where('id', '=', tenantId))
    .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute();
}

/** Returns the sums of the active and past-due subscriptions per currency and billing interval, in minor units. */
export async function sumSubscriptions(
  platform: PlatformDb,
  tenantId: string | null,
): Promise<{ currency: string; interval: BillingInterval; amount: number }[]> {
  const query = platform.query.selectFrom('subscriptions').where('status', 'in', ['active', 'past_due']);
  return await (tenantId === null ? query : query.where('tenant_id', '=', tenantId))
    .select(['currency', 'interval', sql<number>`cast(sum(amount) as bigint)`.as('amount')])
    // In the order of the index, so that the database does not sort.
    .groupBy(['status', 'currency', 'interval'])
    .execute();
}
