import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import type { PlatformJob } from '../../../jobs/job.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import type { PlatformServices, Services } from '../../../services.ts';
import { deleteAllExpired, type ExpiredRows, runPasses } from '../../tenant-core/retention/retention.ts';

const keptDays = { hour: 60, day: 1096, keyRequests: 7, rejections: 60 };
/** Rows per transaction: few enough that a waiting request is not noticeably delayed. */
const batchSize = 1000;
const batchesMax = 500;

/** Returns the daily job that deletes expired activity figures. */
export function activityRetentionJob(services: Services): PlatformJob {
  return { kind: 'activity-retention', daily: true, runForPlatform: ({ signal }) => trimActivity(services, signal) };
}

/**
 * Deletes expired figures in batches: hourly points and rejections after 60 days, daily points after three years,
 * requests per key after a week. Returns the time at which to continue, or null if nothing is left.
 */
export async function trimActivity(
  { clock, platform }: PlatformServices,
  signal: AbortSignal,
): Promise<Timestamp | null> {
  const expired = expiredFigures(clock.now());
  const trimBatch = async () => {
    return (await platform.transaction((tx) => deleteAllExpired(tx, expired, batchSize))) >= batchSize;
  };
  return await runPasses([trimBatch], { clock, signal, batchesMax });
}

function expiredFigures(now: Timestamp): ExpiredRows<PlatformTables>[] {
  const ofInterval = (interval: 'hour' | 'day') => ({
    before: addDays(now, -keptDays[interval]),
    equals: { interval },
  });
  const firstKeptDay = addDays(now, -keptDays.keyRequests).slice(0, 10);
  const points = { table: 'activity_points', order: ['bucket_start', 'scope'] } as const;
  const verdicts = { table: 'verdict_points', order: ['bucket_start', 'tenant_id', 'code'] } as const;
  return [
    { ...points, ...ofInterval('hour') },
    { ...points, ...ofInterval('day') },
    { ...verdicts, ...ofInterval('hour') },
    { ...verdicts, ...ofInterval('day') },
    { table: 'api_key_requests', order: ['day', 'tenant_id', 'key_id'], before: firstKeptDay },
    {
      table: 'rate_limited_tenants',
      order: ['last_rejected_at', 'tenant_id'],
      before: addDays(now, -keptDays.rejections),
    },
  ];
}
