import type { Configuration, ServerMetadata } from 'openid-client';
import type { Logger } from 'pino';
import type { OidcConfig } from '../../../config/oidc-config.ts';
import type { AdminRole } from '../../../db/tables/platform/identity.ts';
import { adminRoleNames } from '../../../http/routes/admin-roles.ts';
import { Email } from '../../../http/schema.ts';
import { compileCheck } from '../../../http/validation.ts';
import { isLoopback } from '../../../lib/cidr.ts';
import type { Clock } from '../../../lib/clock.ts';
import { foldEmail } from '../../../lib/email.ts';
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

/** The error codes of a provider that is down, slow, or answers with an unexpected status. */
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
function toSignOnError(library: Library, error: unknown): AppError {
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
function logRefusal(logger: Pick<Logger, 'warn'>, error: unknown): void {
  const { name, message, cause } = error instanceof Error ? error : new Error(String(error));
  const reason = cause instanceof Error ? cause.message : undefined;
  logger.warn({ err: { type: name, code: codeOf(error), message, reason } }, 'single sign-on failed at the provider');
}

/** The values that tie the provider's answer to the request that asked for it. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE code verifier (RFC 7636). */
  readonly codeVerifier: string;
}

/** The operator's provider of OpenID Connect. Its methods throw 503 `SERVICE.UNAVAILABLE` if it cannot be reached. */
export interface SignOnProvider {
  /** Returns new random values for a request. */
  newChecks(): Promise<Checks>;
  /** Returns the URL at the provider to which a browser is sent. */
  authorizationUrl(checks: Checks): Promise<string>;
  /**
   * Exchanges the code in the query with which a browser returned, and returns the verified claims. Throws 401
   * `AUTH.SSO_DENIED` or `AUTH.SSO_TOKEN_INVALID`. `claim` is read at the UserInfo endpoint if the ID token lacks it.
   */
  finish(query: string, checks: Checks, claim: string | null): Promise<Claims>;
}

