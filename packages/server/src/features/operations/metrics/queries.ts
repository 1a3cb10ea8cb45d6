import { sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { BillingInterval } from '../../../db/tables/platform/billing.ts';
import type { RevenueDaysTable } from '../../../db/tables/platform/operations.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import { sumOfRecurringAmounts } from '../../commerce/subscriptions/subscription.ts';

/** Returns the number of live tenants per status, of all tenants (null) or of one tenant. */
export async function countTenants(
  platform: PlatformDb,
  tenantId: string | null,
): Promise<{ status: TenantsTable['status']; count: number }[]> {
  const query = platform.query.selectFrom('tenants');
  return await (tenantId === null ? query.where('live_tenant_id', 'is', null) : query.where('id', '=', tenantId))
    .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute();
}

/**
 * Returns the recurring amounts of the active and past-due subscriptions per currency, plan and billing interval, in
 * minor units.
 */
export async function sumSubscriptions(
  platform: PlatformDb,
  tenantId: string | null,
): Promise<{ currency: string; interval: BillingInterval; amount: number }[]> {
  const query = platform.query.selectFrom('subscriptions').where('status', 'in', ['active', 'past_due']);
  return await (tenantId === null ? query : query.where('tenant_id', '=', tenantId))
    .select(['currency', 'interval', sumOfRecurringAmounts.as('amount')])
    // In the order of the index, so that the database does not sort.
    .groupBy(['status', 'currency', 'plan_code', 'interval'])
    .execute();
}

/** At most this many rows count, because a count reads each of them. */
export const countedMax = 1000;

/** Counts the dead jobs, the dead mails and the overdue subscriptions, each up to `countedMax`. */
export async function countTroubles({
  query,
}: PlatformDb): Promise<{ dead_jobs: number; dead_mails: number; past_due: number }> {
  const jobs = query
    .selectFrom('jobs')
    .select('kind')
    .where('status', '=', sql.lit('dead' as const))
    .orderBy('updated_at');
  // Ordered by the columns of small indexes, so that the planner reads those.
  const mails = query.selectFrom('dead_mails').select('id').orderBy('died_at');
  const overdue = query
    .selectFrom('subscriptions')
    .select('id')
    .where('past_due_since', 'is not', null)
    .orderBy('past_due_since');
  const counts = query.selectNoFrom((eb) => [
    eb.selectFrom(jobs.limit(countedMax).as('some')).select(eb.fn.countAll<number>().as('count')).as('dead_jobs'),
    eb.selectFrom(mails.limit(countedMax).as('some')).select(eb.fn.countAll<number>().as('count')).as('dead_mails'),
    eb.selectFrom(overdue.limit(countedMax).as('some')).select(eb.fn.countAll<number>().as('count')).as('past_due'),
  ]);
  const { dead_jobs, dead_mails, past_due } = await counts.executeTakeFirstOrThrow();
  return { dead_jobs: Number(dead_jobs), dead_mails: Number(dead_mails), past_due: Number(past_due) };
}

/** Returns the stored revenue of the days from `first` to `last`, by day and currency. */
export function listRevenueDays({ query }: PlatformDb, first: string, last: string): Promise<RevenueDaysTable[]> {
  const days = query.selectFrom('revenue_days').selectAll().where('day', '>=', first).where('day', '<=', last);
  return days.orderBy('day').orderBy('currency').execute();
}

/** Returns the newest stored day before another one; undefined without one. */
export async function findDayBefore(tx: PlatformTransaction, day: string): Promise<string | undefined> {
  const earlier = tx.selectFrom('revenue_days').select('day').where('day', '<', day).orderBy('day', 'desc').limit(1);
  return (await earlier.executeTakeFirst())?.day;
}

/** Returns the currencies with revenue on a stored day. */
export async function listCurrenciesOf(tx: PlatformTransaction, day: string): Promise<string[]> {
  const rows = tx.selectFrom('revenue_days').select('currency').where('day', '=', day).where('amount', '>', 0);
  return (await rows.execute()).map(({ currency }) => currency);
}

/** Replaces the stored revenue of a day. */
export async function replaceRevenueDay(
  tx: PlatformTransaction,
  day: string,
  rows: readonly RevenueDaysTable[],
): Promise<void> {
  await tx.deleteFrom('revenue_days').where('day', '=', day).execute();
  if (rows.length > 0) await tx.insertInto('revenue_days').values(rows).execute();
}
