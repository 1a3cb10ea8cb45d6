import { oneOf, type SearchOf, searchOf, text } from '../../lib/search.ts';

const readers = { type: oneOf(['boolean', 'value', 'metered']), cursor: text, panel: oneOf(['new']), edit: text };

/** The search parameters of the list of entitlements. */
export const entitlementSearch = searchOf(readers);
export type EntitlementSearch = SearchOf<typeof readers>;
