import { searchOf, text } from '../../lib/search.ts';

/** The search parameters of the list of users. */
export const userSearch = searchOf({ q: text, cursor: text });
