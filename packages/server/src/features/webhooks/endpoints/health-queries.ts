import { type ExpressionBuilder, sql } from 'kysely';
import type { TenantDb } from '../../../db/database.ts';
import type { WebhookDeliveriesTable, WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';

type Status = WebhookDeliveriesTable['status'];
type OfEndpoint = ExpressionBuilder<TenantTables & { endpoint: WebhookEndpointsTable }, 'endpoint'>;

/** Selects the number of an endpoint's deliveries with a status since a time, at most `max`, from the index alone. */
function countOf({ selectFrom }: OfEndpoint, status: Status, since: Timestamp, max: number) {
  const counted = selectFrom('webhook_deliveries')
    .select(sql<number>`1`.as('one'))
    .whereRef('webhook_deliveries.webhook_id', '=', 'endpoint.id')
    .where('webhook_deliveries.status', '=', status)
    .where('webhook_deliveries.created_at', '>=', since)
    .limit(max);
  return selectFrom(counted.as('counted')).select(sql<number>`cast(count(*) as integer)`.as('count'));
}

/** Counts the deliveries to each of some endpoints since a time by status, each at most `max`. */
export function countDeliveriesOf(
  { query }: TenantDb,
  ids: readonly string[],
  since: Timestamp,
  max: number,
): Promise<(Record<Status, number> & { readonly id: string })[]> {
  return query
    .selectFrom('webhook_endpoints as endpoint')
    .select('endpoint.id')
    .select((eb) => countOf(eb, 'pending', since, max).$asScalar().$notNull().as('pending'))
    .select((eb) => countOf(eb, 'succeeded', since, max).$asScalar().$notNull().as('succeeded'))
    .select((eb) => countOf(eb, 'failed', since, max).$asScalar().$notNull().as('failed'))
    .where('endpoint.id', 'in', ids)
    .execute();
}

/** Returns the newest delivery to each of some endpoints. */
export function listLastDeliveries({ query }: TenantDb, ids: readonly string[]): Promise<WebhookDeliveriesTable[]> {
  const newest = query
    .selectFrom('webhook_endpoints as endpoint')
    .select(({ selectFrom }) =>
      selectFrom('webhook_deliveries as delivery')
        .select('delivery.id')
        .whereRef('delivery.webhook_id', '=', 'endpoint.id')
        .orderBy('delivery.created_at', 'desc')
        .orderBy('delivery.id', 'desc')
        .limit(1)
        .as('id'),
    )
    .where('endpoint.id', 'in', ids);
  return query.selectFrom('webhook_deliveries').selectAll().where('id', 'in', newest).execute();
}
