import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const singleSignOnErrors = {
  'AUTH.SSO_DENIED': explain(
    'The provider of single sign-on refused the login, or it was canceled there.',
    'Start the login again, or ask who runs the provider.',
  ),
  'AUTH.SSO_TOKEN_INVALID': explain(
    "The provider's answer could not be verified; the log says why.",
    'Start the login again; if it fails again, send the request id to the operator.',
  ),
  'AUTH.SSO_EMAIL_UNVERIFIED': explain(
    'The provider of single sign-on sent no verified email address.',
    'Verify the address at the provider.',
  ),
  'AUTH.SSO_NO_ACCOUNT': explain(
    'No account has the address, and single sign-on creates none.',
    'Register first, or ask for an invitation.',
  ),
  'AUTH.SSO_ROLE_MISSING': explain(
    'The provider gave the person no admin role, or several.',
    'Ask who runs the provider to set the claim of `OIDC_ADMIN_CLAIM` to one role.',
  ),
  'AUTH.SSO_ACCOUNT_DISABLED': explain('The account is disabled.', 'Ask the operator to enable the account.'),
  'AUTH.SSO_OFF': explain(
    'Single sign-on is not configured for this kind of account.',
    'Log in with the email address and the password.',
  ),
  'AUTH.SSO_IDENTITY_TAKEN': explain(
    'Another identity of the provider is linked to the account with this address.',
    'Log in with that identity, or unlink it first.',
  ),
  'AUTH.SSO_ATTEMPT_INVALID': explain(
    'The single sign-on was started in another browser, was used already, or has expired.',
    'Start the login again.',
  ),
} satisfies ErrorExplanations;
