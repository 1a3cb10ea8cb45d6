import { oneOf, searchOf, text } from '../../lib/search.ts';
import { eventTypes } from './event-types.ts';

/** The search parameters of the list of webhook endpoints. */
export const webhooksSearch = searchOf({ status: oneOf(['enabled', 'disabled']), cursor: text, panel: oneOf(['new']) });

/** The search parameters of a webhook endpoint's page; the filters are those of its deliveries. */
export const webhookSearch = searchOf({
  tab: oneOf(['deliveries', 'verify']),
  status: oneOf(['pending', 'succeeded', 'failed']),
  event_type: oneOf(eventTypes),
  cursor: text,
  panel: oneOf(['edit']),
});
