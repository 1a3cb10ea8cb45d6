import { type ExpressionBuilder, sql } from 'kysely';
import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { WebhookDeliveriesTable, WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import type { KeyServices, Services } from '../../../services.ts';
import { systemActor } from '../../../tenancy/tenant.ts';
import { changedFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import type { Outbox } from '../../tenant-core/events/outbox.ts';
import { updateWebhookRow } from './queries.ts';
import type { Webhook } from './schemas.ts';
import { previousSecretExpiry } from './secrets.ts';
import { auditOf } from './service.ts';
import { isFailing, presentWebhook } from './webhook.ts';

export { endFailureStreaks, lockForFailures } from './queries.ts';

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
    const { pending = 0, succeeded = 0, failed = 0, retrying = 0 } = counts.find(({ id }) => id === row.id) ?? {};
    const delivery = last.find(({ webhook_id }) => webhook_id === row.id);
    return {
      ...presentWebhook(row),
      previous_secret_expires_at: expiryOf(keyring, row, now),
      health: {
        is_failing: isFailing(row, retrying),
        retrying_deliveries: retrying,
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

/** Null also for undecryptable secrets: each delivery attempt reports those as `secret_unreadable`. */
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

/** The rows that the count of an endpoint's deliveries to retry examines: the oldest, because they were attempted first. */
const retriesExamined = 100;

/** Selects the number of an endpoint's deliveries that failed at least once and wait for the next attempt. */
function retryingOf({ selectFrom }: OfEndpoint) {
  const waiting = selectFrom('webhook_deliveries')
    .select('webhook_deliveries.scheduled_attempts')
    .whereRef('webhook_deliveries.webhook_id', '=', 'endpoint.id')
    .where('webhook_deliveries.status', '=', 'pending')
    .orderBy('webhook_deliveries.created_at')
    .orderBy('webhook_deliveries.id')
    .limit(retriesExamined);
  return selectFrom(waiting.as('waiting'))
    .select(sql<number>`cast(count(*) as integer)`.as('count'))
    .where('scheduled_attempts', '>', 0);
}

/** Counts the deliveries to each of some endpoints since a time by status, each at most `max`, and those to retry. */
function countDeliveriesOf(
  { query }: TenantDb,
  ids: readonly string[],
  since: Timestamp,
  max: number,
): Promise<(Record<Status | 'retrying', number> & { readonly id: string })[]> {
  return query
    .selectFrom('webhook_endpoints as endpoint')
    .select('endpoint.id')
    .select((eb) => countOf(eb, 'pending', since, max).$asScalar().$notNull().as('pending'))
    .select((eb) => countOf(eb, 'succeeded', since, max).$asScalar().$notNull().as('succeeded'))
    .select((eb) => countOf(eb, 'failed', since, max).$asScalar().$notNull().as('failed'))
    .select((eb) => retryingOf(eb).$asScalar().$notNull().as('retrying'))
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

/** The maximum of the count of failed deliveries of one endpoint in the overview. */
export const failuresMost = 100;
const endpointsExamined = 100;

/** An endpoint with its failures since a time and its deliveries to retry. */
export interface EndpointFailures
  extends Pick<WebhookEndpointsTable, 'id' | 'url' | 'status' | 'disabled_reason' | 'failed_deliveries'> {
  readonly failed: number;
  readonly retrying: number;
}

/** Returns the newest endpoints, with their failed deliveries since a time and their deliveries to retry. */
export async function listEndpointFailures({ query }: TenantDb, since: Timestamp): Promise<EndpointFailures[]> {
  const rows = await query
    .selectFrom('webhook_endpoints as endpoint')
    .select([
      'endpoint.id',
      'endpoint.url',
      'endpoint.status',
      'endpoint.disabled_reason',
      'endpoint.failed_deliveries',
    ])
    .select((eb) => [
      countOf(eb, 'failed', since, failuresMost).$asScalar().$notNull().as('failed'),
      retryingOf(eb).$asScalar().$notNull().as('retrying'),
    ])
    .where('endpoint.deleted_at', 'is', null)
    .orderBy('endpoint.created_at', 'desc')
    .orderBy('endpoint.id', 'desc')
    .limit(endpointsExamined)
    .execute();
  return rows.map((row) => ({ ...row, failed: Number(row.failed), retrying: Number(row.retrying) }));
}

/** Permanent failures of deliveries to one endpoint in one transaction. */
interface FailedDeliveries {
  /** True if the endpoint responded 410 Gone. */
  readonly isGone: boolean;
  /** Number of deliveries whose retry schedule has ended. */
  readonly exhausted: number;
  readonly at: Timestamp;
}

/**
 * Adds failed deliveries to the failure streak of a locked endpoint. Disables the endpoint if it is gone or if the
 * streak is too long, and then writes an audit record, a notification and the event `webhook.disabled`.
 */
export async function recordFailedDeliveries(
  tx: TenantTransaction,
  outbox: Outbox,
  before: WebhookEndpointsTable,
  { isGone, exhausted, at }: FailedDeliveries,
): Promise<void> {
  if (before.status === 'disabled' || before.deleted_at !== null) return;
  if (isGone) return await disable(tx, outbox, before, 'gone', at);
  let streak = { ...before, disables: false };
  for (let count = 0; count < exhausted; count += 1) streak = { ...streak, ...afterFailure(streak, at) };
  const { disables, ...after } = streak;
  if (disables) await disable(tx, outbox, after, 'failing', at);
  else await updateWebhookRow(tx, after);
}

const explanations = {
  gone: 'responded with 410 Gone, which means that it accepts no more events.',
  failing: 'failed at least ten deliveries in a row over a day or more.',
} as const;

async function disable(
  tx: TenantTransaction,
  outbox: Outbox,
  before: WebhookEndpointsTable,
  reason: 'gone' | 'failing',
  at: Timestamp,
): Promise<void> {
  const row: WebhookEndpointsTable = { ...before, status: 'disabled', disabled_reason: reason, updated_at: at };
  await updateWebhookRow(tx, row);
  const changes = changedFields(before, row, ['status', 'disabled_reason']);
  await recordAudit(tx, systemActor, { ...auditOf(row.id, 'WEBHOOK.DISABLED'), changes, at });
  await outbox.notify({
    type: 'webhook.disabled',
    severity: 'critical',
    title: 'A webhook endpoint was disabled',
    // Only the host: paths and queries of webhook URLs often contain a secret.
    body: `The endpoint ${row.id} at ${new URL(row.url).host} ${explanations[reason]} Enable it once it works again, and recover the events that it missed.`,
    occurrence: `webhook.disabled:${row.id}:${at}`,
    resource: { type: 'webhook', id: row.id },
    isUrgent: true,
    at,
  });
  await outbox.record({ type: 'webhook.disabled', data: () => presentWebhook(row), requestId: null, at });
}

const failuresMax = 10;
const failingDays = 1;

/** The number of deliveries to an endpoint that failed since the last success, and when the first of them failed. */
type FailureStreak = Pick<WebhookEndpointsTable, 'failed_deliveries' | 'failing_since'>;

/**
 * Returns the streak after one more delivery has failed at `at`, and whether it disables the endpoint: after at least
 * ten failures over at least a day.
 */
export function afterFailure(
  { failed_deliveries, failing_since }: FailureStreak,
  at: Timestamp,
): FailureStreak & { readonly disables: boolean } {
  const count = failed_deliveries + 1;
  const since = failing_since ?? at;
  const disables = count >= failuresMax && addDays(since, failingDays) <= at;
  return { failed_deliveries: count, failing_since: since, disables };
}

/**
 * Returns the time from which the next failed delivery disables an endpoint, if at least ten in a row have failed by
 * then; null without a streak.
 */
function disabledFrom({ failing_since }: Pick<FailureStreak, 'failing_since'>): Timestamp | null {
  return failing_since === null ? null : addDays(failing_since, failingDays);
}
