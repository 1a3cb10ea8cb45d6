import { randomBytes } from 'node:crypto';
import type { PlatformTransaction } from '../../../db/database.ts';
import { insertRow } from '../../../db/rows.ts';
import {
  type AdminRole,
  type InvitationsTable,
  invitationLifetimeDays,
  type TenantRole,
  type UsersTable,
} from '../../../db/tables/platform/identity.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { foldEmail } from '../../../lib/email.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { hashPassword } from '../../../lib/password.ts';
import { quoted } from '../../../mail/templates/names.ts';
import { invitationMail } from '../../../mail/templates/tenants.ts';
import type { ClockServices, MailServices, Services } from '../../../services.ts';
import type { Actor } from '../../../tenancy/tenant.ts';
import { recordPlatformAudit } from '../../tenant-core/audit/audit.ts';
import { completeTenantAudit, recordTenantAudit } from '../../tenant-core/audit-outbox/service.ts';
import { assertPlatformQuota } from '../../tenant-core/plan-limits/service.ts';
import { type Admin, admitProvenUser, lockUserByEmail, setAdminPassword } from '../identity/account-service.ts';
import { refuseOwnAddress } from '../identity/own-address.ts';
import { requireSignUp } from '../identity/sign-up.ts';
import { type Subject, toAdmin, toUser } from '../identity/subject.ts';
import { admitMember, lockMembers } from '../memberships/service.ts';
import {
  type AccountInvitation,
  deleteInvitation,
  deleteOpenInvitations,
  findInvitationOf,
  findInvitationView,
  findOpenInvitation,
  findOpenInvitationTo,
  findVerifiedUser,
  type InvitationView,
  type InvitingTenant,
  listInvitationsOf,
  listInvitingTenants,
  takeInvitation,
} from './queries.ts';

export { updateInvitationRole } from './queries.ts';

/**
 * Invites an address to a tenant by mail, in the caller's transaction, and replaces an open invitation of the address.
 * Returns the id of the invitation, which becomes the id of the membership. The caller must call `mail.kick` after the
 * commit. Throws 429 `MAIL.LIMIT_REACHED` if the tenant has sent enough invitations today. If the address has got enough
 * of them, of all tenants, it gets no mail, and the link of the replaced invitation opens the new one.
 */
export async function inviteToTenant(
  services: MailServices,
  tx: PlatformTransaction,
  invited: {
    readonly tenant: Pick<TenantsTable, 'id' | 'name'>;
    readonly email: string;
    readonly role: TenantRole;
    readonly at: Timestamp;
    /** False for an administrator, and for an invitation that follows its address: no stranger causes that mail. */
    readonly isLimited: boolean;
  },
): Promise<string> {
  const { tenant, role, at, isLimited } = invited;
  const to = foldEmail(invited.email);
  await lockMembers(tx, tenant.id);
  const isMailed = !isLimited || (await services.mail.admit(tx, { kind: 'invitation', to, sender: tenant.id }));
  const row = { kind: 'tenant', email: to, name: null, tenant_id: tenant.id, admin_id: null, role } as const;
  return invite(services, tx, row, { target: quoted(tenant.name), at, isMailed });
}

/** Deletes the open invitations of an address to a tenant, in the caller's transaction. Their links stop working. */
export async function withdrawInvitations(tx: PlatformTransaction, tenantId: string, email: string): Promise<void> {
  await deleteOpenInvitations(tx, { kind: 'tenant', email: foldEmail(email), tenant_id: tenantId });
}

/**
 * Invites an admin who has no password yet by mail, in the caller's transaction. The caller must call `mail.kick` after
 * the commit.
 */
export async function inviteAdmin(
  services: MailServices,
  tx: PlatformTransaction,
  admin: Pick<Admin, 'id' | 'email' | 'name' | 'role'>,
  at: Timestamp,
): Promise<void> {
  const { id, email, name, role } = admin;
  const target = 'the administration of the licensing service';
  const row = { kind: 'admin', email, name, tenant_id: null, admin_id: id, role } as const;
  await invite(services, tx, row, { target, at, isMailed: true });
}

interface Invited extends Pick<InvitationsTable, 'kind' | 'email' | 'name' | 'tenant_id' | 'admin_id'> {
  readonly role: TenantRole | AdminRole;
}

async function invite(
  services: MailServices,
  tx: PlatformTransaction,
  invited: Invited,
  { target, at, isMailed }: { readonly target: string; readonly at: Timestamp; readonly isMailed: boolean },
): Promise<string> {
  const id = newId();
  const token = randomBytes(32).toString('base64url');
  const expiresAt = addDays(at, invitationLifetimeDays);
  const replaced = await deleteOpenInvitations(tx, invited);
  const tokenHash = services.keyring.hash(token);
  const { email: to, role } = invited;
  await insertRow(tx, 'invitations', {
    ...invited,
    // The role of an admin is in the admin's row, and this column does not accept `auditor`.
    role: role === 'auditor' ? 'admin' : role,
    id,
    token_hash: isMailed ? tokenHash : (replaced ?? tokenHash),
    created_at: at,
    expires_at: expiresAt,
    accepted_at: null,
  });
  const { publicUrl } = services.config;
  const mail = { ...invitationMail({ to, target, role, expiresAt, publicUrl, token }), tenantId: invited.tenant_id };
  await services.mail.enqueue(tx, isMailed ? mail : null);
  return id;
}

