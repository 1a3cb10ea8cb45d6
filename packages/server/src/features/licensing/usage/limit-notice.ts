import type { Timestamp } from '../../../lib/clock.ts';
import type { Outbox } from '../../tenant-core/events/outbox.ts';
import { endOfPeriod, startOfPeriod } from './period.ts';
import type { LimitReached } from './schemas.ts';
import type { ReachedLimit } from './usage-batch.ts';

declare module '../../tenant-core/events/event-data.ts' {
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
export async function announceReachedLimit(
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
