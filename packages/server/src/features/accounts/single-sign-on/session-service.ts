import type { PlatformTransaction } from '../../../db/database.ts';
import type { SignOnCodesTable } from '../../../db/tables/platform/identity.ts';
import type { ClockServices, MailServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { lockSubject } from '../identity/account-service.ts';
import { checkSecondFactor, limitingWrongCodes, secondFactorInvalid } from '../identity/second-factor-service.ts';
import type { Origin, WhoIsLoggedIn } from '../identity/service.ts';
import { type IssuedSession, issueSession } from '../identity/session-service.ts';
import { actorOf, toSubject } from '../identity/subject.ts';
import { readTwoFactorOf } from '../identity/two-factor-service.ts';
import { hashesOf } from './attempt-service.ts';
import { accountDisabled, attemptInvalid } from './errors.ts';
import { findCode, takeCode } from './queries.ts';

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
  const row = await findCode(platform, holder, clock.now());
  if (row === undefined) throw attemptInvalid();
  const name = { ability: row.ability, id: row.subject_id };
  const logIn = () => platform.transaction((tx) => logInOnce(services, tx, row, exchange));
  // Without a code there is no guess to count.
  const login = secondFactor === undefined ? await logIn() : await limitingWrongCodes(services, name, logIn);
  if (login === null) {
    if (row.ability === 'admin') await recordFailure(services, row, origin);
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
  if (ability === 'admin') await recordAdmin(services, tx, actor, 'ADMIN.LOGIN', id);
  return { ...token, subject };
}

async function recordFailure(services: MailServices, row: SignOnCodesTable, origin: Origin): Promise<void> {
  const actor = actorOf({ ability: 'admin', id: null }, origin);
  await services.platform.transaction((tx) => recordAdmin(services, tx, actor, 'ADMIN.LOGIN_FAILED', row.subject_id));
}

function recordAdmin(
  { clock }: ClockServices,
  tx: PlatformTransaction,
  actor: Actor,
  event: 'ADMIN.LOGIN' | 'ADMIN.LOGIN_FAILED',
  resourceId: string,
): Promise<void> {
  const changes = [{ field: 'method', old: null, new: 'oidc' }];
  return recordPlatformAudit(tx, actor, { event, resourceType: 'admin', resourceId, changes, at: clock.now() });
}
