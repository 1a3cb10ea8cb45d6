import { liveMs } from './connections.ts';
import { onSurface } from './endpoints.ts';
import type { components } from './schema.gen.ts';

export type Comparison = components['schemas']['Comparison'];
export type Difference = components['schemas']['ComparisonDifference'];

/** Reads the newest comparisons of a connection. */
export const comparisonsQuery = onSurface.page(
  '/api/v1/tenant/connections/{id}/comparisons',
  ['connections', '{id}', 'comparisons', 'list'],
  { query: { limit: 10 }, refetchInterval: liveMs },
);

/** Reads one comparison. */
export const comparisonQuery = onSurface.one(
  '/api/v1/tenant/connections/{id}/comparisons/{comparison_id}',
  ['connections', '{id}', 'comparisons'],
  { refetchInterval: 1_500 },
);

/** Reads one page of what a comparison found. */
export const differencesQuery = onSurface.list(
  '/api/v1/tenant/connections/{id}/comparisons/{comparison_id}/differences',
  ['connections', '{id}', 'comparisons', '{comparison_id}', 'differences'],
  { refetchInterval: liveMs },
);

/** Begins to compare the shop's sales with those that are known here. */
export const startComparison = onSurface.POST('/api/v1/tenant/connections/{id}/comparisons');

/** Applies one difference. */
export const applyDifference = onSurface.POST(
  '/api/v1/tenant/connections/{id}/comparisons/{comparison_id}/differences/{difference_id}/apply',
);

/** Ends a comparison, or stops it while it applies what it has found. */
export const cancelComparison = onSurface.POST('/api/v1/tenant/connections/{id}/comparisons/{comparison_id}/cancel');

/** Applies every open difference of a comparison. */
export const applyComparison = onSurface.POST('/api/v1/tenant/connections/{id}/comparisons/{comparison_id}/apply');
