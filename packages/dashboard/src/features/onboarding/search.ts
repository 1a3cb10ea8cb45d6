import { flag, oneOf, searchOf, text } from '../../lib/search.ts';

/** The state of the sign-up: the chosen plan, or the checkout that is shown. The payment provider returns here. */
export const welcomeSearch = searchOf({
  onboarding: text,
  canceled: flag,
  plan: text,
  interval: oneOf(['month', 'year']),
  currency: text,
});
