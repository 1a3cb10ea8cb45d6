import type { TenantDb } from '../../../db/database.ts';
import type { WebhookDeliveriesTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { countWebhooksByStatus } from '../endpoints/service.ts';
import { countDeliveries, listFailedDeliveries } from './health-queries.ts';

const shownFailures = 5;

/** The state of a tenant's endpoints and deliveries. */
interface WebhookHealth {
  readonly endpoints: Record<'enabled' | 'disabled', number>;
  readonly deliveries_of_last_day: Record<WebhookDeliveriesTable['status'], number>;
  readonly last_failures: (Pick<
    WebhookDeliveriesTable,
    'webhook_id' | 'event_type' | 'failure_reason' | 'created_at'
  > & {
    readonly delivery_id: string;
  })[];
}

/** Returns the endpoints by status, the deliveries since a time by status, and the five newest permanent failures. */
export async function readWebhookHealth(db: TenantDb, since: Timestamp): Promise<WebhookHealth> {
  const failures = await listFailedDeliveries(db, shownFailures);
  return {
    endpoints: await countWebhooksByStatus(db),
    deliveries_of_last_day: {
      pending: await countDeliveries(db, 'pending', since),
      succeeded: await countDeliveries(db, 'succeeded', since),
      failed: await countDeliveries(db, 'failed', since),
    },
    last_failures: failures.map(({ id, webhook_id, event_type, failure_reason, created_at }) => ({
      delivery_id: id,
      webhook_id,
      event_type,
      failure_reason,
      created_at,
    })),
  };
}
