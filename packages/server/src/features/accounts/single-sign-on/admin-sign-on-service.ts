import type { PlatformTransaction } from '../../../db/database.ts';
import type { AdminRole, AdminsTable } from '../../../db/tables/platform/identity.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { identityLinkedMail } from '../../../mail/templates/identity-linked.ts';
import type { Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import {
  createAdmin,
  lockAdmin,
  lockAdminByEmail,
  lockEffectiveSuperAdmins,
  saveAdmin,
} from '../identity/admins-service.ts';
import type { Origin } from '../identity/service.ts';
import { adminRoleOf, displayName, verifiedEmail } from './claims.ts';
import { accountDisabled, emailUnverified, identityTaken, roleMissing } from './errors.ts';
import { findAdminIdentity, hasAdminIdentity, insertAdminIdentity, touchIdentity } from './identity-queries.ts';
import type { SignedOnPerson } from './user-sign-on-service.ts';

type SignOnServices = Pick<Services, 'config' | 'mail'>;

/**
 * Returns the id of the admin to whom an identity belongs, in the caller's transaction. The claim `claim` decides the
 * role at each login. An unknown identity is linked to the admin with the same verified address, or gets a new admin
 * without a password. Throws 403 `AUTH.SSO_ROLE_MISSING`, `AUTH.SSO_EMAIL_UNVERIFIED` or `AUTH.SSO_ACCOUNT_DISABLED`, and
 * 409 `AUTH.SSO_IDENTITY_TAKEN` or `ADMIN.LAST_SUPER_ADMIN`.
 */
export async function signOnAdmin(
  services: SignOnServices,
  tx: PlatformTransaction,
  person: SignedOnPerson,
  claim: string,
): Promise<string> {
  const { claims } = person;
  const role = adminRoleOf(claims, claim);
  if (role === undefined) throw roleMissing(claim);
  // Locked in the same order as by a change of an admin's role.
  const superAdmins = await lockEffectiveSuperAdmins(tx);
  const known = await findAdminIdentity(tx, { issuer: claims.iss, subject: claims.sub });
  const admin = known === undefined ? await linkAdmin(services, tx, person, role) : await lockAdmin(tx, known.admin_id);
  if (admin === undefined || admin.disabled_at !== null) throw accountDisabled();
  if (known !== undefined) await touchIdentity(tx, 'admin_identities', known.id, person.at);
  if (admin.role !== role) await followClaim(tx, person, admin, role, superAdmins);
  return admin.id;
}

async function linkAdmin(
  services: SignOnServices,
  tx: PlatformTransaction,
  person: SignedOnPerson,
  role: AdminRole,
): Promise<AdminsTable> {
  const { claims, origin, at } = person;
  const email = verifiedEmail(claims);
  if (email === undefined) throw emailUnverified();
  const existing = await lockAdminByEmail(tx, email);
  if (existing !== undefined && existing.disabled_at !== null) throw accountDisabled();
  const admin = existing ?? (await create(tx, person, email, role));
  const { iss: issuer, sub: subject } = claims;
  if (await hasAdminIdentity(tx, admin.id, issuer)) throw identityTaken();
  const id = newId();
  await insertAdminIdentity(tx, { id, admin_id: admin.id, issuer, subject, email, linked_at: at, last_used_at: at });
  const changes = [{ field: 'issuer', old: null, new: issuer }];
  const about = { resourceType: 'admin', resourceId: admin.id, at, changes };
  await recordPlatformAudit(tx, actorOf(admin.id, origin), { event: 'ADMIN.IDENTITY_LINKED', ...about });
  if (existing === undefined) return admin;
  const { publicUrl, oidc } = services.config;
  const provider = oidc?.name ?? issuer;
  await services.mail.enqueue(tx, identityLinkedMail({ to: admin.email, provider, at, publicUrl }));
  return admin;
}

async function create(
  tx: PlatformTransaction,
  { claims, origin, at }: SignedOnPerson,
  email: string,
  role: AdminRole,
): Promise<AdminsTable> {
  const name = displayName(claims, email);
  const admin = await createAdmin(tx, { email, name, role, passwordHash: null, at });
  const changes = (['email', 'name', 'role'] as const).map((field) => ({ field, old: null, new: admin[field] }));
  const about = { resourceType: 'admin', resourceId: admin.id, at };
  await recordPlatformAudit(tx, actorOf(admin.id, origin), { event: 'ADMIN.CREATED', ...about, changes });
  return admin;
}

/** Gives the admin the role of the claim. The last super_admin with a password keeps the role and is refused instead. */
async function followClaim(
  tx: PlatformTransaction,
  { origin, at }: SignedOnPerson,
  admin: AdminsTable,
  role: AdminRole,
  superAdmins: readonly string[],
): Promise<void> {
  if (superAdmins.length === 1 && superAdmins[0] === admin.id) {
    throw new AppError(
      'ADMIN.LAST_SUPER_ADMIN',
      `You are the last super_admin who can log in with a password, and the provider gives you the role ${role}. Log in with your password, and make another admin a super_admin first.`,
    );
  }
  await saveAdmin(tx, { ...admin, role, updated_at: at });
  const changes = [{ field: 'role', old: admin.role, new: role }];
  const about = { resourceType: 'admin', resourceId: admin.id, at };
  await recordPlatformAudit(tx, actorOf(admin.id, origin), { event: 'ADMIN.UPDATED', ...about, changes });
}

function actorOf(adminId: string, origin: Origin): Actor {
  return { type: 'admin', id: adminId, ...origin };
}
