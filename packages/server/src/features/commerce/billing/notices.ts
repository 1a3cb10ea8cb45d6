import type { PlatformTransaction } from '../../../db/database.ts';
import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { formatMoney } from '../../../lib/money.ts';
import { readableMoment } from '../../../lib/readable-time.ts';
import { type BillingMailKind, billingMail, trialEndsMail } from '../../../mail/templates/billing.ts';
import type { CustomerDetails, ProviderInvoice } from '../../../payments/provider.ts';
import type { MailServices, TenantWorkServices } from '../../../services.ts';
import type { BillingOutcome } from '../../accounts/tenants/service.ts';
import { notify, settleNotifications } from '../../tenant-core/notifications/service.ts';
import { findCustomer, noteStage, noteTrialReminder } from './queries.ts';
import { isTrialEnding, stagesBegun } from './rules.ts';

interface DunningInput {
  readonly tenant: TenantsTable;
  readonly row: SubscriptionsTable;
  /** The effect of this transaction on the tenant. */
  readonly effect: BillingOutcome;
  readonly owners: readonly string[];
  readonly invoices: readonly ProviderInvoice[];
  /** The current time, by the provider's clock. */
  readonly now: Timestamp;
  /** The current time, by the service's clock. */
  readonly at: Timestamp;
}

/**
 * Enqueues the mails about a missing payment, in the caller's transaction. The owners and the billing address get one
 * mail per stage and failed payment. When several stages have begun since the last sync, only the last one is mailed.
 */
export async function enqueueDunningMails(
  services: MailServices,
  tx: PlatformTransaction,
  input: DunningInput,
): Promise<void> {
  const kind = await dueMailKind(tx, input);
  if (kind === undefined) return;
  const { tenant, row, owners } = input;
  const open = openInvoice(input.invoices);
  const customer = await findCustomer(tx, tenant.id);
  const details: CustomerDetails | null = JSON.parse(customer?.details_json ?? 'null');
  const recipients = new Set([...owners, ...(details === null ? [] : [details.email])]);
  for (const to of recipients) {
    const mail = billingMail(kind, {
      to,
      tenantName: tenant.name,
      amount: open === undefined ? null : formatMoney(open.amountDue, open.currency),
      paymentUrl: open?.paymentUrl ?? null,
      graceEndsAt: row.grace_ends_at,
      publicUrl: services.config.publicUrl,
    });
    await services.mail.enqueue(tx, { ...mail, tenantId: tenant.id });
  }
}

/** Returns the kind of mail that is due, and marks the stages that have begun as sent. */
async function dueMailKind(
  tx: PlatformTransaction,
  { tenant, row, effect, now, at }: DunningInput,
): Promise<BillingMailKind | undefined> {
  if (effect === 'restored') return 'restored';
  const since = row.past_due_since;
  // A payment does not reinstate a tenant that an operator suspended or closed.
  if (since === null || tenant.status === 'closed') return undefined;
  let last: BillingMailKind | undefined;
  for (const stage of stagesBegun(row, now)) {
    if (await noteStage(tx, { subscriptionId: row.id, since, stage, at })) last = stage;
  }
  const isSuspendedOtherwise = tenant.status === 'suspended' && tenant.suspended_for === null;
  return isSuspendedOtherwise ? undefined : last;
}

/** Returns the oldest invoice that is unpaid; `invoices` has the newest first. */
function openInvoice(invoices: readonly ProviderInvoice[]): ProviderInvoice | undefined {
  return invoices.filter(({ status, amountDue }) => status === 'open' && amountDue > 0).at(-1);
}

interface ReminderInput {
  readonly tenant: TenantsTable;
  readonly row: SubscriptionsTable;
  readonly planName: string;
  readonly owners: readonly string[];
  /** The current time, by the provider's clock. */
  readonly now: Timestamp;
  /** The current time, by the service's clock. */
  readonly at: Timestamp;
}

/**
 * Enqueues the mails to the owners of a tenant with a trial that ends within days, in the caller's transaction: once
 * per end of the trial, so an extended trial causes another reminder.
 */
