import type { PlatformDb } from '../../../db/database.ts';
import type { ActorNames, NamedActor } from '../../tenant-core/audit/audit.ts';

interface Scope {
  /** The tenant of the API keys and access tokens to name; with null, neither is named. */
  readonly tenantId: string | null;
  /** Whether the reader may know the names of the platform's admins. */
  readonly namesAdmins: boolean;
}

/**
 * Returns the names of the actors of audit records by id, in one query for each kind of actor. An actor without a name
 * was erased or deleted, or is an admin whom the reader may not know.
 */
export async function readActorNames(
  platform: PlatformDb,
  actors: readonly NamedActor[],
  { tenantId, namesAdmins }: Scope,
): Promise<ActorNames> {
  const idsOf = (matches: (actor: NamedActor) => boolean) => [
    ...new Set(actors.filter(matches).flatMap(({ actor_id }) => actor_id ?? [])),
  ];
  const users = idsOf((actor) => actor.actor_type === 'user' && actor.actor_created_by === null);
  const tokens = tenantId === null ? [] : idsOf((actor) => actor.actor_created_by !== null);
  const keys = tenantId === null ? [] : idsOf((actor) => actor.actor_type === 'api_key');
  const admins = namesAdmins ? idsOf((actor) => actor.actor_type === 'admin') : [];
  const named = await Promise.all([
    unlessEmpty(users, (ids) => listPeople(platform, 'users', ids)),
    unlessEmpty(admins, (ids) => listPeople(platform, 'admins', ids)),
    unlessEmpty(keys, (ids) => listCredentials(platform, 'api_keys', tenantId ?? '', ids)),
    unlessEmpty(tokens, (ids) => listCredentials(platform, 'tenant_access_tokens', tenantId ?? '', ids)),
  ]);
  return new Map(named.flat().map(({ id, name }) => [id, name]));
}

async function unlessEmpty(
  ids: readonly string[],
  list: (ids: readonly string[]) => Promise<ActorName[]>,
): Promise<ActorName[]> {
  return ids.length === 0 ? [] : await list(ids);
}

/** An actor's id and name. */
export interface ActorName {
  readonly id: string;
  readonly name: string;
}

/** Returns the names of users or admins. Erased users are absent. */
function listPeople({ query }: PlatformDb, table: 'users' | 'admins', ids: readonly string[]): Promise<ActorName[]> {
  return query.selectFrom(table).select(['id', 'name']).where('id', 'in', ids).execute();
}

/** Returns the names of a tenant's API keys or access tokens, revoked ones too. */
function listCredentials(
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