/** Describes the open invitation of a mailed token. Throws 422 `AUTH.LINK_INVALID`. */
export async function readInvitation(
  { clock, keyring, platform }: MailServices,
  token: string,
): Promise<InvitationView> {
  const hashes = [keyring.hash(token), ...keyring.previousHashes(token)];
  const invitation = orThrow(await findInvitationView(platform, hashes, clock.now()), linkInvalid);
  return invitation;
}

interface Acceptance {
  readonly token: string;
  readonly name?: string;
  readonly password?: string;
}

/**
 * Accepts an invitation by its link. For an admin, sets the password. For a tenant, an account with a verified address
 * becomes a member and stays as it is; any other address gets a user with the name and the password. Each link works
 * once. Throws 422 `AUTH.LINK_INVALID`, 422 `VALIDATION.FAILED` without a name and a password that are needed, and 403
 * `PLAN.LIMIT_REACHED` if a change of plan left the tenant with more members than allowed. Throws 403
 * `AUTH.SIGN_UP_CLOSED` if the address has no user and none may be created; the link then stays valid.
 */
export async function acceptInvitation(
  services: Services,
  acceptance: Acceptance,
  origin: { readonly requestId: string; readonly ip: string },
): Promise<Subject> {
  const { clock, keyring, platform } = services;
  const hashes = [keyring.hash(acceptance.token), ...keyring.previousHashes(acceptance.token)];
  const invitation = orThrow(await findOpenInvitation(platform, hashes, clock.now()), linkInvalid);
  // Hashed before the transaction, because a transaction must not wait for anything but the database.
  const { name, password } = acceptance;
  if (password !== undefined) refuseOwnAddress(password, invitation.email);
  const person =
    name === undefined || password === undefined ? null : { name, passwordHash: await hashPassword(password) };
  const subject = await platform.transaction(async (tx) => {
    // Deadlock-free: the tenant is locked before the invitation, in the same order as when inviting.
    if (invitation.tenant_id !== null) await assertTenantOpen(tx, invitation.tenant_id);
    const at = clock.now();
    const taken = orThrow(await takeInvitation(tx, invitation.id, at), linkInvalid);
    const accepted = { invitation: taken, person, at, origin };
    return taken.kind === 'admin' ? joinAsAdmin(tx, accepted) : joinAsMember(services, tx, accepted);
  });
  if (invitation.tenant_id !== null) await completeTenantAudit(services, invitation.tenant_id);
  return subject;
}

interface Accepted {
  readonly invitation: InvitationsTable;
  /** Null if the person entered no name or no password. */
  readonly person: { readonly name: string; readonly passwordHash: string } | null;
  readonly at: Timestamp;
  readonly origin: { readonly requestId: string; readonly ip: string };
}

async function joinAsAdmin(tx: PlatformTransaction, accepted: Accepted): Promise<Subject> {
  const { invitation, at, origin } = accepted;
  const person = { ...enteredPerson(accepted), at };
  const admin = invitation.admin_id === null ? undefined : await setAdminPassword(tx, invitation.admin_id, person);
  if (admin === undefined) throw linkInvalid();
  const actor: Actor = { type: 'admin', id: admin.id, ...origin };
  await recordPlatformAudit(tx, actor, { event: 'ADMIN.JOINED', resourceType: 'admin', resourceId: admin.id, at });
  return { ability: 'admin', admin: toAdmin(admin) };
}

async function joinAsMember({ config }: Services, tx: PlatformTransaction, accepted: Accepted): Promise<Subject> {
  const { invitation, at, origin } = accepted;
  const { email } = invitation;
  const account = await findVerifiedUser(tx, email);
  if (account === undefined && (await lockUserByEmail(tx, email)) === undefined) requireSignUp(config, 'invitation');
  const user = orThrow(account ?? (await admitProvenUser(tx, { email, ...enteredPerson(accepted), at })), linkInvalid);
  await joinTenant(tx, { type: 'user', id: user.id, ...origin }, { invitation, user, at });
  return { ability: 'tenant', user: toUser(user) };
}

/** Makes a user a member by an invitation that was taken. The limit counts both: it fails if a change of plan cut it. */
async function joinTenant(
  tx: PlatformTransaction,
  actor: Actor,
  joined: {
    readonly invitation: InvitationsTable;
    readonly user: Pick<UsersTable, 'id' | 'email'>;
    readonly at: Timestamp;
  },
): Promise<void> {
  const { invitation, user, at } = joined;
  const { id, tenant_id: tenantId } = invitation;
  if (tenantId === null) throw linkInvalid();
  await admitMember(tx, actor, { id, tenantId, user, role: invitation.role as TenantRole, at });
  await assertPlatformQuota(tx, { tenantId, resource: 'members', added: 0, at, requestId: actor.requestId });
}

