import type { PlatformTransaction } from '../../../db/database.ts';
import { adminRoles } from '../../../http/routes/admin-roles.ts';
import { clientNetwork } from '../../../lib/cidr.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError } from '../../../lib/error.ts';
import { assertHashingPossible, verifyPassword } from '../../../lib/password.ts';
import type { Lockout } from '../../../rate-limit/lockout.ts';
import type { MailServices, PlatformServices, Services } from '../../../services.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { type Account, findAccount, listTenantsOfUser, lockUnchangedAccount } from './account-queries.ts';
import type { LoginInput } from './schemas.ts';
import {
  checkSecondFactor,
  limitingWrongCodes,
  secondFactorInvalid,
  secondFactorRequired,
} from './second-factor-service.ts';
import { deleteSession, type LiveSession } from './session-queries.ts';
import { type Bearer, type IssuedSession, issueSession } from './session-service.ts';
import { type Ability, accountEvent, actorOf, nameOf, personOf, type Subject, subjectKinds } from './subject.ts';

/** The logged-in user or admin, and whether a login requires a code. */
export interface WhoIsLoggedIn {
  readonly subject: Subject;
  readonly hasTwoFactor: boolean;
}

/** The id and the client address of a request, for the audit log and for lockouts. */
export interface Origin {
  readonly requestId: string;
  readonly ip: string;
}

/**
 * Checks the credentials and creates a token. Throws 401 `AUTH.INVALID_CREDENTIALS`, with the same message and after
 * the same work for an unknown address and a wrong password, and 429 `AUTH.LOCKED_OUT`. If the password is right and an
 * authenticator app is set up, throws 401 `AUTH.TWO_FACTOR_REQUIRED` without a code, which does not count as a failure,
 * and 401 `AUTH.TWO_FACTOR_INVALID` for a wrong code. Throws 503 `SERVICE.UNAVAILABLE` when too many others wait for
 * the check of their password.
 */
export async function logIn(
  services: MailServices & Pick<Services, 'metrics'>,
  lockout: Lockout,
  input: LoginInput,
  origin: Origin,
): Promise<IssuedSession & WhoIsLoggedIn> {
  assertHashingPossible();
  const ability = input.ability ?? 'tenant';
  const email = foldEmail(input.email);
  let account: Account | undefined;
  let isPasswordRight = false;
  const attempt = { account: `${ability}:${email}`, address: clientNetwork(origin.ip) };
  const countLocked = (error: unknown): never => {
    if (error instanceof AppError && error.code === 'AUTH.LOCKED_OUT') {
      services.metrics.logins.countLogin(ability, 'locked');
    }
    throw error;
  };
  const login = lockout.attempt(attempt, async () => {
    account = await findAccount(services.platform, ability, email);
    isPasswordRight = await verifyPassword(account?.passwordHash ?? null, input.password);
    return isPasswordRight && account !== undefined ? completeLogin(services, account, input, origin) : null;
  });
  const outcome = await login.catch(countLocked);
  if (outcome.subject !== null) {
    services.metrics.logins.countLogin(ability, 'succeeded');
    return outcome.subject;
  }
  services.metrics.logins.countLogin(ability, 'failed');
  await recordFailedLogin(services, ability, account, outcome.locked, origin);
  throw isPasswordRight && account?.hasTwoFactor ? secondFactorInvalid() : wrongCredentials();
}

/** Returns the same error for an unknown address and a wrong password. */
export function wrongCredentials(): AppError {
  return new AppError('AUTH.INVALID_CREDENTIALS', 'The email address or the password is wrong. Check both.');
}

/** Issues a token after the password was checked. Returns null if the code is wrong. */
function completeLogin(services: MailServices, account: Account, input: LoginInput, origin: Origin) {
  if (!account.hasTwoFactor) return issueTo(services, account, input, origin);
  if (input.code === undefined) throw secondFactorRequired();
  return limitingWrongCodes(services, nameOf(account.subject), () => issueTo(services, account, input, origin));
}

