import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The statuses by which API keys and access tokens can be filtered. */
export const credentialStatuses = ['active', 'expired', 'revoked'] as const;

const common = { status: oneOf(credentialStatuses), cursor: text, panel: oneOf(['new']) };

/** The search parameters of the API keys; `panel` is the open form. */
export const apiKeySearch = searchOf(common);

/** The search parameters of the access tokens; `panel` is the open form. */
export const accessTokenSearch = searchOf({ ...common, created_by: text });
