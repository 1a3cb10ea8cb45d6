import type { PlatformDb } from '../../../db/database.ts';
import type { TenantRole } from '../../../db/tables/platform/identity.ts';

/** Returns the name and the address of a user, the buyer of a test sale; undefined if the user was erased. */
export function findPerson(
  { query }: PlatformDb,
  userId: string,
): Promise<{ readonly name: string; readonly email: string } | undefined> {
  return query.selectFrom('users').select(['name', 'email']).where('id', '=', userId).executeTakeFirst();
}

/** Returns the role of a user in a tenant; undefined for somebody else. */
export async function findRole(
  { query }: PlatformDb,
  tenantId: string,
  userId: string,
): Promise<TenantRole | undefined> {
  const memberships = query.selectFrom('memberships').select('role');
  return (await memberships.where('tenant_id', '=', tenantId).where('user_id', '=', userId).executeTakeFirst())?.role;
}
