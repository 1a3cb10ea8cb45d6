import { keepPreviousData, QueryClient, queryOptions } from '@tanstack/react-query';
import type { SurfaceId } from '../surfaces.ts';
import { Problem } from './problem.ts';

const attemptsMax = 3;

/** Returns whether a failed read can succeed if it is repeated at once: no answer, or a service that is starting. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof Problem && (error.status === 0 || error.status === 502 || error.status === 503);
}

/** The cache of everything that the dashboard has read. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 5 * 60_000,
      // Without a network, a read fails and says so, and an action does not wait to run later without a word.
      networkMode: 'always',
      retry: (failures, error) => failures < attemptsMax && isUnavailable(error),
      retryDelay: (failures) => 500 * 2 ** failures,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** Returns a query key with the surface as its prefix, so that tenants and areas never share cached data. */
export function keyOf({ area, tenantId }: SurfaceId, ...rest: readonly unknown[]): readonly unknown[] {
  return [area, tenantId, ...rest];
}

interface Answered<Result> {
  readonly state: { readonly data: Result | undefined };
}

export interface ReadOptions<Result, Shown = Result> {
  readonly refetchInterval?: number | false | ((query: Answered<Result>) => number | false);
  readonly staleTime?: number;
  readonly retry?: boolean;
  /** Makes what the screen gets of the answer. */
  readonly select?: (result: Result) => Shown;
}

/** Reads one page of a list. Until it has arrived, the list shows the page that it showed before. */
export function listQuery<Page, Shown = Page>(
  queryKey: readonly unknown[],
  queryFn: () => Promise<Page>,
  options: ReadOptions<Page, Shown> = {},
) {
  return queryOptions({ queryKey, queryFn, placeholderData: keepPreviousData, ...options });
}
