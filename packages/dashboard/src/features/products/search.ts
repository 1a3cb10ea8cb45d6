import { oneOf, type SearchOf, searchOf, text } from '../../lib/search.ts';

const readers = { q: text, archived: oneOf(['only', 'all']), cursor: text, panel: oneOf(['new']) };

/** The search parameters of the list of products. */
export const productSearch = searchOf(readers);
export type ProductSearch = SearchOf<typeof readers>;

const detailReaders = { panel: oneOf(['edit']) };

/** The search parameters of a product's page. */
export const productDetailSearch = searchOf(detailReaders);
