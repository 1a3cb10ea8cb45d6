import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import type { AdminRole, InvitationsTable, TenantRole, UsersTable } from '../../../db/tables/platform/identity.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/**
 * Deletes the open invitations of an address to a tenant, or to the administration if `tenant_id` is null. Returns the
 * token hash of a deleted one.
 */
export async function deleteOpenInvitations(
  tx: PlatformTransaction,
  { kind, email, tenant_id }: Pick<InvitationsTable, 'kind' | 'email' | 'tenant_id'>,
): Promise<string | undefined> {
  const query = tx
    .deleteFrom('invitations')
    .where('kind', '=', kind)
    .where('email', '=', email)
    .where('accepted_at', 'is', null);
  const deleted = (tenant_id === null ? query : query.where('tenant_id', '=', tenant_id)).returning('token_hash');
  return (await deleted.execute())[0]?.token_hash;
}

/** Changes the role of an invitation that is not accepted yet. */
export async function updateInvitationRole(tx: PlatformTransaction, id: string, role: TenantRole): Promise<void> {
  await tx.updateTable('invitations').set({ role }).where('id', '=', id).where('accepted_at', 'is', null).execute();
}

/** Returns the open invitation with one of the token hashes; undefined if it is accepted, expired or unknown. */
export function findOpenInvitation(
  platform: PlatformDb,
  tokenHashes: readonly string[],
  now: Timestamp,
): Promise<InvitationsTable | undefined> {
  return platform.query
    .selectFrom('invitations')
    .selectAll()
    .where('token_hash', 'in', tokenHashes)
    .where('accepted_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** An open invitation as the invited person sees it. `tenant_name` is null for the administration of the platform. */
export interface InvitationView {
  readonly email: string;
  readonly name: string | null;
  readonly kind: InvitationsTable['kind'];
  readonly role: TenantRole | AdminRole;
  readonly tenant_name: string | null;
  readonly expires_at: Timestamp;
  readonly has_account: boolean;
}

/** Describes the open invitation with one of the token hashes; undefined also if its tenant is closed. */
export async function findInvitationView(
  platform: PlatformDb,
  tokenHashes: readonly string[],
  now: Timestamp,
): Promise<InvitationView | undefined> {
  const row = await platform.query
    .selectFrom('invitations')
    .leftJoin('tenants', 'tenants.id', 'invitations.tenant_id')
    .leftJoin('admins', 'admins.id', 'invitations.admin_id')
    .leftJoin('users', (join) =>
      join
        .onRef('users.email', '=', 'invitations.email')
        .on('invitations.kind', '=', 'tenant')
        .on('users.email_verified_at', 'is not', null)
        .on('users.disabled_at', 'is', null),
    )
    .select(['invitations.email', 'invitations.name', 'invitations.kind', 'invitations.role', 'invitations.expires_at'])
    .select(['tenants.name as tenant_name', 'tenants.status as tenant_status', 'users.id as user_id'])
    .select('admins.auditor_access')
    .where('invitations.token_hash', 'in', tokenHashes)
    .where('invitations.accepted_at', 'is', null)
    .where('invitations.expires_at', '>', now)
    .executeTakeFirst();
  if (row === undefined || row.tenant_status === 'closed') return undefined;
  const { tenant_status: _status, user_id, auditor_access, ...view } = row;
  const role = auditor_access === null ? view.role : 'auditor';
  return { ...view, role, has_account: user_id !== null };
}

/**
 * Marks an invitation as accepted and returns its current row. Returns undefined if it was accepted, replaced or
 * withdrawn meanwhile.
 */
export function takeInvitation(
  tx: PlatformTransaction,
  id: string,
  at: Timestamp,
): Promise<InvitationsTable | undefined> {
  return tx
    .updateTable('invitations')
    .set({ accepted_at: at })
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** A tenant with an open invitation to an address. */
export interface InvitingTenant {
  readonly id: string;
  readonly name: string;
}

/** Returns the tenants that have an open invitation to an address and are not closed, in the order of their ids. */
export function listInvitingTenants(tx: PlatformTransaction, email: string, now: Timestamp): Promise<InvitingTenant[]> {
  return tx
    .selectFrom('tenants')
    .select(['tenants.id', 'tenants.name'])
    .where('tenants.status', '!=', 'closed')
    .where('tenants.id', 'in', (eb) =>
      eb
        .selectFrom('invitations')
        .select('invitations.tenant_id')
        .where('email', '=', email)
        .where('kind', '=', 'tenant')
        .where('accepted_at', 'is', null)
        .where('expires_at', '>', now)
        .$narrowType<{ tenant_id: string }>(),
    )
    .orderBy('tenants.id')
    .execute();
}

/** Returns the open invitation of a tenant to an address, or undefined. */
export function findOpenInvitationTo(
  tx: PlatformTransaction,
  tenantId: string,
  email: string,
  now: Timestamp,
): Promise<{ readonly id: string; readonly role: TenantRole } | undefined> {
  return tx
    .selectFrom('invitations')
    .select(['id', 'role'])
    .where('tenant_id', '=', tenantId)
    .where('email', '=', email)
    .where('kind', '=', 'tenant')
    .where('accepted_at', 'is', null)
    .where('expires_at', '>', now)
    .$narrowType<{ role: TenantRole }>()
    .executeTakeFirst();
}

/** Returns the enabled user who has verified a normalised address. */
export function findVerifiedUser(tx: PlatformTransaction, email: string): Promise<UsersTable | undefined> {
  return tx
    .selectFrom('users')
    .selectAll()
    .where('email', '=', email)
    .where('email_verified_at', 'is not', null)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
}

/** An open invitation to a tenant as the account with its address sees it. */
export interface AccountInvitation {
  readonly id: string;
  readonly tenant_id: string;
  readonly tenant_name: string;
  readonly role: TenantRole;
  readonly created_at: Timestamp;
  readonly expires_at: Timestamp;
}

/** Selects the open invitations of an address to tenants that are not closed. */
function invitationsOf(platform: PlatformDb, email: string, now: Timestamp) {
  return platform.query
    .selectFrom('invitations')
    .innerJoin('tenants', 'tenants.id', 'invitations.tenant_id')
    .select(['invitations.id', 'tenants.id as tenant_id', 'tenants.name as tenant_name', 'invitations.role'])
    .select(['invitations.created_at', 'invitations.expires_at'])
    .where('invitations.email', '=', email)
    .where('invitations.kind', '=', 'tenant')
    .where('invitations.accepted_at', 'is', null)
    .where('invitations.expires_at', '>', now)
    .where('tenants.status', '!=', 'closed')
    .$castTo<AccountInvitation>();
}

/** Returns the newest open invitations of an address, at most `limit`. */
export function listInvitationsOf(
  platform: PlatformDb,
  email: string,
  now: Timestamp,
  limit: number,
): Promise<AccountInvitation[]> {
  return invitationsOf(platform, email, now)
    .orderBy('invitations.created_at', 'desc')
    .orderBy('invitations.id', 'desc')
    .limit(limit)
    .execute();
}

/** Returns an open invitation of an address by id. */
export function findInvitationOf(
  platform: PlatformDb,
  email: string,
  id: string,
  now: Timestamp,
): Promise<AccountInvitation | undefined> {
  return invitationsOf(platform, email, now).where('invitations.id', '=', id).executeTakeFirst();
}

/** Deletes an open invitation and returns it. Returns undefined if it was accepted, replaced or withdrawn meanwhile. */
export function deleteInvitation(tx: PlatformTransaction, id: string): Promise<InvitationsTable | undefined> {
  return tx
    .deleteFrom('invitations')
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}
