import type { PlatformTransaction } from '../../../db/database.ts';
import { deleteRows, findRow, insertRow, updateRows } from '../../../db/rows.ts';
import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../../lib/clock.ts';
import { isUuid, newId } from '../../../lib/ids.ts';
import type {
  CustomerDetails,
  PaymentProvider,
  ProviderInvoice,
  ProviderSubscription,
} from '../../../payments/provider.ts';
import type { Services } from '../../../services.ts';
import { type Actor, systemActor } from '../../../tenancy/tenant.ts';
import { listOwnerEmails } from '../../accounts/memberships/service.ts';
import { applyBilling, type BillingOutcome, lockTenant } from '../../accounts/tenants/service.ts';
import { freePlanCode } from '../../accounts/tenants/tenant.ts';
import { type AuditEntry, changedFields, createdFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { syncInvoices } from '../invoices/sync-service.ts';
import { findPlanByCode } from '../plans/service.ts';
import { findInvoiceParties, storeEnteredDetails } from './customer-service.ts';
import { enqueueDunning } from './enqueue.ts';
import { enqueueDunningMails, enqueueTrialReminder } from './notices.ts';
import { readEnteredDetails, readInvoices } from './provider-reads.ts';
import {
  beginRead,
  completeBillingCheckout,
  findBilledSince,
  findCheckoutTenant,
  findCurrentSubscription,
  findTenantOfCustomer,
  finishRead,
  writeCustomer,
  writeOrphan,
} from './queries.ts';
import { accessOf, discountColumns, isEnded, nextCheckAt, overdueOf } from './rules.ts';

/** A change that was made at the provider. The sync audits it together with its effects. */
export interface Cause {
  readonly actor: Actor;
  readonly entry: Omit<AuditEntry, 'at'>;
}

/** A subscription as it was read at the provider, entirely after `number` was assigned. */
interface Reading {
  readonly number: number;
  /** The current time, by the provider's clock. */
  readonly now: Timestamp;
  readonly subscription: ProviderSubscription;
  readonly invoices: readonly ProviderInvoice[];
  /** The billing details that the customer entered at the provider; undefined if they are known already. */
  readonly details: CustomerDetails | undefined;
  /** When the reading began, by the service's clock. */
  readonly begunAt: Timestamp;
}

/** What a sync has stored. */
interface Written {
  readonly subscription: SubscriptionsTable;
  readonly isTenantClosed: boolean;
  /** The time of the reading, by the provider's clock. */
  readonly now: Timestamp;
}

/**
 * The outcome of a sync. `orphan`: the subscription belongs to no tenant or has an unknown plan; `outdated`: a newer
 * reading was written meanwhile; `unknown`: the provider has no such subscription.
 */
export type SyncResult =
  | ({ readonly outcome: 'written' } & Written)
  | { readonly outcome: 'orphan' | 'outdated' | 'unknown' };

const comparedFields = [
  'status',
  'plan_code',
  'interval',
  'currency',
  'amount',
  'current_period_starts_at',
  'current_period_ends_at',
  'trial_ends_at',
  'has_payment_method',
  'coupon_code',
  'discount_basis_points',
  'discount_amount',
  'discount_duration',
  'discount_ends_at',
  'cancel_at_period_end',
  'canceled_at',
  'pending_plan_code',
  'pending_interval',
  'pending_amount',
  'pending_at',
  'past_due_since',
  'grace_ends_at',
] as const;

/**
 * Syncs a subscription and its invoices from the provider, and applies the effects on the tenant: its plan, its
 * suspension and the mails to its owners. All writes are one transaction, which locks the tenant. A sync is idempotent
 * and may be repeated at any time. `invoiceId` is an invoice of the subscription that is synced even when it is older
 * than those that the provider lists. Throws `PaymentProviderError` when the provider cannot be read.
 */
export async function syncSubscription(
  services: Services,
  payments: PaymentProvider,
  providerId: string,
  cause?: Cause,
  invoiceId?: string,
): Promise<SyncResult> {
  const { platform } = services;
  const begunAt = services.clock.now();
  const number = await beginRead(platform, providerId);
  const [now, subscription] = [await payments.now(), await payments.findSubscription(providerId)];
  if (subscription === undefined) {
    services.logger.warn(
      { subscription: providerId },
      'the payment provider has no subscription with this id; the sync was skipped',
    );
    return { outcome: 'unknown' };
  }
  const reading = {
    number,
    now,
    subscription,
    invoices: await readInvoices(payments, providerId, invoiceId),
    details: await readEnteredDetails(services.platform, payments, subscription),
    begunAt,
  };
  const tenantId = await findTenantId(services, payments.name, subscription);
  const plan = (await findPlanByCode(platform, subscription.planCode))?.plan;
  if (tenantId === undefined || plan === undefined) {
    const reason = tenantId === undefined ? 'no_tenant' : 'unknown_plan';
    await platform.transaction((tx) => storeOrphan(services, tx, payments.name, reading, reason));
    services.wakeUps.wakeRunner();
    return { outcome: 'orphan' };
  }
  const owners = await listOwnerEmails(platform, tenantId);
  const written = await platform.transaction((tx) =>
    writeReading(services, tx, { provider: payments.name, reading, tenantId, planName: plan.name, owners, cause }),
  );
  services.mail.kick();
  services.wakeUps.wakeRunner();
  return written === undefined ? { outcome: 'outdated' } : { outcome: 'written', ...written };
}

/** Returns the tenant of the stored subscription, else of its checkout, else of its customer. */
async function findTenantId(
  { platform: { query } }: Services,
  provider: PaymentProvider['name'],
  { id, customerId, reference }: ProviderSubscription,
): Promise<string | undefined> {
  const known = await findRow(query, 'subscriptions', { provider, provider_subscription_id: id });
  if (known !== undefined) return known.tenant_id;
  const tenantOfCheckout = reference === null ? undefined : await findCheckoutTenant(query, reference);
  return tenantOfCheckout ?? (await findTenantOfCustomer(query, provider, customerId));
}

/**
 * Stores a subscription without a tenant or with an unknown plan. It may belong to the checkout of a sign-up without
 * any other event, so the work on that checkout continues and creates the tenant.
 */
async function storeOrphan(
  { clock, followUps }: Services,
  tx: PlatformTransaction,
  provider: PaymentProvider['name'],
  { subscription }: Reading,
  reason: 'no_tenant' | 'unknown_plan',
): Promise<void> {
  const at = clock.now();
  const { id, customerId, reference, status, planCode } = subscription;
  const orphan = {
    id: newId(),
    provider,
    provider_subscription_id: id,
    provider_customer_id: customerId,
    reference,
    status,
    plan_code: planCode,
    reason,
    created_at: at,
    updated_at: at,
  };
  if (await writeOrphan(tx, orphan)) {
    const changes = createdFields(orphan, ['provider_subscription_id', 'reference', 'status', 'plan_code', 'reason']);
    const entry = { event: 'SUBSCRIPTION.ORPHANED', resourceType: 'subscription', resourceId: orphan.id, changes, at };
    await recordPlatformAudit(tx, systemActor, entry);
  }
  if (reason === 'no_tenant' && reference !== null && isUuid(reference)) {
    await followUps.orphanFound(tx, reference, at);
  }
}

interface Writing {
  readonly provider: PaymentProvider['name'];
  readonly reading: Reading;
  readonly tenantId: string;
  readonly planName: string;
  readonly owners: readonly string[];
  readonly cause: Cause | undefined;
}

async function writeReading(
  services: Services,
  tx: PlatformTransaction,
  { provider, reading, tenantId, planName, owners, cause }: Writing,
): Promise<Written | undefined> {
  const tenant = await lockTenant(tx, tenantId);
  if (tenant === undefined) throw new Error(`The tenant ${tenantId} of a subscription does not exist.`);
  const at = services.clock.now();
  // What an actor did is recorded even if a newer reading has stored its effect.
  if (cause !== undefined) await recordPlatformAudit(tx, cause.actor, { ...cause.entry, at });
  if (!(await finishRead(tx, reading.subscription.id, reading.number))) return undefined;
  const before = await findRow(tx, 'subscriptions', { provider, provider_subscription_id: reading.subscription.id });
  const graceDays = services.config.paymentGraceDays;
  const row = syncedRow(before, { provider, tenantId, reading, graceDays, at });
  await adopt(tx, { provider, reading, tenantId, before, at });
  await storeEnteredDetails(tx, { tenant, owners, reading, isNew: before === undefined, at });
  await (before === undefined ? insertRow(tx, 'subscriptions', row) : updateRows(tx, 'subscriptions', row.id, row));
  await recordSubscription(tx, before, row, at);
  const parties = await findInvoiceParties(services, tx, tenant, owners);
  const { invoices, subscription } = reading;
  const billedSince = (await findBilledSince(tx, tenantId, subscription.reference)) ?? at;
  await syncInvoices(services, tx, { tenantId, subscriptionId: row.id, provider, invoices, parties, billedSince, at });
  const effect = await applyAccess(tx, { tenant, row, before, now: reading.now, at });
  await enqueueDunningMails(services, tx, {
    tenant,
    row,
    effect,
    owners,
    invoices: reading.invoices,
    now: reading.now,
    at,
  });
  await enqueueTrialReminder(services, tx, { tenant, row, planName, owners, now: reading.now, at });
  await planNextCheck(tx, row, reading.now, at);
  return { subscription: row, isTenantClosed: tenant.status === 'closed', now: reading.now };
}

interface RowSync {
  readonly provider: PaymentProvider['name'];
  readonly tenantId: string;
  readonly reading: Reading;
  readonly graceDays: number;
  readonly at: Timestamp;
}

/** Returns the columns that store the plan change of a later time. */
function pendingColumns({ pendingChange: pending }: ProviderSubscription) {
  return {
    pending_plan_code: pending?.planCode ?? null,
    pending_interval: pending?.interval ?? null,
    pending_amount: pending?.amount ?? null,
    pending_at: pending?.at ?? null,
  };
}

/** Returns the row that stores a reading. */
function syncedRow(before: SubscriptionsTable | undefined, sync: RowSync): SubscriptionsTable {
  const { provider, tenantId, reading, graceDays, at } = sync;
  const { subscription, invoices, now } = reading;
  const { status } = subscription;
  const known = before?.past_due_since ?? null;
  const row = {
    id: before?.id ?? newId(),
    tenant_id: tenantId,
    provider,
    provider_subscription_id: subscription.id,
    status,
    plan_code: subscription.planCode,
    interval: subscription.interval,
    currency: subscription.currency,
    amount: subscription.amount,
    current_period_starts_at: subscription.currentPeriodStartsAt,
    current_period_ends_at: subscription.currentPeriodEndsAt,
    trial_ends_at: subscription.trialEndsAt,
    has_payment_method: subscription.hasPaymentMethod ? 1 : 0,
    ...discountColumns(subscription.discount, now),
    cancel_at_period_end: subscription.cancelAtPeriodEnd ? 1 : 0,
    canceled_at: subscription.canceledAt,
    ...pendingColumns(subscription),
    ...overdueOf({ status, invoices, known, now, graceDays }),
    ended_at: isEnded(status) ? (before?.ended_at ?? now) : null,
    synced_at: at,
    created_at: before?.created_at ?? subscription.createdAt,
  } as const;
  const changes = before === undefined ? [] : changedFields<Partial<SubscriptionsTable>>(before, row, comparedFields);
  const isOther = changes.some(({ field }) => /plan_code|interval|coupon_code|discount_ends_at/.test(field));
  return {
    ...row,
    next_check_at: nextCheckAt(row, isEnded(status), now),
    change_number: (before?.change_number ?? 0) + (isOther ? 1 : 0),
    updated_at: before !== undefined && changes.length === 0 ? before.updated_at : at,
  };
}

interface Adoption extends Pick<Writing, 'provider' | 'reading' | 'tenantId'> {
  readonly before: SubscriptionsTable | undefined;
  readonly at: Timestamp;
}

/** Registers the customer, completes the checkout and deletes the orphan when a subscription is synced first. */
async function adopt(tx: PlatformTransaction, { provider, reading, tenantId, before, at }: Adoption): Promise<void> {
  if (before !== undefined) return;
  const { id, customerId, reference, status } = reading.subscription;
  if (!isEnded(status)) {
    const customer = { tenant_id: tenantId, provider, provider_customer_id: customerId };
    await writeCustomer(tx, { ...customer, created_at: at, updated_at: at });
  }
  await deleteRows(tx, 'orphan_subscriptions', { provider, provider_subscription_id: id });
  if (reference !== null) await completeBillingCheckout(tx, reference);
}

/** Audits the changes of a subscription's row. */
async function recordSubscription(
  tx: PlatformTransaction,
  before: SubscriptionsTable | undefined,
  row: SubscriptionsTable,
  at: Timestamp,
): Promise<void> {
  const entry = { resourceType: 'subscription', resourceId: row.id, at };
  if (before === undefined) {
    const changes = createdFields(row, ['tenant_id', ...comparedFields]);
    await recordPlatformAudit(tx, systemActor, { ...entry, event: 'SUBSCRIPTION.CREATED', changes });
    return;
  }
  const changes = changedFields(before, row, comparedFields);
  if (changes.length === 0) return;
  const event =
    row.status === 'canceled' && before.status !== 'canceled' ? 'SUBSCRIPTION.CANCELED' : 'SUBSCRIPTION.UPDATED';
  await recordPlatformAudit(tx, systemActor, { ...entry, event, changes });
}

interface AccessChange {
  readonly tenant: TenantsTable;
  readonly row: SubscriptionsTable;
  readonly before: SubscriptionsTable | undefined;
  /** The current time, by the provider's clock. */
  readonly now: Timestamp;
  /** The current time, by the service's clock. */
  readonly at: Timestamp;
}

/**
 * Applies the current subscription to the tenant's plan and status. When the last subscription ends, the tenant gets
 * the free plan. That happens once, so that a later decision of an operator stays.
 */
async function applyAccess(
  tx: PlatformTransaction,
  { tenant, row, before, now, at }: AccessChange,
): Promise<BillingOutcome> {
  const current = await findCurrentSubscription(tx, tenant.id);
  if (current !== undefined) {
    const isServed = accessOf(current, now) === 'served';
    return await applyBilling(tx, tenant, { planCode: current.plan_code, isServed }, at);
  }
  const endsNow = isEnded(row.status) && before !== undefined && !isEnded(before.status);
  if (!endsNow || before.status === 'incomplete') return 'unchanged';
  return await applyBilling(tx, tenant, { planCode: freePlanCode, isServed: true }, at);
}

/**
 * Enqueues the next check. `now` is by the provider's clock and `at` by the service's; the wait is the same on both.
 */
async function planNextCheck(
  tx: PlatformTransaction,
  { next_check_at }: SubscriptionsTable,
  now: Timestamp,
  at: Timestamp,
): Promise<void> {
  if (next_check_at === null) return;
  const waitMs = Math.max(0, toEpochMs(next_check_at) - toEpochMs(now));
  const dueAt = toTimestamp(toEpochMs(at) + waitMs);
  await enqueueDunning(tx, at, dueAt);
}
