import type { PlatformDb, PlatformTransaction } from '../../db/database.ts';
import type { MembershipsTable } from '../../db/tables.ts';
import { type TenantRecord, tenantRecordColumns } from '../../tenancy/record.ts';

/** A tenant that a user belongs to, and the user's role there. */
export interface MemberTenant extends TenantRecord {
  readonly role: MembershipsTable['role'];
}

/** Up to two of a user's tenants, or the named one if the user belongs to it. */
export function findMemberTenants(
  platform: PlatformDb,
  userId: string,
  tenantId: string | undefined,
): Promise<MemberTenant[]> {
  let query = platform.query
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .innerJoin('plans', 'plans.code', 'tenants.plan_code')
    .select(tenantRecordColumns)
    .select('memberships.role as role')
    .where('memberships.user_id', '=', userId);
  if (tenantId !== undefined) query = query.where('memberships.tenant_id', '=', tenantId);
  return query.limit(2).execute();
}

/** Adds a member; false when the user is one already, whose role stays. */
export async function createMembership(tx: PlatformTransaction, row: MembershipsTable): Promise<boolean> {
  const result = await tx
    .insertInto('memberships')
    .values(row)
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** The enabled user who has an address, in its stored spelling. */
export function findUserByEmail(tx: PlatformTransaction, email: string): Promise<{ id: string } | undefined> {
  return tx
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
}
