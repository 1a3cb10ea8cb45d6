import { sql } from 'kysely';
import type { TenantDb } from '../../../db/database.ts';
import type { WebhookDeliveriesTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { countWebhooksByStatus } from '../endpoints/service.ts';

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

/** Maximum counted rows: an embedded database serves no other request for the milliseconds that counting them takes. */
const countedMax = 100_000;

/** Counts the deliveries with a status that were created since a time, up to 100,000. */
export async function countDeliveries(
  { query }: TenantDb,
  status: WebhookDeliveriesTable['status'],
  since: Timestamp,
): Promise<number> {
  const listed = query
    .selectFrom('webhook_deliveries')
    .select(sql<number>`1`.as('one'))
    .where('status', '=', status)
    .where('created_at', '>=', since)
    .limit(countedMax);
  const { count } = await query
    .selectFrom(listed.as('listed'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns the newest deliveries that failed permanently. */
export function listFailedDeliveries({ query }: TenantDb, limit: number): Promise<WebhookDeliveriesTable[]> {
  return query
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('status', '=', 'failed')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
