import { randomBytes } from 'node:crypto';
import type { PlatformTransaction } from '../../../db/database.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import { insertRow } from '../../../db/rows.ts';
import type { SignOnAttemptsTable, SignOnCodesTable } from '../../../db/tables/platform/identity.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import type { Keyring } from '../../../lib/keyring.ts';
import type { ClockServices, MailServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { lockSubject } from '../identity/account-service.ts';
import { checkSecondFactor, limitingWrongCodes, secondFactorInvalid } from '../identity/second-factor-service.ts';
import type { Origin, WhoIsLoggedIn } from '../identity/service.ts';
import { type IssuedSession, issueSession } from '../identity/session-service.ts';
import { type Ability, accountEvent, actorOf, type SubjectName, subjectKinds, toSubject } from '../identity/subject.ts';
import { readTwoFactorOf } from '../identity/two-factor-service.ts';
import { accountDisabled, attemptInvalid, signOnOff } from './errors.ts';
import type { Checks, Claims, SignOnProvider } from './provider.ts';
import { findCode, takeAttempt, takeCode } from './queries.ts';
import { signOnAdmin, signOnUser } from './sign-on-service.ts';

/** What the service needs; `provider` is null without `OIDC_ISSUER`. */
export type SignOnServices = MailServices & {
  readonly provider: SignOnProvider | null;
};

/** The seconds in which a person must log in at the provider, and in which the dashboard must use the code. */
const attemptSeconds = 600;
const codeSeconds = 300;

/** How long the cookie of a browser lives: as long as the codes of its logins. */
export const browserCookieSeconds = attemptSeconds + codeSeconds;

/** Returns the kinds of account that can log in with the provider. */
export function signOnAbilities({ config }: MailServices): Ability[] {
  if (config.oidc === null) return [];
  return config.oidc.adminClaim === null ? ['tenant'] : ['tenant', 'admin'];
}

/** Returns a new secret: 32 random bytes in base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the hashes under which a secret may be stored, the current one first. */
function hashesOf(keyring: Keyring, secret: string): readonly string[] {
  return [keyring.hash(secret), ...keyring.previousHashes(secret)];
}

interface StartedBy {
  readonly ability: Ability;
  /** The path of the dashboard to open after the login. */
  readonly returnTo: string | null;
  /** The secret in the cookie of the browser. */
  readonly browser: string;
}

/**
 * Starts a login and returns the URL at the provider. Throws 404 `AUTH.SSO_OFF`, and 503 `SERVICE.UNAVAILABLE` if the
 * provider cannot be reached.
 */
export async function startSignOn(
  services: SignOnServices,
  { ability, returnTo, browser }: StartedBy,
): Promise<string> {
  const { clock, keyring, platform, provider } = services;
  if (provider === null || !signOnAbilities(services).includes(ability)) throw signOnOff();
  const checks = await provider.newChecks();
  const url = await provider.authorizationUrl(checks);
  const at = clock.now();
  await insertRow(platform.query, 'sign_on_attempts', {
    state_hash: keyring.hash(checks.state),
    browser_hash: keyring.hash(browser),
    ability,
    return_to: returnTo,
    sealed_checks: keyring.seal(JSON.stringify({ nonce: checks.nonce, codeVerifier: checks.codeVerifier })),
    created_at: at,
    expires_at: addSeconds(at, attemptSeconds),
  });
  return url;
}

/** A browser that returns from the provider. */
interface Returned {
  /** The query of the URL, without `?`. */
  readonly query: string;
  readonly browser: string | undefined;
  readonly origin: Origin;
}

/** A login at the provider, with the code that the dashboard exchanges or the reason of the failure. */
export interface FinishedSignOn {
  readonly ability: Ability;
  readonly returnTo: string | null;
  readonly outcome: { readonly code: string } | { readonly error: AppError };
}

/**
 * Finishes a login with the query that the provider sent: verifies it, finds or creates the account, and creates a code
 * that works once, in the same browser, for 5 minutes. Throws 422 `AUTH.SSO_ATTEMPT_INVALID` for a login that this
 * browser has not started, and 404 `AUTH.SSO_OFF`; reports any other refusal as the outcome.
 */
export async function finishSignOn(
  services: SignOnServices,
  { query, browser, origin }: Returned,
): Promise<FinishedSignOn> {
  const { provider } = services;
  if (provider === null) throw signOnOff();
  const state = new URLSearchParams(query).get('state');
  if (state === null || browser === undefined) throw attemptInvalid();
  const attempt = await useAttempt(services, state, browser);
  const { ability, return_to: returnTo } = attempt;
  try {
    const checks: Checks = { state, ...JSON.parse(services.keyring.open(attempt.sealed_checks)) };
    const claim = ability === 'admin' ? (services.config.oidc?.adminClaim ?? null) : null;
    const claims = await provider.finish(query, checks, claim);
    const code = await admit(services, attempt, { claims, origin });
    services.mail.kick();
    return { ability, returnTo, outcome: { code } };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await recordRefusal(services, ability, error, origin);
    return { ability, returnTo, outcome: { error } };
  }
}

async function useAttempt(
  { clock, keyring, platform }: SignOnServices,
  state: string,
  browser: string,
): Promise<SignOnAttemptsTable> {
  const holder = { hashes: hashesOf(keyring, state), browserHashes: hashesOf(keyring, browser) };
  const attempt = orThrow(await takeAttempt(platform, holder, clock.now()), attemptInvalid);
  return attempt;
}

interface Admitted {
  readonly claims: Claims;
  readonly origin: Origin;
}

/** Finds or creates the account of a person and returns a code for it. */
async function admit(services: SignOnServices, attempt: SignOnAttemptsTable, person: Admitted): Promise<string> {
  const code = newSecret();
  const work = () => admitOnce(services, attempt, person, code);
  try {
    await work();
  } catch (error) {
    // A concurrent first login of the same person has created the account or the link, which the second run finds.
    if (!isUniqueViolation(error)) throw error;
    await work();
  }
  return code;
}

function admitOnce(
  services: SignOnServices,
  { ability, browser_hash }: SignOnAttemptsTable,
  { claims, origin }: Admitted,
  code: string,
): Promise<void> {
  return services.platform.transaction(async (tx) => {
    const at = services.clock.now();
    const person = { claims, origin, at };
    const claim = services.config.oidc?.adminClaim ?? null;
    if (ability === 'admin' && claim === null) throw signOnOff();
    const subject_id =
      ability === 'admin' && claim !== null
        ? await signOnAdmin(services, tx, person, claim)
        : await signOnUser(services, tx, person);
    const expires_at = addSeconds(at, codeSeconds);
    const code_hash = services.keyring.hash(code);
    await insertRow(tx, 'sign_on_codes', { code_hash, browser_hash, ability, subject_id, created_at: at, expires_at });
  });
}

/** Records a refused login. The actor has no id, because the request is unauthenticated. */
async function recordRefusal(
  services: SignOnServices,
  ability: Ability,
  error: AppError,
  origin: Origin,
): Promise<void> {
  await services.platform.transaction((tx) =>
    recordPlatformAudit(tx, actorOf({ ability, id: null }, origin), {
      event: accountEvent(ability, 'LOGIN_FAILED'),
      resourceType: subjectKinds[ability].auditType,
      resourceId: null,
      changes: [
        { field: 'method', old: null, new: 'oidc' },
        { field: 'reason', old: null, new: error.code },
      ],
      at: services.clock.now(),
    }),
  );
}

interface Exchange {
  readonly code: string;
  /** The secret in the cookie of the browser. */
  readonly browser: string | undefined;
  /** The code of the authenticator app, or a recovery code. */
  readonly secondFactor: string | undefined;
  readonly deviceName: string | null;
  readonly origin: Origin;
}

/**
 * Exchanges the code of a finished login for a token. An account with an authenticator app also needs its code; the
 * first code then stays valid. Throws 422 `AUTH.SSO_ATTEMPT_INVALID`, 403 `AUTH.SSO_ACCOUNT_DISABLED`, 401
 * `AUTH.TWO_FACTOR_REQUIRED` or `AUTH.TWO_FACTOR_INVALID`, and 429 `AUTH.LOCKED_OUT`.
 */
export async function exchangeCode(services: MailServices, exchange: Exchange): Promise<IssuedSession & WhoIsLoggedIn> {
  const { clock, keyring, platform } = services;
  const { code, browser, secondFactor, origin } = exchange;
  if (browser === undefined) throw attemptInvalid();
  const holder = { hashes: hashesOf(keyring, code), browserHashes: hashesOf(keyring, browser) };
  const row = orThrow(await findCode(platform, holder, clock.now()), attemptInvalid);
  const name = { ability: row.ability, id: row.subject_id };
  const logIn = () => platform.transaction((tx) => logInOnce(services, tx, row, exchange));
  // Without a code there is no guess to count.
  const login = secondFactor === undefined ? await logIn() : await limitingWrongCodes(services, name, logIn);
  if (login === null) {
    await recordFailure(services, row, origin);
    throw secondFactorInvalid();
  }
  const { enabled: hasTwoFactor } = await readTwoFactorOf(services, name);
  return { ...login, hasTwoFactor };
}

/** Returns null if the code of the authenticator app is wrong. */
async function logInOnce(
  services: MailServices,
  tx: PlatformTransaction,
  row: SignOnCodesTable,
  { secondFactor, deviceName, origin }: Exchange,
) {
  const { ability, subject_id: id } = row;
  const account = await lockSubject(tx, ability, 'id', id);
  if (account === undefined || account.disabled_at !== null) throw accountDisabled();
  const subject = toSubject(ability, account);
  const actor = actorOf({ ability, id }, origin);
  if (!(await checkSecondFactor(services, tx, { ability, id }, secondFactor, actor))) return null;
  if (!(await takeCode(tx, row.code_hash))) throw attemptInvalid();
  const token = await issueSession(services, tx, subject, { deviceName, ip: origin.ip, method: 'oidc' });
  await recordLogin(services, tx, actor, { ability, id }, 'LOGIN');
  return { ...token, subject };
}

async function recordFailure(services: MailServices, row: SignOnCodesTable, origin: Origin): Promise<void> {
  const name = { ability: row.ability, id: row.subject_id };
  const actor = actorOf({ ability: row.ability, id: null }, origin);
  await services.platform.transaction((tx) => recordLogin(services, tx, actor, name, 'LOGIN_FAILED'));
}

function recordLogin(
  { clock }: ClockServices,
  tx: PlatformTransaction,
  actor: Actor,
  { ability, id: resourceId }: SubjectName,
  verb: 'LOGIN' | 'LOGIN_FAILED',
): Promise<void> {
  const about = { resourceType: subjectKinds[ability].auditType, resourceId, at: clock.now() };
  const changes = [{ field: 'method', old: null, new: 'oidc' }];
  return recordPlatformAudit(tx, actor, { event: accountEvent(ability, verb), ...about, changes });
}
