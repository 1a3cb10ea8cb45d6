import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const trialErrors = {
  'TRIAL.NOT_OFFERED': explain(
    'The product offers no trials without a key.',
    'Choose a trial policy in the product, or ask the user for a license key.',
  ),
  'TRIAL.EMAIL_REQUIRED': explain(
    'The trial needs an email address.',
    'Ask the user for an address and send it as `email`.',
  ),
  'TRIAL.CODE_INVALID': explain(
    'The code of a trial is wrong or has expired.',
    'Check it against the mail, or start the trial again for a new code.',
  ),
  'TRIAL.LIMIT_REACHED': explain(
    'Too many trials were started today, by the tenant or from one network.',
    'Wait as long as `Retry-After` says, or use a license key; the vendor can raise the limits in the settings.',
  ),
} satisfies ErrorExplanations;
