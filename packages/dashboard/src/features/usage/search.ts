import { oneOf, type SearchOf, searchOf, text } from '../../lib/search.ts';

const readers = {
  license_id: text,
  entitlement: text,
  /** Days such as `2027-01-31`, in the reader's timezone. The last one is included. */
  from: text,
  to: text,
  interval: oneOf(['hour', 'day', 'week', 'month']),
  cursor: text,
};

/** The search parameters of the usage screen. */
export const usageSearch = searchOf(readers);
export type UsageSearch = SearchOf<typeof readers>;
