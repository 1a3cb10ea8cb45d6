import { addDays } from '../../../lib/duration.ts';
import type { PlatformRetention } from '../../tenant-core/retention/retention.ts';

const keptDays = { hour: 60, day: 1096, keyRequests: 7, rejections: 60 };

/** Hourly points and rejections expire after 60 days, daily points after three years, requests per key after a week. */
export const activityRetention: PlatformRetention = (now) => {
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
};
