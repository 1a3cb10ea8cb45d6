import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import type { AdminRole } from '../../../db/tables/platform/identity.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import { hashPassword } from '../../../lib/password.ts';
import type { MailServices, PlatformServices } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { auditsOf, changedFields, recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import {
  type Admin,
  createAdmin,
  lockAdmin,
  lockAdminByEmail,
  lockEffectiveSuperAdmins,
  saveAdmin,
} from '../identity/account-service.ts';
import { refuseOwnAddress } from '../identity/own-address.ts';
import { endSessions } from '../identity/session-service.ts';
import { fromStored } from '../identity/stored-admin.ts';
import { inviteAdmin } from '../invitations/service.ts';

const auditOf = auditsOf('admin');

interface NewAdmin {
  readonly email: string;
  readonly name: string;
  readonly role: AdminRole;
}

interface AdminChanges {
  readonly role?: AdminRole;
  readonly disabled?: boolean;
}

/**
 * Creates an admin without a password and sends an invitation by mail. An admin who has not joined yet gets the new
 * name and role and a new invitation, and the previous link stops working. Throws 409 `ADMIN.EMAIL_TAKEN`.
 */
export async function inviteNewAdmin(services: MailServices, actor: Actor, input: NewAdmin): Promise<Admin> {
  const admin = await refusingTakenEmail(() =>
    services.platform.transaction(async (tx) => {
      const at = services.clock.now();
      const invited = await createOrRenewInvited(tx, input, at);
      await inviteAdmin(services, tx, invited, at);
      await recordCreation(tx, actor, 'ADMIN.INVITED', invited, at);
      return invited;
    }),
  );
  services.mail.kick();
  return admin;
}

async function createOrRenewInvited(tx: PlatformTransaction, input: NewAdmin, at: Timestamp): Promise<Admin> {
  const existing = await lockAdminByEmail(tx, input.email);
  if (existing === undefined) return createAdmin(tx, { ...input, passwordHash: null, at });
  if (existing.password_hash !== null || existing.disabled_at !== null) throw emailTaken();
  const renewed = { ...existing, name: input.name, role: input.role, updated_at: at };
  await saveAdmin(tx, renewed);
  return renewed;
}

/** Creates an admin who can log in immediately, for the command line. Throws 409 `ADMIN.EMAIL_TAKEN`. */
export async function createAdminWithPassword(
  services: PlatformServices,
  actor: Actor,
  input: NewAdmin & { readonly password: string },
): Promise<Admin> {
  refuseOwnAddress(input.password, input.email);
  return createAdminWithHash(services, actor, input, await hashPassword(input.password));
}

/** Creates an admin with the hash of a password, who can log in immediately. Throws 409 `ADMIN.EMAIL_TAKEN`. */
export function createAdminWithHash(
  services: PlatformServices,
  actor: Actor,
  input: NewAdmin,
  passwordHash: string,
): Promise<Admin> {
  return refusingTakenEmail(() =>
    services.platform.transaction(async (tx) => {
      const at = services.clock.now();
      const admin = await createAdmin(tx, { ...input, passwordHash, at });
      await recordCreation(tx, actor, 'ADMIN.CREATED', admin, at);
      return admin;
    }),
  );
}

/**
 * Changes an admin's role, or disables or enables an admin. The change applies from the next request on. Disabling
 * revokes the admin's tokens. Throws 404 `RESOURCE.NOT_FOUND`, 409 `ADMIN.OWN_ROLE`, 409 `ADMIN.LAST_SUPER_ADMIN`, and
 * 403 `AUTH.ROLE_REQUIRED` if the actor is no longer a super_admin.
 */
export function updateAdmin(
  services: PlatformServices,
  actor: Actor,
  id: string,
  changes: AdminChanges,
): Promise<Admin> {
  return services.platform.transaction(async (tx) => {
    const at = services.clock.now();
    const superAdmins = await lockEffectiveSuperAdmins(tx);
    const before = await lockAdmin(tx, id);
    if (before === undefined) {
      throw new AppError('RESOURCE.NOT_FOUND', 'There is no such admin. List the admins to find its id.');
    }
    const after = applyChanges(before, changes, at);
    const fields = changedFields(auditState(before), auditState(after), ['role', 'disabled']);
    if (fields.length === 0) return before;
    assertAllowed(actor, before, after, superAdmins);
    await saveAdmin(tx, after);
    if (after.disabled_at !== null) await endSessions(tx, { ability: 'admin', id: id });
    await recordPlatformAudit(tx, actor, { ...auditOf(id, 'ADMIN.UPDATED'), changes: fields, at });
    return after;
  });
}

function applyChanges(before: Admin, { role, disabled }: AdminChanges, at: Timestamp): Admin {
  const disabledAt = disabled ? (before.disabled_at ?? at) : null;
  return {
    ...before,
    role: role ?? before.role,
    disabled_at: disabled === undefined ? before.disabled_at : disabledAt,
    updated_at: at,
  };
}

function assertAllowed(actor: Actor, before: Admin, after: Admin, superAdmins: readonly string[]): void {
  if (actor.id === before.id && after.role !== before.role) {
    throw new AppError('ADMIN.OWN_ROLE', 'You cannot change your own role. Ask another super_admin to do it.');
  }
  // If two super_admins demote each other concurrently, the second one has lost the role before its change is applied.
  if (actor.type === 'admin' && !superAdmins.some((id) => id === actor.id)) {
    throw new AppError(
      'AUTH.ROLE_REQUIRED',
      'This request needs the admin role super_admin. Ask a super_admin to send it.',
    );
  }
  const staysSuperAdmin = after.role === 'super_admin' && after.disabled_at === null;
  if (!staysSuperAdmin && superAdmins.length === 1 && superAdmins[0] === before.id) {
    throw new AppError(
      'ADMIN.LAST_SUPER_ADMIN',
      'This is the last super_admin who can log in. Make another admin a super_admin first.',
    );
  }
}

function recordCreation(
  tx: PlatformTransaction,
  actor: Actor,
  event: 'ADMIN.INVITED' | 'ADMIN.CREATED',
  admin: Admin,
  at: Timestamp,
): Promise<void> {
  const changes = (['email', 'name', 'role'] as const).map((field) => ({ field, old: null, new: admin[field] }));
  return recordPlatformAudit(tx, actor, { ...auditOf(admin.id, event), changes, at });
}

function auditState(row: Admin) {
  return { role: row.role, disabled: row.disabled_at !== null };
}

async function refusingTakenEmail<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isUniqueViolation(error, 'admins_email_unique') ? emailTaken() : error;
  }
}

function emailTaken(): AppError {
  return new AppError('ADMIN.EMAIL_TAKEN', 'An admin has this address already. List the admins to find that admin.');
}

interface ListAdmins extends PageRequest {
  readonly role?: AdminRole | undefined;
}

/** Returns one page of the admins, newest first, optionally only those with a role. */
export async function listAdmins(platform: PlatformDb, options: ListAdmins): Promise<Admin[]> {
  return (await paginate(adminsWith(platform, options.role), options).execute()).map(fromStored);
}

function adminsWith({ query }: PlatformDb, role: AdminRole | undefined) {
  const all = query.selectFrom('admins').selectAll();
  if (role === undefined) return all;
  if (role === 'auditor') return all.where('auditor_access', 'is not', null);
  return all.where('role', '=', role).where('auditor_access', 'is', null);
}