function enteredPerson({ person }: Accepted) {
  if (person !== null) return person;
  const details = ['name', 'password'].map((field) => ({ field, message: 'Enter this to create your account.' }));
  throw new AppError('VALIDATION.FAILED', 'Enter a name and a password to create your account.', { details });
}

async function assertTenantOpen(tx: PlatformTransaction, tenantId: string): Promise<void> {
  const status = await lockMembers(tx, tenantId);
  if (status === undefined || status === 'closed') throw linkInvalid();
}

function linkInvalid(): AppError {
  return new AppError(
    'AUTH.LINK_INVALID',
    'This link was already used, was replaced or has expired. Ask for a new invitation.',
  );
}

/** Declines an invitation to a tenant by its link. Throws 422 `AUTH.LINK_INVALID`. */
export async function declineInvitation(
  services: Services,
  token: string,
  origin: { readonly requestId: string; readonly ip: string },
): Promise<void> {
  const { clock, keyring, platform } = services;
  const hashes = [keyring.hash(token), ...keyring.previousHashes(token)];
  const invitation = await findOpenInvitation(platform, hashes, clock.now());
  if (invitation === undefined || invitation.tenant_id === null) throw linkInvalid();
  // The link proves a mailbox and no account, so that the record does not tell whether there is one.
  const actor: Actor = { type: 'system', id: null, ...origin };
  if (!(await decline(services, actor, { id: invitation.id, tenantId: invitation.tenant_id }))) throw linkInvalid();
}

/** Returns the newest open invitations of an account to tenants, at most 100. */
export function listAccountInvitations(
  { clock, platform }: MailServices,
  user: Pick<UsersTable, 'email'>,
): Promise<AccountInvitation[]> {
  return listInvitationsOf(platform, user.email, clock.now(), 100);
}

/** Accepts an open invitation of an account. Throws 404 `RESOURCE.NOT_FOUND`, 403 `PLAN.LIMIT_REACHED`. */
export async function acceptAccountInvitation(
  services: Services,
  user: Pick<UsersTable, 'id' | 'email'>,
  actor: Actor,
  id: string,
): Promise<AccountInvitation> {
  const found = await findAccountInvitation(services, user, id);
  await services.platform.transaction(async (tx) => {
    const status = await lockMembers(tx, found.tenant_id);
    const at = services.clock.now();
    const invitation = await takeInvitation(tx, id, at);
    if (invitation === undefined || status === undefined || status === 'closed') throw invitationNotFound();
    await joinTenant(tx, actor, { invitation, user, at });
  });
  await completeTenantAudit(services, found.tenant_id);
  return found;
}

/** Declines an open invitation of an account. Throws 404 `RESOURCE.NOT_FOUND`. */
export async function declineAccountInvitation(
  services: Services,
  user: Pick<UsersTable, 'id' | 'email'>,
  actor: Actor,
  id: string,
): Promise<void> {
  const { tenant_id: tenantId } = await findAccountInvitation(services, user, id);
  if (!(await decline(services, actor, { id, tenantId }))) throw invitationNotFound();
}

async function findAccountInvitation(services: Services, { email }: Pick<UsersTable, 'email'>, id: string) {
  const found = orThrow(await findInvitationOf(services.platform, email, id, services.clock.now()), invitationNotFound);
  return found;
}

/** Deletes an open invitation and records it for the tenant. Returns false if it is not open any more. */
async function decline(
  services: Services,
  actor: Actor,
  { id, tenantId }: { readonly id: string; readonly tenantId: string },
): Promise<boolean> {
  const isDeclined = await services.platform.transaction(async (tx) => {
    await lockMembers(tx, tenantId);
    const invitation = await deleteInvitation(tx, id);
    if (invitation === undefined) return false;
    const changes = (['email', 'role'] as const).map((field) => ({ field, old: invitation[field], new: null }));
    const at = services.clock.now();
    const entry = { event: 'MEMBER.INVITATION_DECLINED', resourceType: 'member', resourceId: id, changes, at };
    await recordTenantAudit(tx, tenantId, actor, entry);
    return true;
  });
  await completeTenantAudit(services, tenantId);
  return isDeclined;
}

function invitationNotFound(): AppError {
  return new AppError(
    'RESOURCE.NOT_FOUND',
    'There is no such open invitation: it was accepted, replaced, withdrawn or has expired. List the invitations again.',
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
    if (own === undefined)
      await inviteToTenant(services, tx, { tenant, email: to, role: open.role, at, isLimited: false });
    // The names of fields only: the addresses are personal data.
    const changes = [{ field: 'email', old: null, new: null }];
    const entry = { event: 'MEMBER.INVITATION_MOVED', resourceType: 'member', resourceId: open.id, changes, at };
    await recordTenantAudit(tx, tenant.id, actor, entry);
  }
}
