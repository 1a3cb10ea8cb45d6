import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The severities, the most urgent first. */
export const severities = ['critical', 'warning', 'info'] as const;

/** The search parameters of the notifications. Without `show`, the unread ones are shown. */
export const notificationSearch = searchOf({
  show: oneOf(['read', 'all']),
  severity: oneOf(severities),
  cursor: text,
  panel: oneOf(['new']),
});
