import type { Logger } from 'pino';
import { AppError } from '../../../lib/error.ts';

type Library = typeof import('openid-client');

const retryAfterSeconds = 10;

/** Returns the 503 for a provider that cannot be reached or does not answer as a provider. */
function providerUnavailable(cause: unknown): AppError {
  return new AppError(
    'SERVICE.UNAVAILABLE',
    'The provider of single sign-on cannot be used at the moment. Try again shortly, or log in with your password.',
    { headers: { 'retry-after': String(retryAfterSeconds) }, cause },
  );
}

const tokenInvalid = (cause: unknown) =>
  new AppError(
    'AUTH.SSO_TOKEN_INVALID',
    'The answer of the provider could not be verified, so nobody was logged in. Start the login again.',
    { cause },
  );

const denied = (cause: unknown) =>
  new AppError(
    'AUTH.SSO_DENIED',
    'The provider refused the login, or it was canceled there. Start the login again, or ask who runs the provider.',
    { cause },
  );

/** What a failed request to the provider means: it is down, slow, or answers with an unexpected status. */
const unavailableCodes = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
];

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
}

/** Converts an error of the library to what the person may see. Messages contain nothing that the provider sent. */
export function toSignOnError(library: Library, error: unknown): AppError {
  if (error instanceof library.AuthorizationResponseError) {
    const isDown = error.error === 'temporarily_unavailable' || error.error === 'server_error';
    return isDown ? providerUnavailable(error) : denied(error);
  }
  if (error instanceof library.ResponseBodyError) {
    // `invalid_grant`: the code is unknown, used or expired. Anything else is a mistake in the configuration.
    return error.error === 'invalid_grant' ? tokenInvalid(error) : providerUnavailable(error);
  }
  // `fetch` reports an unreachable server as a TypeError.
  const isUnreachable = error instanceof TypeError || error instanceof library.WWWAuthenticateChallengeError;
  if (isUnreachable || unavailableCodes.some((code) => code === codeOf(error))) return providerUnavailable(error);
  if (error instanceof library.ClientError) return tokenInvalid(error);
  return new AppError('INTERNAL.ERROR', 'Unexpected error. If it persists, send the request id to support.', {
    cause: error,
  });
}

/** Logs why the provider's answer was refused, without any token or claim. */
export function logRefusal(logger: Pick<Logger, 'warn'>, error: unknown): void {
  const { name, message, cause } = error instanceof Error ? error : new Error(String(error));
  const reason = cause instanceof Error ? cause.message : undefined;
  logger.warn({ error: name, code: codeOf(error), message, reason }, 'single sign-on failed at the provider');
}