export async function enqueueTrialReminder(
  services: MailServices,
  tx: PlatformTransaction,
  { tenant, row, planName, owners, now, at }: ReminderInput,
): Promise<void> {
  if (tenant.status === 'closed' || !isTrialEnding(row, now)) return;
  const { id: subscriptionId, trial_ends_at: trialEndsAt } = row;
  if (!(await noteTrialReminder(tx, { subscriptionId, trialEndsAt, at }))) return;
  for (const to of owners) {
    const mail = trialEndsMail({
      to,
      tenantName: tenant.name,
      planName,
      trialEndsAt,
      price: priceText(row),
      hasPaymentMethod: row.has_payment_method === 1,
      isCanceled: row.cancel_at_period_end === 1,
      publicUrl: services.config.publicUrl,
    });
    await services.mail.enqueue(tx, { ...mail, tenantId: tenant.id });
  }
}

function priceText({ amount, currency, interval, discount_duration }: SubscriptionsTable): string {
  const price = `${formatMoney(amount, currency)} per ${interval}`;
  return discount_duration === null ? price : `${price}, less your discount`;
}

function outcomeOf(row: SubscriptionsTable): 'canceled' | 'charged' | 'free' {
  if (row.cancel_at_period_end === 1) return 'canceled';
  return row.has_payment_method === 1 ? 'charged' : 'free';
}

const consequences = {
  canceled: 'The subscription is canceled, so the tenant then has the plan free.',
  charged: 'The subscription then continues, and its first payment is collected.',
  free: 'There is no payment method, so the tenant then has the plan free. Add one in the billing portal to keep the plan.',
} as const;

/**
 * Creates a notification in the tenant that its trial ends: once per end, however often it is called. Callers call it
 * after the transaction that stores the subscription, because the tenant's database is another one.
 */
export async function notifyOfTrialEnd(
  { clock, tenants }: TenantWorkServices,
  row: SubscriptionsTable,
  now: Timestamp,
): Promise<void> {
  if (!isTrialEnding(row, now)) return;
  const { id, tenant_id, trial_ends_at } = row;
  const until = readableMoment(trial_ends_at);
  await tenants.withTenantDb(tenant_id, (db) =>
    db.transaction((tx) =>
      notify(tx, {
        type: 'trial.ending',
        severity: 'warning',
        title: 'The trial ends soon',
        body: `The trial ends on ${until}. ${consequences[outcomeOf(row)]}`,
        occurrence: `trial.ending:${id}:${trial_ends_at}`,
        resource: { type: 'subscription', id },
        at: clock.now(),
        isMailed: true,
      }),
    ),
  );
}

const failureType = 'payment.failed';

/**
 * Creates a notification in the tenant about a failed payment: once per failure, however often it is called. After the
 * payment, marks it as read. The
 * tenant's database is not the platform's, so callers call it after the transaction that stores the failure. After a
 * crash between the two, the job that calls it runs again.
 */
export async function reportPaymentState(
  { clock, tenants }: TenantWorkServices,
  { id, tenant_id, past_due_since, grace_ends_at }: SubscriptionsTable,
): Promise<void> {
  if (past_due_since === null) {
    const about = { type: failureType, resourceId: id };
    await tenants.withTenantDb(tenant_id, (db) => db.transaction((tx) => settleNotifications(tx, about, clock.now())));
    return;
  }
  if (grace_ends_at === null) return;
  const until = readableMoment(grace_ends_at);
  await tenants.withTenantDb(tenant_id, (db) =>
    db.transaction((tx) =>
      notify(tx, {
        type: failureType,
        severity: 'critical',
        title: 'A payment failed',
        body: `A payment for the subscription could not be collected. Pay before ${until}, or the tenant is suspended.`,
        occurrence: `payment.failed:${id}:${past_due_since}`,
        resource: { type: 'subscription', id },
        at: clock.now(),
        isMailed: true,
      }),
    ),
  );
}
