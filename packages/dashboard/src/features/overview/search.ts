import type { OverviewRange } from '../../api/overview.ts';
import { flag, oneOf, searchOf, text } from '../../lib/search.ts';

/** The ranges of the chart, by their name in the URL. */
export const ranges = {
  '24h': { label: '24 hours', interval: 'hour', buckets: 24 },
  '7d': { label: '7 days', interval: 'day', buckets: 7 },
  '30d': { label: '30 days', interval: 'day', buckets: 30 },
  '90d': { label: '90 days', interval: 'day', buckets: 90 },
  '1y': { label: '1 year', interval: 'day', buckets: 365 },
} as const satisfies Record<string, OverviewRange & { readonly label: string }>;

export type RangeName = keyof typeof ranges;
export const rangeNames = Object.keys(ranges) as RangeName[];
export const defaultRange: RangeName = '30d';

/** The search parameters of the overview; `start` opens the guide to the first license, `product_id` is of the months. */
export const overviewSearch = searchOf({ range: oneOf(rangeNames), start: flag, product_id: text });
