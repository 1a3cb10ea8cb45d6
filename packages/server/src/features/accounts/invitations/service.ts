import { randomBytes } from 'node:crypto';
import type { PlatformTransaction } from '../../../db/database.ts';
import {
  type AdminsTable,
  type InvitationsTable,
  invitationLifetimeDays,
  type TenantRole,
} from '../../../db/tables/platform/identity.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { normalizeEmail } from '../../../lib/email.ts';
import { AppError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { hashPassword } from '../../../lib/password.ts';
import { invitationMail } from '../../../mail/templates/tenants.ts';
import type { ClockServices, MailServices, Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { completeTenantAudit, recordTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import { assertPlatformQuota } from '../../tenant-core/plan-limits/service.ts';
import { admitProvenUser, lockUserByEmail, setAdminPassword } from '../identity/account-service.ts';
import { requireSignUp } from '../identity/sign-up.ts';
import { type Subject, toAdmin, toUser } from '../identity/subject.ts';
import { addMember, lockMembers } from '../memberships/service.ts';
import {
  deleteOpenInvitations,
  findInvitationView,
  findOpenInvitation,
  findOpenInvitationTo,
  type InvitationView,
  type InvitingTenant,
  insertInvitation,
  listInvitingTenants,
  takeInvitation,
} from './queries.ts';

export { updateInvitationRole } from './queries.ts';

/**
 * Invites an address to a tenant by mail, in the caller's transaction, and replaces an open invitation of the address.
 * Returns the id of the invitation, which becomes the id of the membership. The caller must call `mail.kick` after the
 * commit.
 */
export async function inviteToTenant(
  services: MailServices,
  tx: PlatformTransaction,
  invited: {
    readonly tenant: Pick<TenantsTable, 'id' | 'name'>;
    readonly email: string;
    readonly role: TenantRole;
    readonly at: Timestamp;
  },
): Promise<string> {
  const { tenant, role, at } = invited;
  const email = normalizeEmail(invited.email);
  await lockMembers(tx, tenant.id);
  return invite(
    services,
    tx,
    { kind: 'tenant', email, name: null, tenant_id: tenant.id, admin_id: null, role },
    tenant.name,
    at,
  );
}

/** Deletes the open invitations of an address to a tenant, in the caller's transaction. Their links stop working. */
export function withdrawInvitations(tx: PlatformTransaction, tenantId: string, email: string): Promise<void> {
  return deleteOpenInvitations(tx, { kind: 'tenant', email: normalizeEmail(email), tenant_id: tenantId });
}

/**
 * Invites an admin who has no password yet by mail, in the caller's transaction. The caller must call `mail.kick` after
 * the commit.
 */
export async function inviteAdmin(
  services: MailServices,
  tx: PlatformTransaction,
  admin: Pick<AdminsTable, 'id' | 'email' | 'name' | 'role'>,
  at: Timestamp,
): Promise<void> {
  const { id, email, name, role } = admin;
  const target = 'the administration of the licensing service';
  await invite(services, tx, { kind: 'admin', email, name, tenant_id: null, admin_id: id, role }, target, at);
}

type Invited = Pick<InvitationsTable, 'kind' | 'email' | 'name' | 'tenant_id' | 'admin_id' | 'role'>;

async function invite(
  services: MailServices,
  tx: PlatformTransaction,
  invited: Invited,
  target: string,
  at: Timestamp,
): Promise<string> {
  const id = newId();
  const token = randomBytes(32).toString('base64url');
  const expiresAt = addDays(at, invitationLifetimeDays);
  await deleteOpenInvitations(tx, invited);
  await insertInvitation(tx, {
    ...invited,
    id,
    token_hash: services.keyring.hash(token),
    created_at: at,
    expires_at: expiresAt,
    accepted_at: null,
  });
  const { email: to, role } = invited;
  const { publicUrl } = services.config;
  await services.mail.enqueue(tx, invitationMail({ to, target, role, expiresAt, publicUrl, token }));
  return id;
}

/** Describes the open invitation of a mailed token. Throws 422 `AUTH.LINK_INVALID`. */
export async function readInvitation(
  { clock, keyring, platform }: MailServices,
  token: string,
): Promise<InvitationView> {
  const hashes = [keyring.hash(token), ...keyring.previousHashes(token)];
  const invitation = await findInvitationView(platform, hashes, clock.now());
  if (invitation === undefined) throw linkInvalid();
  return invitation;
}

interface Acceptance {
  readonly token: string;
  readonly name: string;
  readonly password: string;
}

/**
 * Accepts an invitation. For an admin, sets the password. For a tenant, creates the user and the membership; if the
 * address has a user already, sets that user's password and ends the user's sessions. Each link works once. Throws 422
 * `AUTH.LINK_INVALID`, 403 `PLAN.LIMIT_REACHED` if a change of plan left the tenant with more members than allowed, and
 * 403 `AUTH.SIGN_UP_CLOSED` if the address has no user and none may be created; the link then stays valid.
 */
export async function acceptInvitation(
  services: Services,
  acceptance: Acceptance,
  origin: { readonly requestId: string; readonly ip: string },
): Promise<Subject> {
  const { clock, keyring, platform } = services;
  const hashes = [keyring.hash(acceptance.token), ...keyring.previousHashes(acceptance.token)];
  const invitation = await findOpenInvitation(platform, hashes, clock.now());
  if (invitation === undefined) throw linkInvalid();
  // Hashed before the transaction, because a transaction must not wait for anything but the database.
  const passwordHash = await hashPassword(acceptance.password);
  const subject = await platform.transaction(async (tx) => {
    // Deadlock-free: the tenant is locked before the invitation, in the same order as when inviting.
    if (invitation.tenant_id !== null) await assertTenantOpen(tx, invitation.tenant_id);
    const at = clock.now();
    if (invitation.tenant_id !== null) await assertStillWithinQuota(tx, invitation.tenant_id, origin.requestId, at);
    const taken = await takeInvitation(tx, invitation.id, at);
    if (taken === undefined) throw linkInvalid();
    const accepted = { invitation: taken, name: acceptance.name, passwordHash, at, origin };
    return taken.kind === 'admin' ? joinAsAdmin(tx, accepted) : joinAsMember(services, tx, accepted);
  });
  if (invitation.tenant_id !== null) await completeTenantAudit(services, invitation.tenant_id);
  return subject;
}

interface Accepted {
  readonly invitation: InvitationsTable;
  readonly name: string;
  readonly passwordHash: string;
  readonly at: Timestamp;
  readonly origin: { readonly requestId: string; readonly ip: string };
}

async function joinAsAdmin(tx: PlatformTransaction, accepted: Accepted): Promise<Subject> {
  const { invitation, at, origin } = accepted;
  const admin = invitation.admin_id === null ? undefined : await setAdminPassword(tx, invitation.admin_id, accepted);
  if (admin === undefined) throw linkInvalid();
  const actor: Actor = { type: 'admin', id: admin.id, ...origin };
  await recordPlatformAudit(tx, actor, { event: 'ADMIN.JOINED', resourceType: 'admin', resourceId: admin.id, at });
  return { ability: 'admin', admin: toAdmin(admin) };
}

async function joinAsMember({ config }: Services, tx: PlatformTransaction, accepted: Accepted): Promise<Subject> {
  const { invitation, name, passwordHash, at, origin } = accepted;
  const { id, tenant_id: tenantId, email } = invitation;
  if (tenantId === null) throw linkInvalid();
  if ((await lockUserByEmail(tx, email)) === undefined) requireSignUp(config, 'invitation');
  const user = await admitProvenUser(tx, { email, name, passwordHash, at });
  if (user === undefined) throw linkInvalid();
  const actor: Actor = { type: 'user', id: user.id, ...origin };
  await addMember(tx, actor, { id, tenantId, user, role: invitation.role as TenantRole, at });
  return { ability: 'tenant', user: toUser(user) };
}

async function assertTenantOpen(tx: PlatformTransaction, tenantId: string): Promise<void> {
  const status = await lockMembers(tx, tenantId);
  if (status === undefined || status === 'closed') throw linkInvalid();
}

/** Checks the limit of members without adding one: the invitation is already counted, but the plan may have changed. */
async function assertStillWithinQuota(tx: PlatformTransaction, tenantId: string, requestId: string, at: Timestamp) {
  await assertPlatformQuota(tx, { tenantId, resource: 'members', added: 0, at, requestId });
}

function linkInvalid(): AppError {
  return new AppError(
    'AUTH.LINK_INVALID',
    'This link was already used, was replaced or has expired. Ask for a new invitation.',
  );
}

/** Tenants whose open invitations to one address are locked. */
export type InvitingTenants = readonly InvitingTenant[];

/**
 * Locks the members of the tenants with open invitations to an address, in the caller's transaction, and returns the
 * tenants. Call it before the user is locked, in the order of all other code.
 */
export async function lockInvitingTenants(
  { clock }: ClockServices,
  tx: PlatformTransaction,
  email: string,
): Promise<InvitingTenants> {
  const tenants = await listInvitingTenants(tx, email, clock.now());
  for (const { id } of tenants) await lockMembers(tx, id);
  return tenants;
}

/**
 * Sends the open invitations of locked tenants again to the new address of an account, in the caller's transaction. The
 * links that were mailed before stop working, because they would give the account to the reader of the former mailbox.
 * An address that has its own invitation keeps it. The caller must call `completeTenantAudit` for each tenant after the
 * commit.
 */
export async function moveInvitations(
  services: MailServices,
  tx: PlatformTransaction,
  tenants: InvitingTenants,
  move: { readonly from: string; readonly to: string; readonly actor: Actor; readonly at: Timestamp },
): Promise<void> {
  const { from, to, actor, at } = move;
  for (const tenant of tenants) {
    const open = await findOpenInvitationTo(tx, tenant.id, from, at);
    if (open === undefined) continue;
    await withdrawInvitations(tx, tenant.id, from);
    const own = await findOpenInvitationTo(tx, tenant.id, to, at);
    if (own === undefined) await inviteToTenant(services, tx, { tenant, email: to, role: open.role, at });
    // The names of fields only: the addresses are personal data.
    const changes = [{ field: 'email', old: null, new: null }];
    const entry = { event: 'MEMBER.INVITATION_MOVED', resourceType: 'member', resourceId: open.id, changes, at };
    await recordTenantAudit(tx, tenant.id, actor, entry);
  }
}
