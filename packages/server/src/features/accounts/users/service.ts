import type { PlatformTransaction } from '../../../db/database.ts';
import type { UsersTable } from '../../../db/tables/platform/identity.ts';
import { toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import type { MailServices, PlatformServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { auditsOf, changedFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { findDeletion, isBeingErased } from '../account/deletion-service.ts';
import { disableUser, enableUser, listTenantsOfUser, lockAccount } from '../identity/account-service.ts';
import { mailPasswordReset } from '../identity/mail-link-service.ts';
import { listSessionsOf } from '../identity/session-service.ts';
import { readTwoFactorOf } from '../identity/two-factor-service.ts';
import { findUser, listUsers, type UserRow } from './queries.ts';
import type { UserDetail, UserSummary, UsersQuery } from './schemas.ts';

const auditOf = auditsOf('user');

/** The number of sessions that the view of a user shows. */
const sessionsMax = 100;

/** Returns one page of the users that match the search, newest first. */
export async function pageOfUsers({ platform }: PlatformServices, query: UsersQuery): Promise<Page<UserSummary>> {
  const page = toPage(await listUsers(platform, query), query.limit);
  return { ...page, rows: page.rows.map(presentUser) };
}

/** Returns a user with memberships, sessions and two-factor authentication. Throws 404 `RESOURCE.NOT_FOUND`. */
export async function readUser({ clock, platform }: PlatformServices, id: string): Promise<UserDetail> {
  const row = orThrow(await findUser(platform, id), userNotFound);
  const subject = { ability: 'tenant', id } as const;
  const { enabled_at, recovery_codes_left } = await readTwoFactorOf({ clock, platform }, subject);
  const deletion = await findDeletion(platform, id);
  const sessions = await listSessionsOf(platform, subject, { limit: sessionsMax }, clock.now());
  const tenants = await listTenantsOfUser(platform, id);
  return {
    ...presentUser(row),
    has_password: row.password_hash !== null,
    deletion_scheduled_for: deletion?.scheduled_for ?? null,
    two_factor: { enabled_at, recovery_codes_left },
    memberships: tenants.map(({ id: tenant_id, name, status, role, joined_at }) => {
      return { tenant_id, tenant_name: name, tenant_status: status, role, joined_at };
    }),
    sessions: sessions.slice(0, sessionsMax),
  };
}

function presentUser(row: UserRow): UserSummary {
  const { id, email, name, email_verified_at, disabled_at, two_factor_confirmed_at, created_at } = row;
  const two_factor_enabled = two_factor_confirmed_at !== null;
  return { id, email, name, email_verified_at, disabled_at, two_factor_enabled, created_at };
}

/**
 * Disables a user: every session ends, and the user can no longer log in, from the next request on in every process.
 * Does nothing if the user is disabled. Throws 404 `RESOURCE.NOT_FOUND`.
 */
export function disableUserAsAdmin(services: MailServices, actor: Actor, id: string): Promise<void> {
  return changeState(services, actor, id, 'USER.DISABLED', async (tx, user, at) => {
    if (user.disabled_at !== null) return false;
    await disableUser(tx, id, at);
    return true;
  });
}

/**
 * Enables a disabled user. Does nothing if the user is enabled. Throws 404 `RESOURCE.NOT_FOUND`, and 409
 * `USER.BEING_ERASED` once the erasure of the user's data has started.
 */
export function enableUserAsAdmin(services: MailServices, actor: Actor, id: string): Promise<void> {
  return changeState(services, actor, id, 'USER.ENABLED', async (tx, user, at) => {
    if (user.disabled_at === null) return false;
    if (await isBeingErased(tx, id)) throw beingErased();
    await enableUser(tx, id, at);
    return true;
  });
}

/** Changes whether a user is disabled. `apply` returns false if there was nothing to change. */
function changeState(
  { clock, platform }: MailServices,
  actor: Actor,
  id: string,
  event: 'USER.DISABLED' | 'USER.ENABLED',
  apply: (tx: PlatformTransaction, user: UsersTable, at: Timestamp) => Promise<boolean>,
): Promise<void> {
  return platform.transaction(async (tx) => {
    const before = orThrow(await lockAccount(tx, id), userNotFound);
    const at = clock.now();
    if (!(await apply(tx, before, at))) return;
    const disabled = before.disabled_at !== null;
    const changes = changedFields({ disabled }, { disabled: !disabled }, ['disabled']);
    await recordPlatformAudit(tx, actor, { ...auditOf(id, event), changes, at });
  });
}

/**
 * Mails a user a link to choose a password, which works like the one that the user can request. Throws 404
 * `RESOURCE.NOT_FOUND` and 409 `USER.DISABLED`.
 */
export async function sendPasswordReset(services: MailServices, actor: Actor, id: string): Promise<void> {
  await services.platform.transaction(async (tx) => {
    const user = orThrow(await lockAccount(tx, id), userNotFound);
    if (user.disabled_at !== null) {
      throw new AppError('USER.DISABLED', 'A disabled user cannot log in. Enable the user first.');
    }
    const at = services.clock.now();
    await mailPasswordReset(services, tx, user, at);
    await recordPlatformAudit(tx, actor, { ...auditOf(id, 'USER.PASSWORD_RESET_SENT'), at });
  });
  services.mail.kick();
}

function userNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'There is no such user. List the users to find its id.');
}

function beingErased(): AppError {
  return new AppError(
    'USER.BEING_ERASED',
    'The personal data of this user is being erased. The user must register again.',
  );
}
