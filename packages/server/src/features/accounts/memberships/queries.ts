import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { MembershipsTable, TenantRole } from '../../../db/tables/platform/identity.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import { newId } from '../../../lib/ids.ts';
import { type TenantRecord, tenantRecordColumns } from '../../../tenancy/tenant-record.ts';

/** A tenant that a user belongs to, with the user's role in it. */
export interface MemberTenant extends TenantRecord {
  readonly role: TenantRole;
}

/**
 * Returns at most two of the tenants that a user belongs to, which is enough to know whether there is exactly one: the one
 * with `tenantId`, or the live ones, or all.
 */
export function findMemberTenants(
  platform: PlatformDb,
  userId: string,
  { tenantId, isLive = false }: { readonly tenantId?: string; readonly isLive?: boolean },
): Promise<MemberTenant[]> {
  let query = platform.query
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .innerJoin('plans', 'plans.code', 'tenants.plan_code')
    .select(tenantRecordColumns)
    .select('memberships.role as role')
    .where('memberships.user_id', '=', userId);
  if (tenantId !== undefined) query = query.where('memberships.tenant_id', '=', tenantId);
  if (isLive) query = query.where('tenants.live_tenant_id', 'is', null);
  return query.limit(2).execute();
}

/**
 * Locks the members and invitations of a tenant until the transaction ends, so that concurrent changes run one after
 * the other and each sees the result of the previous one. Returns the tenant's status, or undefined if the tenant does
 * not exist.
 */
export async function lockMembers(
  tx: PlatformTransaction,
  tenantId: string,
): Promise<TenantsTable['status'] | undefined> {
  const query = tx.selectFrom('tenants').select('status').where('id', '=', tenantId);
  return (await forUpdate(tx, query).executeTakeFirst())?.status;
}

/** Returns the memberships of the enabled owners of a tenant. */
export function listOwners(
  tx: PlatformTransaction,
  tenantId: string,
): Promise<Pick<MembershipsTable, 'id' | 'user_id'>[]> {
  return tx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['memberships.id as id', 'memberships.user_id as user_id'])
    .where('memberships.tenant_id', '=', tenantId)
    .where('memberships.role', '=', 'owner')
    .where('users.disabled_at', 'is', null)
    .execute();
}

/** Returns the addresses of the enabled owners of a tenant, in the order of joining. */
export async function listOwnerEmails(platform: PlatformDb, tenantId: string): Promise<string[]> {
  const rows = await platform.query
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.email as email')
    .where('memberships.tenant_id', '=', tenantId)
    .where('memberships.role', '=', 'owner')
    .where('users.disabled_at', 'is', null)
    .orderBy('memberships.created_at')
    .execute();
  return rows.map(({ email }) => email);
}

/** Returns the membership of a user in a tenant; undefined for a user who is not a member. */
export function findMembership(
  tx: PlatformTransaction,
  tenantId: string,
  userId: string,
): Promise<Pick<MembershipsTable, 'id' | 'role'> | undefined> {
  const query = tx.selectFrom('memberships').select(['id', 'role']).where('tenant_id', '=', tenantId);
  return query.where('user_id', '=', userId).executeTakeFirst();
}

// A test copy has the members of its live tenant: each change of a membership is made in the copy too.

/** Selects the test copy of a live tenant, unless it is closed. */
function copiesOf(tx: PlatformTransaction, liveTenantId: string) {
  const copies = tx.selectFrom('tenants').select('tenants.id').where('tenants.live_tenant_id', '=', liveTenantId);
  return copies.where('tenants.closed_at', 'is', null);
}

/**
 * Inserts a membership, also in the tenant's test copy. Returns false and changes nothing if the user already belongs to the
 * tenant.
 */
export async function createMembership(tx: PlatformTransaction, row: MembershipsTable): Promise<boolean> {
  if (!(await insertMembership(tx, row))) return false;
  for (const { id } of await copiesOf(tx, row.tenant_id).execute()) {
    await insertMembership(tx, { ...row, id: newId(), tenant_id: id });
  }
  return true;
}

async function insertMembership(tx: PlatformTransaction, row: MembershipsTable): Promise<boolean> {
  const result = await tx
    .insertInto('memberships')
    .values(row)
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Changes the role of a membership, also in the tenant's test copy. */
export async function updateMembershipRole(tx: PlatformTransaction, id: string, role: TenantRole): Promise<void> {
  const row = await tx.updateTable('memberships').set({ role }).where('id', '=', id).returningAll().executeTakeFirst();
  if (row === undefined) return;
  await tx
    .updateTable('memberships')
    .set({ role })
    .where('user_id', '=', row.user_id)
    .where('tenant_id', 'in', copiesOf(tx, row.tenant_id))
    .execute();
}

/** Deletes a membership, also in the tenant's test copy. */
export async function deleteMembership(tx: PlatformTransaction, id: string): Promise<void> {
  const row = await tx.deleteFrom('memberships').where('id', '=', id).returningAll().executeTakeFirst();
  if (row === undefined) return;
  await tx
    .deleteFrom('memberships')
    .where('user_id', '=', row.user_id)
    .where('tenant_id', 'in', copiesOf(tx, row.tenant_id))
    .execute();
}

/** Returns the memberships of a user with the names of the tenants, in the order of the tenants' ids. */
export function listMembershipsOfUser(
  tx: PlatformTransaction,
  userId: string,
): Promise<(MembershipsTable & { readonly tenant_name: string })[]> {
  return tx
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .selectAll('memberships')
    .select('tenants.name as tenant_name')
    .where('memberships.user_id', '=', userId)
    .orderBy('memberships.tenant_id')
    .execute();
}

/** Returns every member of a tenant with its role. */
export function listMembersToCopy(
  tx: PlatformTransaction,
  tenantId: string,
): Promise<{ id: string; email: string; role: TenantRole }[]> {
  return tx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id as id', 'users.email as email', 'memberships.role as role'])
    .where('memberships.tenant_id', '=', tenantId)
    .execute();
}
