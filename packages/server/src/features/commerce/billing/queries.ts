import { sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { updateRows } from '../../../db/rows.ts';
import type {
  BillingCheckoutsTable,
  BillingCustomersTable,
  OrphanSubscriptionsTable,
  SubscriptionsTable,
} from '../../../db/tables/platform/billing.ts';
import type { Timestamp } from '../../../lib/clock.ts';

type Reader = PlatformDb['query'] | PlatformTransaction;
type Provider = SubscriptionsTable['provider'];

/** Assigns a number to a read of a subscription. Call it before the read begins. */
export async function beginRead({ query }: PlatformDb, subscriptionId: string): Promise<number> {
  const { last_begun } = await query
    .insertInto('subscription_reads')
    .values({ provider_subscription_id: subscriptionId, last_begun: 1, last_written: 0 })
    .onConflict((conflict) =>
      conflict
        .column('provider_subscription_id')
        .doUpdateSet({ last_begun: sql<number>`subscription_reads.last_begun + 1` }),
    )
    .returning('last_begun')
    .executeTakeFirstOrThrow();
  return last_begun;
}

/** Marks a read as written. Returns false when a later read was written before. */
export async function finishRead(tx: PlatformTransaction, subscriptionId: string, read: number): Promise<boolean> {
  const result = await tx
    .updateTable('subscription_reads')
    .set({ last_written: read })
    .where('provider_subscription_id', '=', subscriptionId)
    .where('last_written', '<', read)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Returns the id of the tenant with the given customer id at the provider. */
export async function findTenantOfCustomer(
  db: Reader,
  provider: Provider,
  customerId: string,
): Promise<string | undefined> {
  const customers = db
    .selectFrom('billing_customers')
    .select('tenant_id')
    .where('provider', '=', provider)
    .where('provider_customer_id', '=', customerId);
  return (await customers.executeTakeFirst())?.tenant_id;
}

/** Returns the customer row of a tenant. */
export function findCustomer(db: Reader, tenantId: string): Promise<BillingCustomersTable | undefined> {
  return db.selectFrom('billing_customers').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst();
}

/** Stores the customer id of a tenant, which replaces an earlier one. Keeps the billing details. */
export async function writeCustomer(
  tx: PlatformTransaction,
  customer: Omit<BillingCustomersTable, 'details_json'>,
): Promise<void> {
  const { provider, provider_customer_id, updated_at } = customer;
  await tx
    .insertInto('billing_customers')
    .values({ ...customer, details_json: null })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet({ provider, provider_customer_id, updated_at }))
    .execute();
}

/** Inserts a customer. Has no effect when the tenant has one already. */
export async function insertCustomer(tx: PlatformTransaction, row: BillingCustomersTable): Promise<void> {
  await tx
    .insertInto('billing_customers')
    .values(row)
    .onConflict((conflict) => conflict.column('tenant_id').doNothing())
    .execute();
}

/** Returns the provider's ids of a tenant's subscriptions that have not ended. */
export async function listUnendedSubscriptions(tx: PlatformTransaction, tenantId: string): Promise<string[]> {
  const unended = tx
    .selectFrom('subscriptions')
    .select('provider_subscription_id')
    .where('tenant_id', '=', tenantId)
    .where('ended_at', 'is', null);
  return (await unended.execute()).map((row) => row.provider_subscription_id);
}

/** Returns the newest subscription of a tenant that has started and has not ended. */
export function findCurrentSubscription(db: Reader, tenantId: string): Promise<SubscriptionsTable | undefined> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('status', 'not in', ['incomplete', 'incomplete_expired', 'canceled'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** A subscription with an overdue payment. */
export type PastDueSubscription = Pick<SubscriptionsTable, 'tenant_id' | 'past_due_since' | 'grace_ends_at'> & {
  readonly status: 'past_due' | 'unpaid';
};

/** Returns the subscriptions of tenants with an overdue payment, oldest first. */
export async function listPastDueSubscriptions(
  { query }: PlatformDb,
  tenantIds: readonly string[],
): Promise<PastDueSubscription[]> {
  if (tenantIds.length === 0) return [];
  const rows = await query
    .selectFrom('subscriptions')
    .select(['id', 'tenant_id', 'status', 'past_due_since', 'grace_ends_at', 'created_at'])
    .where('tenant_id', 'in', tenantIds)
    .where('status', 'in', ['past_due', 'unpaid'])
    .$narrowType<{ status: 'past_due' | 'unpaid' }>()
    .execute();
  // Sorted here, because no index has the subscriptions of several tenants in this order.
  const keyOf = ({ created_at, id }: (typeof rows)[number]) => `${created_at} ${id}`;
  return rows.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
}

/**
 * Advances the number that is part of the provider's idempotency keys, so that the provider does not repeat its
 * response to a failed attempt. Has no effect when the number is no longer `from`.
 */
export async function advanceChangeNumber({ query }: PlatformDb, id: string, from: number): Promise<void> {
  await query
    .updateTable('subscriptions')
    .set({ change_number: from + 1 })
    .where('id', '=', id)
    .where(sql<number>`coalesce(change_number, 0)`, '=', from)
    .execute();
}

/** Marks a dunning stage as sent. Returns false when it was marked before. */
export async function noteStage(
  tx: PlatformTransaction,
  notice: {
    readonly subscriptionId: string;
    readonly since: Timestamp;
    readonly stage: string;
    readonly at: Timestamp;
  },
): Promise<boolean> {
  const { subscriptionId, since, stage, at } = notice;
  const result = await tx
    .insertInto('dunning_notices')
    .values({ subscription_id: subscriptionId, past_due_since: since, stage, created_at: at })
    .onConflict((conflict) => conflict.columns(['subscription_id', 'past_due_since', 'stage']).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Marks the reminder of a trial's end as sent. Returns false when it was marked before. */
export async function noteTrialReminder(
  tx: PlatformTransaction,
  reminder: { readonly subscriptionId: string; readonly trialEndsAt: Timestamp; readonly at: Timestamp },
): Promise<boolean> {
  const { subscriptionId, trialEndsAt, at } = reminder;
  const result = await tx
    .insertInto('trial_reminders')
    .values({ subscription_id: subscriptionId, trial_ends_at: trialEndsAt, created_at: at })
    .onConflict((conflict) => conflict.columns(['subscription_id', 'trial_ends_at']).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Stores a subscription without a tenant. Returns false when it was stored before. */
export async function writeOrphan(tx: PlatformTransaction, row: OrphanSubscriptionsTable): Promise<boolean> {
  const { provider_customer_id, reference, status, plan_code, reason, updated_at } = row;
  const { id } = await tx
    .insertInto('orphan_subscriptions')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['provider', 'provider_subscription_id'])
        .doUpdateSet({ provider_customer_id, reference, status, plan_code, reason, updated_at }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return id === row.id;
}

/** Returns the id of the tenant that a billing checkout belongs to. */
export async function findCheckoutTenant(db: Reader, reference: string): Promise<string | undefined> {
  const checkout = db.selectFrom('billing_checkouts').select('tenant_id').where('id', '=', reference);
  return (await checkout.executeTakeFirst())?.tenant_id;
}

/**
 * Returns when this service began to bill a tenant: when it created the checkout with the given reference or knew the
 * customer, whichever was first. Undefined for a tenant that it never billed.
 */
export async function findBilledSince(
  db: Reader,
  tenantId: string,
  reference: string | null,
): Promise<Timestamp | undefined> {
  const checkouts = db.selectFrom('billing_checkouts').select('created_at').where('tenant_id', '=', tenantId);
  const checkout = reference === null ? undefined : await checkouts.where('id', '=', reference).executeTakeFirst();
  const times = [checkout, await findCustomer(db, tenantId)].flatMap((row) => row?.created_at ?? []);
  return times.toSorted()[0];
}

/** Marks a billing checkout as complete. */
export async function completeBillingCheckout(tx: PlatformTransaction, id: string): Promise<void> {
  await tx.updateTable('billing_checkouts').set({ status: 'complete' }).where('id', '=', id).execute();
}

/** Returns the code of a tenant's current plan. */
export async function findPlanCode(db: Reader, tenantId: string): Promise<string | undefined> {
  const tenant = db.selectFrom('tenants').select('plan_code').where('id', '=', tenantId);
  return (await tenant.executeTakeFirst())?.plan_code;
}

/** Returns whether a tenant has or has had a subscription. */
export async function hasSubscribed(db: Reader, tenantId: string): Promise<boolean> {
  const subscriptions = db.selectFrom('subscriptions').select('id').where('tenant_id', '=', tenantId);
  return (await subscriptions.limit(1).executeTakeFirst()) !== undefined;
}

/** Returns whether a tenant that a user owns is or was in a trial. */
export async function hasOwnedTrial(db: Reader, userId: string): Promise<boolean> {
  const trials = db
    .selectFrom('memberships')
    .innerJoin('subscriptions', 'subscriptions.tenant_id', 'memberships.tenant_id')
    .select('subscriptions.id')
    .where('memberships.user_id', '=', userId)
    .where('memberships.role', '=', 'owner')
    .where('subscriptions.trial_ends_at', 'is not', null);
  return (await trials.limit(1).executeTakeFirst()) !== undefined;
}

/** Assigns a number to a read of a single invoice. Call it before the read begins. */
export async function beginInvoiceRead({ query }: PlatformDb, providerInvoiceId: string): Promise<number> {
  const { last_begun } = await query
    .insertInto('invoice_reads')
    .values({ provider_invoice_id: providerInvoiceId, last_begun: 1, last_written: 0 })
    .onConflict((conflict) =>
      conflict.column('provider_invoice_id').doUpdateSet({ last_begun: sql<number>`invoice_reads.last_begun + 1` }),
    )
    .returning('last_begun')
    .executeTakeFirstOrThrow();
  return last_begun;
}

/** Marks a read as written. Returns false when a later read was written before. */
export async function finishInvoiceRead(
  tx: PlatformTransaction,
  providerInvoiceId: string,
  read: number,
): Promise<boolean> {
  const result = await tx
    .updateTable('invoice_reads')
    .set({ last_written: read })
    .where('provider_invoice_id', '=', providerInvoiceId)
    .where('last_written', '<', read)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

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
  await updateRows(query, 'billing_checkouts', id, { provider_checkout_id: providerCheckoutId });
}

/** Closes a checkout. Has no effect unless it is open. */
export async function closeCheckout({ query }: PlatformDb, id: string, status: 'complete' | 'expired'): Promise<void> {
  await updateRows(query, 'billing_checkouts', { id, status: 'open' }, { status });
}
