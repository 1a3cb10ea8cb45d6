import type { SubscriptionsTable } from '../../../db/tables/platform/billing.ts';
import type { Services } from '../../../services.ts';
import { notify } from '../../tenant-core/notifications/service.ts';

/**
 * Creates a notification in the tenant about a failed payment: once per failure, however often it is called. The
 * tenant's database is not the platform's, so callers call it after the transaction that stores the failure. After a
 * crash between the two, the job that calls it runs again.
 */
export async function notifyOfFailure(
  { clock, tenants }: Pick<Services, 'clock' | 'tenants'>,
  { id, tenant_id, past_due_since, grace_ends_at }: SubscriptionsTable,
): Promise<void> {
  if (past_due_since === null || grace_ends_at === null) return;
  const until = `${grace_ends_at.slice(0, 10)} ${grace_ends_at.slice(11, 16)} UTC`;
  await tenants.withTenantDb(tenant_id, (db) =>
    db.transaction((tx) =>
      notify(tx, {
        type: 'payment.failed',
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
