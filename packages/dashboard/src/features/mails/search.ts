import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The periods by which the list can be filtered, in days. */
export const mailPeriods = { day: 1, week: 7 } as const;

/** The search parameters of the list of mails. */
export const mailSearch = searchOf({ period: oneOf(['day', 'week']), cursor: text });
