import type { PlatformDb } from '../../../db/database.ts';

/** An actor's id and name. */
export interface ActorName {
  readonly id: string;
  readonly name: string;
}

/** Returns the names of users or admins. Erased users have none. */
export function listPeople(
  { query }: PlatformDb,
  table: 'users' | 'admins',
  ids: readonly string[],
): Promise<ActorName[]> {
  return query.selectFrom(table).select(['id', 'name']).where('id', 'in', ids).execute();
}

/** Returns the names of a tenant's API keys or access tokens, revoked ones too. */
export function listCredentials(
  { query }: PlatformDb,
  table: 'api_keys' | 'tenant_access_tokens',
  tenantId: string,
  ids: readonly string[],
): Promise<ActorName[]> {
  return query
    .selectFrom(table)
    .select(['id', 'name'])
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', ids)
    .execute();
}
