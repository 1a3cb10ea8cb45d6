import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

/** The state of a tenant at a glance. */
export type Overview = components['schemas']['Overview'];

/** A range of the chart that ends now. */
export interface OverviewRange {
  readonly interval: 'hour' | 'day';
  /** The number of buckets, including the current one. */
  readonly buckets: number;
}

const bucketMs = { hour: 3_600_000, day: 86_400_000 } as const;
const quickMs = 4_000;
const calmMs = 30_000;

/** Reads the overview. It stays current, and more so while a new tenant takes its first steps. */
export function overviewQuery(surface: Surface, { interval, buckets }: OverviewRange) {
  return queryOptions({
    queryKey: keyOf(surface, 'overview', interval, buckets),
    queryFn: () => {
      const from = new Date(Date.now() - (buckets - 1) * bucketMs[interval]).toISOString();
      return dataOf(apiOf(surface).GET('/api/v1/tenant/overview', { params: { query: { interval, from } } }));
    },
    refetchInterval: ({ state }) => (state.data?.first_steps.validation === false ? quickMs : calmMs),
  });
}
