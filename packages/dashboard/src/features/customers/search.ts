import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The search parameters of the list of customers. */
export const customersSearch = searchOf({ q: text, cursor: text });

/** The search parameters of one customer. */
export const customerSearch = searchOf({ panel: oneOf(['edit']), cursor: text });