/** Returns null if the code is wrong, or if the account was disabled or its password changed since it was read. */
function issueTo(services: MailServices, account: Account, input: LoginInput, origin: Origin) {
  const { subject, passwordHash, hasTwoFactor } = account;
  const name = nameOf(subject);
  const actor = actorOf(name, origin);
  return services.platform.transaction(async (tx) => {
    const unchanged = passwordHash !== null && (await lockUnchangedAccount(tx, name, passwordHash));
    if (!unchanged || !(await checkSecondFactor(services, tx, name, input.code, actor))) return null;
    const token = await issueSession(services, tx, subject, {
      deviceName: input.device_name ?? null,
      ip: origin.ip,
      method: 'password',
    });
    await recordSession(services, tx, subject, 'LOGIN', origin);
    return { ...token, subject, hasTwoFactor };
  });
}

/** Revokes the token of the request. */
export async function logOut(services: MailServices, token: LiveSession, origin: Origin): Promise<void> {
  await services.platform.transaction(async (tx) => {
    const revoked = await deleteSession(tx, nameOf(token.subject), token.id);
    if (revoked) await recordSession(services, tx, token.subject, 'LOGOUT', origin);
  });
}

async function recordSession(
  services: MailServices,
  tx: PlatformTransaction,
  subject: Subject,
  verb: 'LOGIN' | 'LOGOUT',
  origin: Origin,
): Promise<void> {
  const name = nameOf(subject);
  const entry = { event: accountEvent(name.ability, verb), resourceType: subjectKinds[name.ability].auditType };
  await recordPlatformAudit(tx, actorOf(name, origin), { ...entry, resourceId: name.id, at: services.clock.now() });
}

/**
 * Records a failed login. The actor has no id, because the request is unauthenticated. The resource is the account; an
 * unknown address is recorded without one, so that the work does not reveal who has an account.
 */
async function recordFailedLogin(
  services: MailServices,
  ability: Ability,
  account: Account | undefined,
  locked: boolean,
  origin: Origin,
): Promise<void> {
  const actor = actorOf({ ability, id: null }, origin);
  const resourceId = account === undefined ? null : personOf(account.subject).id;
  const about = { resourceType: subjectKinds[ability].auditType, resourceId, at: services.clock.now() };
  await services.platform.transaction(async (tx) => {
    await recordPlatformAudit(tx, actor, { event: accountEvent(ability, 'LOGIN_FAILED'), ...about });
    if (locked) await recordPlatformAudit(tx, actor, { event: accountEvent(ability, 'LOCKED_OUT'), ...about });
  });
}

/** Returns what `me` responds with. For an access token: the token, and its tenant in any status. */
export async function describeBearer(services: Services, bearer: Bearer) {
  if (bearer.kind === 'session') return describeSubject(services, bearer.session);
  const { token_id, token_name, token_created_at, role, expires_at, id, name, status, live_tenant_id } =
    bearer.accessToken;
  services.accessTokenUsage.record(token_id, services.clock.nowMs());
  return {
    ability: 'tenant' as const,
    access_token: { id: token_id, name: token_name, role, created_at: token_created_at, expires_at },
    two_factor_enabled: false,
    tenants: [{ id, name, role, status, live_tenant_id }],
  };
}

/**
 * Returns what `me` responds with for a person, and a login in addition to its token. The `tenants` of an admin are
 * empty.
 */
export async function describeSubject(services: PlatformServices, who: WhoIsLoggedIn) {
  const { subject, hasTwoFactor } = who;
  const tenants = subject.ability === 'tenant' ? await listTenantsOfUser(services.platform, subject.user.id) : [];
  const shown = tenants.map(({ joined_at: _joined, payment_due_at: dueAt, demo_row_id: demoRowId, ...tenant }) => ({
    ...tenant,
    ...(dueAt !== null && { payment_due_at: dueAt }),
    ...(demoRowId !== null && { is_demo: true }),
  }));
  const person =
    subject.ability === 'tenant'
      ? subject
      : { ...subject, admin: { ...subject.admin, rights: adminRoles[subject.admin.role].rights } };
  return { ...person, two_factor_enabled: hasTwoFactor, tenants: shown };
}
