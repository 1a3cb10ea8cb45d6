import { sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type {
  BillingCreditsTable,
  InvoicesTable,
  OrphanSubscriptionsTable,
  SubscriptionStatus,
  SubscriptionsTable,
} from '../../../db/tables/platform/billing.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { sumOfRecurringAmounts } from '../subscriptions/subscription.ts';

interface SubscriptionGroup extends Pick<SubscriptionsTable, 'currency' | 'plan_code' | 'interval' | 'status'> {
  readonly count: number;
  readonly amount: number;
}

const liveStates: readonly SubscriptionStatus[] = ['active', 'past_due', 'trialing', 'unpaid'];

/**
 * Returns the count and the recurring amount of the live subscriptions by status, currency, plan and interval, from an
 * index alone.
 */
export function groupLive({ query }: PlatformDb): Promise<SubscriptionGroup[]> {
  return query
    .selectFrom('subscriptions')
    .select(['status', 'currency', 'plan_code', 'interval'])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .select(sumOfRecurringAmounts.as('amount'))
    .where('status', 'in', liveStates)
    .groupBy(['status', 'currency', 'plan_code', 'interval'])
    .execute();
}

/** Maximum number of rows that a sum reads. */
const summedMax = 100_000;

/** Counts the subscriptions that have ended since the given time, by currency. */
export function countEnded({ query }: PlatformDb, since: Timestamp): Promise<{ currency: string; count: number }[]> {
  const ended = query
    .selectFrom('subscriptions')
    .select('currency')
    .where('ended_at', 'is not', null)
    .where('ended_at', '>=', since)
    .limit(summedMax);
  return query
    .selectFrom(ended.as('ended'))
    .select('currency')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .groupBy('currency')
    .execute();
}

/** Returns the amount due of the open invoices in minor units, by currency. */
export function sumOpenInvoices({ query }: PlatformDb): Promise<{ currency: string; amount: number }[]> {
  const open = query
    .selectFrom('invoices')
    .select(['currency', 'amount_due'])
    .where('status', '=', 'open')
    .limit(summedMax);
  return query
    .selectFrom(open.as('open'))
    .select('currency')
    .select(sql<number>`cast(sum(amount_due) as bigint)`.as('amount'))
    .groupBy('currency')
    .execute();
}

/** Counts the orphan subscriptions, up to `most`. */
export async function countOrphans({ query }: PlatformDb, most: number): Promise<number> {
  const newest = query.selectFrom('orphan_subscriptions').select('id').orderBy('created_at', 'desc').limit(most);
  const counted = query.selectFrom(newest.as('newest')).select((eb) => eb.fn.countAll<number>().as('count'));
  return (await counted.executeTakeFirstOrThrow()).count;
}

/** Returns one page of the orphan subscriptions. */
export function listOrphans({ query }: PlatformDb, page: PageRequest): Promise<OrphanSubscriptionsTable[]> {
  return paginate(query.selectFrom('orphan_subscriptions').selectAll(), page).execute();
}

/** An overdue subscription with its tenant. */
export interface OverdueRow extends SubscriptionsTable {
  readonly past_due_since: Timestamp;
  readonly tenant_name: string;
  readonly tenant_status: TenantsTable['status'];
}

/** The overdue subscriptions with their tenants: THE query of the list and of its sums. */
function overdueWithTenant({ query }: PlatformDb) {
  return query
    .selectFrom('subscriptions')
    .innerJoin('tenants', 'tenants.id', 'subscriptions.tenant_id')
    .where('subscriptions.past_due_since', 'is not', null);
}

/** Returns one page of the overdue subscriptions, the latest failure first. */
export function listOverdue(platform: PlatformDb, page: PageRequest): Promise<OverdueRow[]> {
  const overdue = overdueWithTenant(platform)
    .selectAll('subscriptions')
    .select(['tenants.name as tenant_name', 'tenants.status as tenant_status']);
  return paginate(overdue, page, 'subscriptions.past_due_since').$castTo<OverdueRow>().execute();
}

/** Counts the overdue subscriptions by currency and by the status of the tenant. */
export function countOverdue(
  platform: PlatformDb,
): Promise<{ currency: string; tenant_status: TenantsTable['status']; count: number }[]> {
  return overdueWithTenant(platform)
    .select(['subscriptions.currency', 'tenants.status as tenant_status'])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .groupBy(['subscriptions.currency', 'tenants.status'])
    .execute();
}

/** Returns the open invoices of subscriptions. */
export async function listOpenInvoices(
  { query }: PlatformDb,
  subscriptionIds: readonly string[],
): Promise<Pick<InvoicesTable, 'id' | 'subscription_id' | 'amount_due'>[]> {
  if (subscriptionIds.length === 0) return [];
  return await query
    .selectFrom('invoices')
    .select(['id', 'subscription_id', 'amount_due'])
    .where('subscription_id', 'in', subscriptionIds)
    .where('status', '=', 'open')
    .execute();
}

/** Returns the mailed dunning stages of subscriptions, for all their failed payments. */
export async function listNotices({ query }: PlatformDb, subscriptionIds: readonly string[]) {
  if (subscriptionIds.length === 0) return [];
  return await query
    .selectFrom('dunning_notices')
    .select(['subscription_id', 'past_due_since', 'stage'])
    .where('subscription_id', 'in', subscriptionIds)
    .execute();
}

/** Inserts a credit. Returns false when the tenant has one with this reference. */
export async function insertCredit({ query }: PlatformDb, row: BillingCreditsTable): Promise<boolean> {
  const result = await query
    .insertInto('billing_credits')
    .values(row)
    .onConflict((conflict) => conflict.columns(['tenant_id', 'reference']).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Returns a tenant's credit by its reference. */
export function findCredit(
  { query }: PlatformDb,
  tenantId: string,
  reference: string,
): Promise<BillingCreditsTable | undefined> {
  const credits = query.selectFrom('billing_credits').selectAll().where('tenant_id', '=', tenantId);
  return credits.where('reference', '=', reference).executeTakeFirst();
}

/** Marks a credit as applied at the provider. Returns false when it was marked before. */
export async function markApplied(tx: PlatformTransaction, id: string, at: Timestamp): Promise<boolean> {
  const marked = tx.updateTable('billing_credits').set({ applied_at: at }).where('id', '=', id);
  const result = await marked.where('applied_at', 'is', null).executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
