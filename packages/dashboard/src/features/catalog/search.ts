import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The parts of the catalog. */
export const catalogTabs = ['plans', 'products', 'coupons'] as const;

/** The state of the catalog: the tab, the filters, and the open form. */
export const catalogSearch = searchOf({
  tab: oneOf(catalogTabs),
  archived: oneOf(['yes', 'no']),
  product: text,
  panel: oneOf(['new']),
  cursor: text,
});
