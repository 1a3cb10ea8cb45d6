import { searchOf, text } from '../../lib/search.ts';

/** Reads the search parameters of the login: the page to open afterwards. */
export const loginSearch = searchOf({ next: text });
