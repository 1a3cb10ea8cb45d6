import { rangeNames } from '../../api/metrics.ts';
import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The search parameters of the platform's home: the range of the charts, and the currency of the revenue. */
export const homeSearch = searchOf({ range: oneOf(rangeNames), currency: text });
