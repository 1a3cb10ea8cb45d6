import type { PlatformTransaction } from '../../../db/database.ts';
import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { formatMoney } from '../../../lib/money.ts';
import { trialEndsMail } from '../../../mail/templates/trial.ts';
import type { Services } from '../../../services.ts';
import { notify } from '../../tenant-core/notifications/service.ts';
import { noteTrialReminder } from './sync-queries.ts';
import { isTrialEnding } from './trial.ts';

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
 * Enqueues the mails to the owners of a tenant whose trial ends within days, in the caller's transaction: once per end
 * of the trial, so an extended trial is reminded of again.
 */
export async function enqueueTrialReminder(
  services: Pick<Services, 'config' | 'mail'>,
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
    await services.mail.enqueue(tx, mail);
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
  free: 'There is no payment method, so the tenant then has the plan free. Add one in the customer portal to keep the plan.',
} as const;

/**
 * Creates a notification in the tenant that its trial ends: once per end, however often it is called. Callers call it
 * after the transaction that stores the subscription, because the tenant's database is another one.
 */
export async function notifyOfTrialEnd(
  { clock, tenants }: Pick<Services, 'clock' | 'tenants'>,
  row: SubscriptionsTable,
  now: Timestamp,
): Promise<void> {
  if (!isTrialEnding(row, now)) return;
  const { id, tenant_id, trial_ends_at } = row;
  const until = `${trial_ends_at.slice(0, 10)} ${trial_ends_at.slice(11, 16)} UTC`;
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
