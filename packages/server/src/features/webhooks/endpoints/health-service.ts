import { type ExpressionBuilder, sql } from 'kysely';
import type { TenantDb } from '../../../db/database.ts';
import type { WebhookDeliveriesTable, WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import type { KeyServices, Services } from '../../../services.ts';
import { disabledFrom } from './failures-service.ts';
import type { Webhook } from './schemas.ts';
import { previousSecretExpiry } from './secrets.ts';
import { presentWebhook } from './webhook.ts';

/** Maximum of each count: a list has up to 100 endpoints, and an embedded database serves nothing else meanwhile. */
const countedMax = 1000;

/** Adds the health of endpoints to their API form, in two queries for all of them. */
export async function withHealth(
  { clock, keyring }: KeyServices,
  db: TenantDb,
  rows: readonly WebhookEndpointsTable[],
): Promise<Webhook[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const now = clock.now();
  const counts = await countDeliveriesOf(db, ids, addDays(now, -1), countedMax);
  const last = await listLastDeliveries(db, ids);
  return rows.map((row) => {
    const { pending = 0, succeeded = 0, failed = 0 } = counts.find(({ id }) => id === row.id) ?? {};
    const delivery = last.find(({ webhook_id }) => webhook_id === row.id);
    return {
      ...presentWebhook(row),
      previous_secret_expires_at: expiryOf(keyring, row, now),
      health: {
        failed_deliveries: row.failed_deliveries,
        failing_since: row.failing_since,
        disabled_from: disabledFrom(row),
        last_delivery: delivery === undefined ? null : summaryOf(delivery),
        last_24_hours: { pending, succeeded, failed },
      },
    };
  });
}

/** As `withHealth`, for one endpoint. */
export async function oneWithHealth(services: KeyServices, db: TenantDb, row: WebhookEndpointsTable): Promise<Webhook> {
  const [webhook] = await withHealth(services, db, [row]);
  if (webhook === undefined) throw new Error(`The webhook endpoint ${row.id} was not presented.`);
  return webhook;
}

function summaryOf({ id, event_type, status, created_at }: NonNullable<Webhook['health']>['last_delivery'] & object) {
  return { id, event_type, status, created_at };
}

/** Null also for secrets that no key can decrypt: each delivery attempt reports that as `secret_unreadable`. */
function expiryOf(
  keyring: Services['keyring'],
  { sealed_secrets }: WebhookEndpointsTable,
  now: Timestamp,
): Timestamp | null {
  try {
    return previousSecretExpiry(keyring, sealed_secrets, now);
  } catch {
    return null;
  }
}

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
function countDeliveriesOf(
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
function listLastDeliveries({ query }: TenantDb, ids: readonly string[]): Promise<WebhookDeliveriesTable[]> {
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
