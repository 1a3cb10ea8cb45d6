import { searchOf, text } from '../../lib/search.ts';

/** The search parameters of the list of bulk operations. */
export const bulkOperationsSearch = searchOf({ cursor: text });
