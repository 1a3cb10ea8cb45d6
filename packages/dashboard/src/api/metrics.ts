import { dataOf } from './body.ts';
import { platformApi, platformKey } from './platform.ts';
import { listQuery } from './query-client.ts';
import type { components } from './schema.gen.ts';

export type Metrics = components['schemas']['Metrics'];

/** The ranges that a person can choose, with the length in hours and the length of a bucket. */
export const ranges = {
  '24h': { label: '24 hours', hours: 24, interval: 'hour' },
  '7d': { label: '7 days', hours: 7 * 24, interval: 'day' },
  '30d': { label: '30 days', hours: 30 * 24, interval: 'day' },
  '90d': { label: '90 days', hours: 90 * 24, interval: 'day' },
} as const;
export type Range = keyof typeof ranges;
export const rangeNames = ['24h', '7d', '30d', '90d'] as const satisfies readonly Range[];

/** Returns the query parameters of a range that ends now. */
export function rangeParameters(range: Range): { readonly from: string; readonly interval: 'hour' | 'day' } {
  const { hours, interval } = ranges[range];
  return { from: new Date(Date.now() - hours * 3_600_000).toISOString(), interval };
}

/** Reads the figures of the platform, or of one tenant, over a range that ends now. */
export function metricsQuery(range: Range, tenantId?: string) {
  return listQuery(
    platformKey('metrics', range, tenantId ?? null),
    () => {
      const query = { ...rangeParameters(range), ...(tenantId !== undefined && { tenant_id: tenantId }) };
      return dataOf(platformApi().GET('/api/v1/admin/metrics', { params: { query } }));
    },
    { refetchInterval: 30_000 },
  );
}
