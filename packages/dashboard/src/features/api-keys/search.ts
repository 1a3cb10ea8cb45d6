import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The statuses by which API keys can be filtered. */
export const apiKeyStatuses = ['active', 'expired', 'revoked'] as const;

/** The search parameters of the API keys; `panel` is the open form. */
export const apiKeySearch = searchOf({ status: oneOf(apiKeyStatuses), cursor: text, panel: oneOf(['new']) });
