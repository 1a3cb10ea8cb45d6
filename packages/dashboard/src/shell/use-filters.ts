import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

interface ChangeOptions {
  /** Replaces the current history entry, for changes while the person types. */
  readonly replace?: boolean;
}

/**
 * Returns the search parameters of the screen and a function that changes some of them; undefined removes one. A change
 * of a filter returns to the first page, because a cursor belongs to its filters. `parse` is the route's
 * `validateSearch`: screens serve two routes, so they read the parameters through it.
 */
export function useFilters<Search extends object>(parse: (search: Record<string, unknown>) => Search) {
  const raw: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changes: Partial<Record<keyof Search, unknown>>, { replace = false }: ChangeOptions = {}) => {
      const search = (before: Record<string, unknown>) => ({ ...before, cursor: undefined, ...changes });
      return navigate({ to: '.', search, replace, resetScroll: false } as object);
    },
    [navigate],
  );
  return [parse(raw), change] as const;
}
