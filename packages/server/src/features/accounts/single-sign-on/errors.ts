import { AppError } from '../../../lib/error.ts';

/** Returns the error for single sign-on that is not configured, at all or for this kind of account. */
export function signOnOff(): AppError {
  return new AppError(
    'AUTH.SSO_OFF',
    'Single sign-on is not configured for this login. Log in with your email address and your password.',
  );
}

/** Returns the same error for a login that is unknown, expired, used, or was started in another browser. */
export function attemptInvalid(): AppError {
  return new AppError(
    'AUTH.SSO_ATTEMPT_INVALID',
    'This login was not started in this browser, was already used, or took longer than 10 minutes. Start it again.',
  );
}

/** Returns the error for a person whose address the provider has not verified. */
export function emailUnverified(): AppError {
  return new AppError(
    'AUTH.SSO_EMAIL_UNVERIFIED',
    'The provider sent no verified email address. Verify your address there, then start the login again.',
  );
}

/** Returns the error for a user without an account, if single sign-on creates none. */
export function noAccount(): AppError {
  return new AppError(
    'AUTH.SSO_NO_ACCOUNT',
    'There is no account with your email address. Register first, or ask the owner of your tenant for an invitation.',
  );
}

/** Returns the error for an address whose account belongs to another identity of the same provider. */
export function identityTaken(): AppError {
  return new AppError(
    'AUTH.SSO_IDENTITY_TAKEN',
    'Another identity of the provider is linked to the account with your email address. Log in with that identity, or unlink it in the account first.',
  );
}

/** Returns the error for a disabled user or admin. */
export function accountDisabled(): AppError {
  return new AppError(
    'AUTH.SSO_ACCOUNT_DISABLED',
    'Your account is disabled. Ask the operator of this service to enable it.',
  );
}

/** Returns the error for a person to whom the provider gives no role of an admin. */
export function roleMissing(claim: string): AppError {
  return new AppError(
    'AUTH.SSO_ROLE_MISSING',
    `The provider gave you no admin role: its claim ${claim} must name exactly one. Ask who runs the provider.`,
  );
}
