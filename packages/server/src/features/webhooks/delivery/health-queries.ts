import { sql } from 'kysely';
import type { TenantDb } from '../../../db/database.ts';
import type { WebhookDeliveriesTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';

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
