import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const webhookErrors = {
  'WEBHOOK.DISABLED': explain('The webhook endpoint is disabled.', 'Enable the endpoint first.'),
} satisfies ErrorExplanations;
