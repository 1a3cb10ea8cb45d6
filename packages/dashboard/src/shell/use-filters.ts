import { useNavigate, useSearch } from '@tanstack/react-router';
import { createContext, useCallback } from 'react';

/** The filters above a list: the search parameters, and which of them are filters. */
export interface ListFilters {
  readonly search: Readonly<Record<string, unknown>>;
  readonly change: (changes: object, options?: ChangeOptions) => unknown;
  readonly names: readonly string[];
  /** Whether any filter is set. */
  readonly isFiltered: boolean;
}

/** The filters that the fields of a `FilterBar` read and change by name. */
export const FiltersContext = createContext<ListFilters | null>(null);

interface ChangeOptions {
  /** Replaces the current history entry, for changes while the person types. */
  readonly replace?: boolean;
}

/**
 * Returns the search parameters of the screen and a function that changes some of them; undefined removes one. A change
 * of a filter returns to the first page, because a cursor belongs to its filters. `parse` is the route's
 * `validateSearch`: screens serve two routes, so they read the parameters through it. The parameters in `names` are the
 * filters of a list, which the third value gives to a `FilterBar`.
 */
export function useFilters<Search extends Readonly<Record<string, unknown>>>(
  parse: (search: Record<string, unknown>) => Search,
  ...names: readonly (keyof Search & string)[]
) {
  const raw: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changes: object, { replace = false }: ChangeOptions = {}) => {
      const search = (before: Record<string, unknown>) => ({ ...before, cursor: undefined, ...changes });
      return navigate({ to: '.', search, replace, resetScroll: false } as object);
    },
    [navigate],
  );
  const search = parse(raw);
  const isFiltered = names.some((name) => search[name] !== undefined);
  const filters: ListFilters = { search, change, names, isFiltered };
  const typed: (changes: Partial<Record<keyof Search, unknown>>, options?: ChangeOptions) => Promise<void> = change;
  return [search, typed, filters] as const;
}
