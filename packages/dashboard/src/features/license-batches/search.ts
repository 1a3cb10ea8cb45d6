import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The search parameters of the list of batches. */
export const batchesSearch = searchOf({ cursor: text, panel: oneOf(['new']) });
