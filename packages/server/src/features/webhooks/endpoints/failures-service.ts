import type { TenantTransaction } from '../../../db/database.ts';
import type { WebhookEndpointsTable } from '../../../db/tables/tenant/webhooks.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { systemActor } from '../../../tenancy/tenant.ts';
import { changedFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import type { Outbox } from '../../tenant-core/events/outbox.ts';
import { clearFailures, lockWebhooks, updateWebhookRow } from './queries.ts';
import { auditOf } from './service.ts';
import { presentWebhook } from './webhook.ts';

/** Deliveries to one endpoint that failed for good in one transaction. */
interface FailedDeliveries {
  /** True if the endpoint responded 410 Gone. */
  readonly isGone: boolean;
  /** Number of deliveries whose retry schedule has ended. */
  readonly exhausted: number;
  readonly at: Timestamp;
}

/** Ends the failure streaks of endpoints to which a delivery succeeded. */
export function endFailureStreaks(tx: TenantTransaction, ids: readonly string[]): Promise<void> {
  return clearFailures(tx, ids);
}

/**
 * Locks endpoints, deleted ones too, in the order of their ids until the transaction ends. Callers lock endpoints
 * before deliveries so that no two transactions wait for each other.
 */
export function lockForFailures(tx: TenantTransaction, ids: readonly string[]): Promise<WebhookEndpointsTable[]> {
  return lockWebhooks(tx, ids);
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
export type FailureStreak = Pick<WebhookEndpointsTable, 'failed_deliveries' | 'failing_since'>;

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
export function disabledFrom({ failing_since }: Pick<FailureStreak, 'failing_since'>): Timestamp | null {
  return failing_since === null ? null : addDays(failing_since, failingDays);
}
