import { sql } from 'kysely';
import type { TenantDb } from '../../../db/database.ts';
import type { WebhookDeliveriesTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** An embedded database answers nothing else while it counts: so many rows of an index take some milliseconds. */
const countedMost = 100_000;

/** How many deliveries of a state were made since a moment, as far as they are counted. */
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
    .limit(countedMost);
  const { count } = await query
    .selectFrom(listed.as('listed'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The newest deliveries that failed for good. */
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
