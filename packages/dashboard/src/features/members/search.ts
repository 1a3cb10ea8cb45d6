import { oneOf, searchOf, text } from '../../lib/search.ts';

/** Reads the search parameters of the list of members. */
export const membersSearch = searchOf({
  role: oneOf(['owner', 'admin', 'viewer']),
  cursor: text,
  panel: oneOf(['new']),
});