interface Dependencies {
  readonly oidc: OidcConfig;
  readonly publicUrl: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The path to which the provider returns browsers. */
const callbackPath = '/api/v1/auth/oidc/callback';
/** How long the provider's description is used, and how long the service waits for the provider. */
const metadataLifetimeMs = 10 * 60_000;
const timeoutSeconds = 5;

/** Loaded with the first login, because most installations never need it. */
const loadLibrary = (): Promise<Library> => import('openid-client');

/** Creates the access to a provider. Nothing is requested before the first login. */
export function createSignOnProvider({ oidc, publicUrl, clock, logger }: Dependencies): SignOnProvider {
  const redirectUri = publicUrl + callbackPath;
  let known: { readonly metadata: ServerMetadata; readonly endsMs: number } | undefined;
  let pending: Promise<ServerMetadata> | undefined;

  async function discover(library: Library): Promise<ServerMetadata> {
    const metadata = await readMetadata(library, oidc);
    known = { metadata, endsMs: clock.nowMs() + metadataLifetimeMs };
    return metadata;
  }

  /** Concurrent logins share one request, and failures are not kept. */
  function metadataOf(library: Library): ServerMetadata | Promise<ServerMetadata> {
    if (known !== undefined && clock.nowMs() < known.endsMs) return known.metadata;
    pending ??= discover(library).finally(() => {
      pending = undefined;
    });
    return pending;
  }

  /** A new configuration has no keys yet, so that each login is checked against the keys that the provider has now. */
  async function configure(library: Library): Promise<Configuration> {
    return createConfiguration(library, await metadataOf(library), oidc, clock.nowMs() - Date.now());
  }

  async function contacting<Result>(work: (library: Library) => Promise<Result>): Promise<Result> {
    const library = await loadLibrary();
    try {
      return await work(library);
    } catch (error) {
      if (error instanceof AppError) throw error;
      logRefusal(logger, error);
      throw toSignOnError(library, error);
    }
  }

  return {
    async newChecks() {
      const library = await loadLibrary();
      const { randomState, randomNonce, randomPKCECodeVerifier } = library;
      return { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
    },
    authorizationUrl: ({ state, nonce, codeVerifier }) =>
      contacting(async (library) => {
        const parameters = {
          redirect_uri: redirectUri,
          scope: 'openid email profile',
          state,
          nonce,
          code_challenge: await library.calculatePKCECodeChallenge(codeVerifier),
          code_challenge_method: 'S256',
        };
        return library.buildAuthorizationUrl(await configure(library), parameters).href;
      }),
    finish: (query, { state, nonce, codeVerifier }, claim) =>
      contacting(async (library) => {
        const configuration = await configure(library);
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier };
        const url = new URL(`${redirectUri}?${query}`);
        const tokens = await library.authorizationCodeGrant(configuration, url, { ...checks, idTokenExpected: true });
        const claims = tokens.claims();
        if (claims === undefined) throw new Error('The library has not demanded an ID token.');
        return withUserInfo(library, configuration, { ...claims }, tokens.access_token, claim);
      }),
  };
}

/** Reads the description of a provider (OpenID Connect Discovery). Fails with an error of the library. */
export async function readMetadata(library: Library, { issuer, clientId }: OidcConfig): Promise<ServerMetadata> {
  const execute = isPlain(issuer) ? [library.allowInsecureRequests] : [];
  const options = { execute, timeout: timeoutSeconds };
  const discovered = await library.discovery(new URL(issuer), clientId, undefined, undefined, options);
  return discovered.serverMetadata();
}

/** The configuration admits http on loopback only. */
const isPlain = (issuer: string) => {
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'http:' && isLoopback(hostname.replace(/^\[|\]$/g, ''));
};

function createConfiguration(
  library: Library,
  metadata: ServerMetadata,
  { issuer, clientId, clientSecret }: OidcConfig,
  clockSkewMs: number,
): Configuration {
  // Without a list, a provider supports `client_secret_basic` (OpenID Connect Discovery, section 3).
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const authenticate = methods.includes('client_secret_basic')
    ? library.ClientSecretBasic(clientSecret)
    : library.ClientSecretPost(clientSecret);
  const client = { client_secret: clientSecret, [library.clockSkew]: Math.round(clockSkewMs / 1000) };
  const configuration = new library.Configuration(metadata, clientId, client, authenticate);
  configuration.timeout = timeoutSeconds;
  // Verifies the signature with the provider's keys even though the token comes from the provider itself.
  library.enableNonRepudiationChecks(configuration);
  if (isPlain(issuer)) library.allowInsecureRequests(configuration);
  return configuration;
}

/**
 * Adds the claims of the UserInfo endpoint if the ID token lacks the address or the wanted claim. The signed ID token
 * wins, and an address never gets the `email_verified` of another source.
 */
async function withUserInfo(
  library: Library,
  configuration: Configuration,
  claims: Claims,
  accessToken: string,
  claim: string | null,
): Promise<Claims> {
  const isComplete = claims['email'] !== undefined && (claim === null || claims[claim] !== undefined);
  if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
  const answer = await library.fetchUserInfo(configuration, accessToken, claims.sub);
  const { iss, sub } = claims;
  if (claims['email'] === undefined) return { ...answer, ...withoutEmail(claims), iss, sub };
  return { ...withoutEmail(answer), ...claims };
}

function withoutEmail(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { email: _email, email_verified: _verified, ...rest } = values;
  return rest;
}

/** The claims of a provider about a person. Only `iss` and `sub` are trusted: the signature covers them. */
export type Claims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string };

/** The maximum length of the names that people enter. */
const nameMaxLength = 100;

const isEmail = (value: unknown): value is string => typeof value === 'string' && emailCheck().Check(value);
let compiledEmail: ReturnType<typeof compileCheck> | undefined;
function emailCheck() {
  compiledEmail ??= compileCheck(Email);
  return compiledEmail;
}

/**
 * Returns the normalised address of a person if the provider says that it has verified it: only `email_verified: true`,
 * as a boolean. Returns undefined for an address that is missing, malformed or not verified.
 */
export function verifiedEmail(claims: Claims): string | undefined {
  const { email, email_verified } = claims;
  if (email_verified !== true || !isEmail(email)) return undefined;
  return foldEmail(email);
}

/** Returns the name for a new account: the person's name, else the part of the address before the `@`. */
export function displayName(claims: Claims, email: string): string {
  const texts = [claims['name'], claims['preferred_username'], email.split('@')[0], email];
  const names = texts.filter((text) => typeof text === 'string').map(asName);
  return names.find((name) => name !== '') ?? email.slice(0, nameMaxLength);
}

function asName(text: string): string {
  return [...text.replace(/\p{Cc}/gu, ' ').trim()].slice(0, nameMaxLength).join('').trim();
}

/**
 * Returns the role of an admin that a claim names, either as its value or as the only role of this service in a list.
 * Returns undefined for a claim that is missing, names no role, or names several.
 */
export function adminRoleOf(claims: Claims, claim: string): AdminRole | undefined {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const named = Array.isArray(value) ? value : [value];
  const roles = adminRoleNames.filter((role) => named.includes(role));
  return roles.length === 1 ? roles[0] : undefined;
}
