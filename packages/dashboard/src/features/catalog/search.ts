import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The state of the catalog: the tab, the filters, and the open form. */
export const catalogSearch = searchOf({
  tab: oneOf(['plans', 'products']),
  archived: oneOf(['yes', 'no']),
  product: text,
  panel: oneOf(['new']),
  cursor: text,
});
