import type { PlatformTransaction } from '../../db/database.ts';
import { clientNetwork } from '../../lib/cidr.ts';
import { AppError } from '../../lib/error.ts';
import { verifyPassword } from '../../lib/password.ts';
import type { Lockout } from '../../rate-limit/lockout.ts';
import type { Services } from '../../services.ts';
import type { Actor } from '../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../audit/audit.ts';
import { normalizeEmail } from './email.ts';
import {
  type Account,
  deleteToken,
  findAccount,
  type LiveToken,
  listTenantsOfUser,
  lockUnchangedAccount,
} from './queries.ts';
import type { LoginInput } from './schemas.ts';
import { type Subject, subjectId } from './subject.ts';
import { type IssuedToken, issueToken } from './tokens.ts';

type IdentityServices = Pick<Services, 'clock' | 'config' | 'keyring' | 'platform'>;

/** The request that a login or logout came with. */
export interface Origin {
  readonly requestId: string;
  readonly ip: string;
}

/**
 * Checks the credentials and makes a token. Throws 401 `AUTH.INVALID_CREDENTIALS`, the same and after the same work
 * for an unknown address and a wrong password, or 429 `AUTH.LOCKED_OUT`.
 */
export async function logIn(
  services: IdentityServices,
  lockout: Lockout,
  input: LoginInput,
  origin: Origin,
): Promise<IssuedToken & { subject: Subject }> {
  const ability = input.ability ?? 'tenant';
  const email = normalizeEmail(input.email);
  let account: Account | undefined;
  const attempt = { account: `${ability}:${email}`, address: clientNetwork(origin.ip) };
  const outcome = await lockout.attempt(attempt, async () => {
    account = await findAccount(services.platform, ability, email);
    const matches = await verifyPassword(account?.passwordHash ?? null, input.password);
    return matches && account !== undefined ? issueTo(services, account, input.device_name ?? null, origin) : null;
  });
  if (outcome.subject !== null) return outcome.subject;
  if (ability === 'admin') await recordFailedLogin(services, account, outcome.locked, origin);
  throw new AppError('AUTH.INVALID_CREDENTIALS', 'The e-mail address or the password is wrong. Check both.');
}

/** Null when the account was disabled or given another password since it was read. */
function issueTo(services: IdentityServices, account: Account, deviceName: string | null, origin: Origin) {
  const { subject, passwordHash } = account;
  return services.platform.transaction(async (tx) => {
    const unchanged =
      passwordHash !== null && (await lockUnchangedAccount(tx, subject.ability, subjectId(subject), passwordHash));
    if (!unchanged) return null;
    const token = await issueToken(services, tx, subject, deviceName);
    await recordAdminSession(services, tx, subject, 'ADMIN.LOGIN', origin);
    return { ...token, subject };
  });
}

/** Revokes the token that the request came with. */
export async function logOut(services: IdentityServices, token: LiveToken, origin: Origin): Promise<void> {
  await services.platform.transaction(async (tx) => {
    const revoked = await deleteToken(tx, token.id);
    if (revoked) await recordAdminSession(services, tx, token.subject, 'ADMIN.LOGOUT', origin);
  });
}

async function recordAdminSession(
  services: IdentityServices,
  tx: PlatformTransaction,
  subject: Subject,
  event: 'ADMIN.LOGIN' | 'ADMIN.LOGOUT',
  origin: Origin,
): Promise<void> {
  if (subject.ability !== 'admin') return;
  const { id } = subject.admin;
  const actor: Actor = { type: 'admin', id, ...origin };
  await recordPlatformAudit(tx, actor, { event, resourceType: 'admin', resourceId: id, at: services.clock.now() });
}

/** Nobody was authenticated, so no admin is named as the actor; the account that was tried is the resource. */
async function recordFailedLogin(
  services: IdentityServices,
  account: Account | undefined,
  locked: boolean,
  origin: Origin,
): Promise<void> {
  const actor: Actor = { type: 'admin', id: null, ...origin };
  const target = { resourceType: 'admin', resourceId: account === undefined ? null : subjectId(account.subject) };
  await services.platform.transaction(async (tx) => {
    await recordPlatformAudit(tx, actor, { event: 'ADMIN.LOGIN_FAILED', ...target, at: services.clock.now() });
    if (locked)
      await recordPlatformAudit(tx, actor, { event: 'ADMIN.LOCKED_OUT', ...target, at: services.clock.now() });
  });
}

/** What `me` answers, and a login beside its token. An admin belongs to no tenant. */
export async function describeSubject(services: Pick<Services, 'platform'>, subject: Subject) {
  const tenants = subject.ability === 'tenant' ? await listTenantsOfUser(services.platform, subject.user.id) : [];
  return { ...subject, tenants };
}
