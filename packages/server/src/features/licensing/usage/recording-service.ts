import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { type Timestamp, toEpochMs } from '../../../lib/clock.ts';
import type { TenantWorkServices } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { type Outbox, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { timezoneIn } from '../../tenant-core/settings/service.ts';
import { lockLicenseByKey, policyOf } from '../licenses/service.ts';
import { endOfPeriod, periodsAt, startOfPeriod } from './period.ts';
import { addToUsageTotals, findUsageTotals, findUsedKeys, recordUsedKeys } from './queries.ts';
import type { LimitReached, ReportUsage, UsageReport } from './schemas.ts';
import { type Outcome, type ReachedLimit, type TimedEvent, UsageBatch } from './usage-batch.ts';

/**
 * Counts the usage of a license. Each event is counted completely or not, and all accepted events are stored in one
 * transaction. Locks the license's row first, so that concurrent reports cannot exceed a limit. Every accepted event
 * adds to the totals of all intervals, so that a reset interval that is changed later already has its counter. Throws
 * 404 `LICENSE.NOT_FOUND`.
 */
export async function recordUsage(
  services: TenantWorkServices,
  tenant: Tenant,
  actor: Actor,
  key: string,
  input: ReportUsage,
): Promise<UsageReport> {
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const timezone = await timezoneIn(tx);
    const license = await lockLicenseByKey(tx, key, actor);
    // Read the clock after the lock. An earlier time could be in a period that ended while this request waited.
    const at = services.clock.now();
    const policy = await policyOf(tx, license);
    const batch = new UsageBatch({ license, policy, timezone, at });
    const events = timed(input, timezone, at);
    const totals = await findUsageTotals(tx, license.id, batch.needs(events));
    batch.load(totals, await findUsedKeys(tx, license.id, keysOf(events)));
    const outcomes = events.map((event) => batch.take(event));
    await addToUsageTotals(tx, license.id, batch.additions());
    await recordUsedKeys(tx, license.id, acceptedKeys(events, outcomes), at);
    const context = { licenseId: license.id, timezone, at, requestId: actor.requestId };
    for (const reached of batch.reached()) await announceReachedLimit(outbox, reached, context);
    return { results: outcomes.map((outcome, index) => ({ index, ...outcome })), counters: batch.counters() };
  });
}

function timed({ events }: ReportUsage, timezone: string, at: Timestamp): TimedEvent[] {
  const now = periodsAt(toEpochMs(at), timezone);
  return events.map(({ entitlement, quantity, idempotency_key = null, occurred_at }) => {
    const event = { entitlement, quantity, idempotencyKey: idempotency_key };
    if (occurred_at === undefined) return { ...event, occurredAt: at, periods: now };
    const occurredAt = toStoredTimestamp(occurred_at);
    return { ...event, occurredAt, periods: periodsAt(toEpochMs(occurredAt), timezone) };
  });
}

function keysOf(events: readonly TimedEvent[]): string[] {
  return [...new Set(events.flatMap(({ idempotencyKey }) => idempotencyKey ?? []))];
}

function acceptedKeys(events: readonly TimedEvent[], outcomes: readonly Outcome[]): string[] {
  return events.flatMap(({ idempotencyKey }, index) =>
    idempotencyKey !== null && outcomes[index]?.status === 'accepted' ? [idempotencyKey] : [],
  );
}

declare module '../../tenant-core/events/event.ts' {
  interface EventDataTypes {
    'entitlement.limit_reached': LimitReached;
  }
}

/** The license that reached a limit, and the timezone, time and request of the report. */
interface LimitNoticeContext {
  readonly licenseId: string;
  readonly timezone: string;
  readonly at: Timestamp;
  readonly requestId: string | null;
}

/**
 * Creates the notification and the event `entitlement.limit_reached`, once per license, entitlement, period and limit.
 */
async function announceReachedLimit(
  outbox: Outbox,
  reached: ReachedLimit,
  { licenseId, timezone, at, requestId }: LimitNoticeContext,
): Promise<void> {
  const { code, limit, usage, overage, interval, period } = reached;
  const since = interval === 'none' ? '' : ` since ${startOfPeriod(period, interval, timezone)}`;
  const consequence =
    overage === 'deny' ? 'Usage above the limit is refused.' : 'Usage above the limit is counted as overage.';
  const isFirst = await outbox.notify({
    type: 'entitlement.limit_reached',
    severity: 'warning',
    title: `The limit of ${code} was reached`,
    body: `License ${licenseId} has used ${usage} of ${limit} of the entitlement ${code}${since}. ${consequence}`,
    occurrence: ['entitlement.limit_reached', licenseId, interval, period, limit, code].join(':'),
    resource: { type: 'license', id: licenseId },
    at,
    requestId,
  });
  if (!isFirst) return;
  const resets_at = endOfPeriod(period, interval, timezone);
  const data = () => ({ license_id: licenseId, entitlement: code, limit, usage, resets_at });
  await outbox.record({ type: 'entitlement.limit_reached', data, requestId, at });
}
