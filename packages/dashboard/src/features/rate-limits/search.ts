import { rangeNames } from '../../api/metrics.ts';
import { flag, oneOf, searchOf, text } from '../../lib/search.ts';

/** The search parameters of the list of rate limits. */
export const rateLimitSearch = searchOf({
  q: text,
  status: oneOf(['active', 'suspended', 'closed']),
  limited: flag,
  cursor: text,
});

/** The search parameters of one tenant's rate limit. */
export const rateLimitPageSearch = searchOf({ range: oneOf(rangeNames) });
