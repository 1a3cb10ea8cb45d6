import { searchOf, text } from '../../lib/search.ts';

/** The search parameters of the list of feature flags. */
export const flagSearch = searchOf({ key: text, cursor: text });

/** The search parameters of a flag's page: the tenant for which it is tried. */
export const flagPageSearch = searchOf({ tenant: text });
