import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { type Timestamp, toEpochMs } from '../../../lib/clock.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { type EventServices, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { readTimezone } from '../../tenant-core/settings/service.ts';
import { lockLicenseByKey, policyOf } from '../licenses/service.ts';
import { announceReachedLimit } from './limit-notice.ts';
import { periodsAt } from './period.ts';
import { addToUsageTotals, findUsageTotals, findUsedKeys, recordUsedKeys } from './queries.ts';
import type { ReportUsage, UsageReport } from './schemas.ts';
import { type Outcome, type TimedEvent, UsageBatch } from './usage-batch.ts';

/**
 * Counts the usage of a license. Each event is counted completely or not, and all accepted events are stored in one
 * transaction. Locks the license's row first, so that concurrent reports cannot exceed a limit. Every accepted event
 * adds to the totals of all intervals, so that a reset interval that is changed later already has its counter. Throws
 * 404 `LICENSE.NOT_FOUND`.
 */
export async function recordUsage(
  services: EventServices,
  tenant: Tenant,
  actor: Actor,
  key: string,
  input: ReportUsage,
): Promise<UsageReport> {
  const timezone = await readTimezone(tenant.db);
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const license = await lockLicenseByKey(tx, key);
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
