import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The statuses by which access tokens can be filtered. */
export const accessTokenStatuses = ['active', 'expired', 'revoked'] as const;

/** The search parameters of the access tokens; `panel` is the open form. */
export const accessTokenSearch = searchOf({
  status: oneOf(accessTokenStatuses),
  created_by: text,
  cursor: text,
  panel: oneOf(['new']),
});
