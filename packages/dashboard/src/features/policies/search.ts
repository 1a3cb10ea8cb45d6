import { oneOf, type SearchOf, searchOf, text } from '../../lib/search.ts';

const readers = { q: text, product_id: text, archived: oneOf(['only', 'all']), cursor: text };

/** The search parameters of the list of policies. */
export const policySearch = searchOf(readers);
export type PolicySearch = SearchOf<typeof readers>;

const newReaders = {
  product_id: text,
  /** The policy that is duplicated. */
  from: text,
  template: oneOf(['perpetual', 'subscription', 'floating', 'trial', 'metered']),
};

/** The search parameters of the form for a new policy. */
export const newPolicySearch = searchOf(newReaders);
