import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const identityErrors = {
  'AUTH.INVALID_TOKEN': explain(
    'The bearer token is missing, unknown, revoked or expired.',
    'Log in again and send the new token as `Authorization: Bearer …`.',
  ),
  'AUTH.INVALID_CREDENTIALS': explain(
    'The email address or the password is wrong.',
    'Check both, or request a link to choose a new password.',
  ),
  'AUTH.TWO_FACTOR_REQUIRED': explain(
    'The account has two-factor authentication, and the login has no code.',
    'Repeat the login with the `code` of the authenticator app, or with a recovery code.',
  ),
  'AUTH.TWO_FACTOR_INVALID': explain(
    'The two-factor code is wrong or was used already.',
    'Wait for the next code of the app, or use a recovery code.',
  ),
  'AUTH.ABILITY_REQUIRED': explain(
    'The token is for another kind of account: a user called an admin route, or an admin a tenant route.',
    'Log in with an account of the required kind.',
  ),
  'AUTH.ROLE_REQUIRED': explain(
    "The caller's role does not permit the request.",
    'Ask the person that the message names for the role, or to send the request.',
  ),
  'AUTH.EMAIL_UNVERIFIED': explain(
    "The user's email address is not verified.",
    'Open the link in the mail, or request a new link.',
  ),
  'AUTH.TWO_FACTOR_SETUP_REQUIRED': explain(
    'The service requires two-factor authentication, and the account has none.',
    'Set up an authenticator app and confirm it with a code.',
  ),
  'AUTH.SIGN_UP_CLOSED': explain(
    'The service creates no account in this way: the operator has closed sign-up with `SIGN_UP`.',
    'Ask the owner of a tenant for an invitation. If invitations are refused too, ask the operator.',
  ),
  'ACCOUNT.CHANGED': explain('Another request changed the account meanwhile.', 'Send the request again.'),
  'ACCOUNT.NO_PASSWORD': explain(
    'The user logs in with single sign-on only, and has no password to confirm this with.',
    'Request a link to choose a password first.',
  ),
  'ACCOUNT.EMAIL_TAKEN': explain(
    'Another account has the address by now.',
    'Log in to that account, or ask the operator of the service.',
  ),
  'AUTH.TWO_FACTOR_ENABLED': explain(
    'Two-factor authentication is on already.',
    'Turn it off before you set it up again.',
  ),
  'AUTH.TWO_FACTOR_NOT_SET_UP': explain('No authenticator app is set up.', 'Set one up first.'),
  'AUTH.LINK_INVALID': explain('The link was used, was replaced, or has expired.', 'Request a new link.'),
} satisfies ErrorExplanations;
