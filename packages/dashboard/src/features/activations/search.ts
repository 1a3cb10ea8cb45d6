import { oneOf, searchOf, text } from '../../lib/search.ts';

/** The statuses of an activation. */
export const activationStatuses = ['active', 'expired', 'deactivated'] as const;

/** The search parameters of the list of activations; `activation` is the one whose panel is open. */
export const activationsSearch = searchOf({
  q: text,
  status: oneOf(activationStatuses),
  license_id: text,
  cursor: text,
  activation: text,
});
