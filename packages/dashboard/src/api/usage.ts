import type { UsageSearch } from '../features/usage/search.ts';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf, listQuery } from './query-client.ts';
import type { components } from './schema.gen.ts';

/** The usage of one entitlement by one license in one interval. */
export type UsageBucket = components['schemas']['UsageBucket'];

/** The usage of all licenses in one interval. */
export type UsagePoint = components['schemas']['UsagePoint'];

/** Returns when a day begins for the reader, or `days` later. */
function startOf(day: string, days = 0): string | undefined {
  const start = new Date(`${day}T00:00`);
  if (Number.isNaN(start.getTime())) return undefined;
  start.setDate(start.getDate() + days);
  return start.toISOString();
}

function filtersOf({ license_id, entitlement, interval, from, to }: UsageSearch) {
  const start = from === undefined ? undefined : startOf(from);
  const end = to === undefined ? undefined : startOf(to, 1);
  return {
    ...(license_id && { license_id }),
    ...(entitlement && { entitlement }),
    ...(interval && { interval }),
    ...(start && { from: start }),
    ...(end && { to: end }),
  };
}

/** Reads the usage over time, summed over all licenses that match. */
export function usageSeriesQuery(surface: Surface, search: UsageSearch) {
  const query = filtersOf(search);
  return listQuery(keyOf(surface, 'usage', 'series', query), () =>
    dataOf(apiOf(surface).GET('/api/v1/tenant/usage/series', { params: { query } })),
  );
}

/** Reads one page of the usage per license. */
export function usageQuery(surface: Surface, search: UsageSearch) {
  const query = { ...filtersOf(search), ...(search.cursor && { cursor: search.cursor }) };
  return listQuery(keyOf(surface, 'usage', 'list', query), () =>
    bodyOf(apiOf(surface).GET('/api/v1/tenant/usage', { params: { query } })),
  );
}
