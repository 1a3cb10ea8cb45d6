import { sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { insertRows } from '../../../db/insert-rows.ts';
import type { BillingInterval, PlanPricesTable } from '../../../db/tables/platform/billing.ts';
import type { PlansTable } from '../../../db/tables/platform/tenants.ts';
import { paginate } from '../../../http/cursor.ts';
import type { PlansQuery } from './schemas.ts';

type Reader = PlatformDb['query'] | PlatformTransaction;

/** A plan with its prices. */
export interface PricedPlan {
  readonly plan: PlansTable;
  readonly prices: readonly PlanPricesTable[];
}

/** Most operators offer three plans; the limit bounds the page. */
const offeredMax = 100;

/** Returns one page of the plans, with one row more than the page when there are more. */
export function listPlanRows({ query }: PlatformDb, filters: PlansQuery): Promise<PlansTable[]> {
  let plans = query.selectFrom('plans').selectAll();
  if (filters.code !== undefined) plans = plans.where('code', '=', filters.code);
  if (filters.catalog_product_id !== undefined) {
    plans = plans.where('catalog_product_id', '=', filters.catalog_product_id);
  }
  if (filters.archived !== undefined) {
    plans = plans.where('archived_at', filters.archived ? 'is not' : 'is', null);
  }
  return paginate(plans, filters).execute();
}

/** Returns the newest 100 plans that are not archived. */
export function listOfferedRows({ query }: PlatformDb): Promise<PlansTable[]> {
  const offered = query.selectFrom('plans').selectAll().where('archived_at', 'is', null);
  return offered.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(offeredMax).execute();
}

/** Adds the prices to plans, in the same order, with one read. */
export async function withPrices(db: Reader, plans: readonly PlansTable[]): Promise<PricedPlan[]> {
  if (plans.length === 0) return [];
  const ids = plans.map(({ id }) => id);
  const prices = await db.selectFrom('plan_prices').selectAll().where('plan_id', 'in', ids).execute();
  return plans.map((plan) => ({ plan, prices: prices.filter(({ plan_id }) => plan_id === plan.id) }));
}

/** Returns a plan by its id or its code. */
export function findPlanRow(
  db: Reader,
  by: { readonly id: string } | { readonly code: string },
): Promise<PlansTable | undefined> {
  const plans = db.selectFrom('plans').selectAll();
  return ('id' in by ? plans.where('id', '=', by.id) : plans.where('code', '=', by.code)).executeTakeFirst();
}

/** Replaces all prices of a plan. */
export async function replacePrices(
  tx: PlatformTransaction,
  planId: string,
  prices: readonly PlanPricesTable[],
): Promise<void> {
  await tx.deleteFrom('plan_prices').where('plan_id', '=', planId).execute();
  await insertRows(tx, 'plan_prices', prices);
}

/** Deletes a plan and its prices. */
export async function deletePlanRow(tx: PlatformTransaction, id: string): Promise<void> {
  await tx.deleteFrom('plan_prices').where('plan_id', '=', id).execute();
  await tx.deleteFrom('plans').where('id', '=', id).execute();
}

/**
 * Returns true when a subscription has a pending change to a plan. A foreign key protects the plans that subscriptions
 * have already.
 */
export async function hasPendingChanges(tx: PlatformTransaction, code: string): Promise<boolean> {
  const pending = tx
    .selectFrom('subscriptions')
    .select('id')
    .where('pending_plan_code', '=', code)
    .where('pending_plan_code', 'is not', null);
  return (await pending.limit(1).executeTakeFirst()) !== undefined;
}

/** Returns the prices of a plan in one interval: US dollars first, then the other currencies by code. */
export function listPricesOf(
  { query }: PlatformDb,
  planId: string,
  interval: BillingInterval,
): Promise<PlanPricesTable[]> {
  return query
    .selectFrom('plan_prices')
    .selectAll()
    .where('plan_id', '=', planId)
    .where('interval', '=', interval)
    .orderBy(sql`case when currency = 'usd' then 0 else 1 end`)
    .orderBy('currency')
    .execute();
}
