import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { bodyOf, dataOf } from './body.ts';
import { type Range, rangeParameters } from './metrics.ts';
import { platformApi, platformKey } from './platform.ts';
import type { components, operations } from './schema.gen.ts';

export type RateLimitReport = components['schemas']['RateLimitReport'];
type RateLimitFilters = NonNullable<operations['adminListRateLimits']['parameters']['query']>;

/** Reads one page of the tenants with the use of their rate limits. */
export function rateLimitsQuery(filters: RateLimitFilters) {
  return queryOptions({
    queryKey: platformKey('rate-limits', 'list', filters),
    queryFn: () => bodyOf(platformApi().GET('/api/v1/admin/rate-limits', { params: { query: filters } })),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
}

/** Reads the use of one tenant's rate limit, with its rejections over a range that ends now. */
export function rateLimitQuery(id: string, range: Range) {
  return queryOptions({
    queryKey: platformKey('rate-limits', id, range),
    queryFn: () => {
      const params = { path: { id }, query: rangeParameters(range) };
      return dataOf(platformApi().GET('/api/v1/admin/rate-limits/{id}', { params }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  });
}
