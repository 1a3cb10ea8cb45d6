import { type SqlBool, sql } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { invitationLifetimeDays } from '../../../db/tables/platform/identity.ts';
import { paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { addDays } from '../../../lib/duration.ts';
import { foldEmail } from '../../../lib/email.ts';
import type { Member, MembersQuery } from './schemas.ts';

type Reader = PlatformDb['query'] | PlatformTransaction;

// SQLite uses the partial index only if the condition is written exactly as in the index definition.
const isActive = sql<SqlBool>`status = 'active'`;

/** Selects the number of a tenant's active access tokens whose creator matches a condition. */
function activeTokens(db: Reader, tenantId: string, now: Timestamp) {
  return db
    .selectFrom('tenant_access_tokens as token')
    .select(sql<number>`cast(count(*) as integer)`.as('count'))
    .where(isActive)
    .where('token.tenant_id', '=', tenantId)
    .where((eb) => eb.or([eb('token.expires_at', 'is', null), eb('token.expires_at', '>', now)]));
}

/** Selects the members of a tenant. */
function joinedMembers(db: Reader, tenantId: string, now: Timestamp) {
  const created = activeTokens(db, tenantId, now).whereRef('token.created_by_id', '=', 'memberships.user_id' as never);
  return db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['memberships.id as id', 'memberships.user_id as user_id', 'users.name as name', 'users.email as email'])
    .select(['memberships.role as role', 'memberships.created_at as created_at'])
    .select(sql<string>`'active'`.as('status'))
    .select(created.as('access_tokens_count'))
    .where('memberships.tenant_id', '=', tenantId)
    .$castTo<Member>();
}

/** Selects the open invitations to a tenant: not accepted and not expired. */
function invitedMembers(db: Reader, tenantId: string, now: Timestamp) {
  return (
    db
      .selectFrom('invitations')
      .select(['invitations.id as id', sql<null>`cast(null as text)`.as('user_id'), 'invitations.name as name'])
      .select(['invitations.email as email', 'invitations.role as role', 'invitations.created_at as created_at'])
      .select(sql<string>`'invited'`.as('status'))
      .select(sql<number>`0`.as('access_tokens_count'))
      .where('invitations.kind', '=', 'tenant')
      .where('invitations.tenant_id', '=', tenantId)
      .where('invitations.accepted_at', 'is', null)
      .where('invitations.expires_at', '>', now)
      // Implied by `expires_at`. It bounds the index scan, which would otherwise read all expired invitations too.
      .where('invitations.created_at', '>', addDays(now, -invitationLifetimeDays))
      .$castTo<Member>()
  );
}

/**
 * Returns one page of a tenant's members and open invitations. Each half of the union is paginated too, so that it
 * reads at most one page from its own index.
 */
export function listMembers(
  platform: PlatformDb,
  tenantId: string,
  filters: MembersQuery,
  now: Timestamp,
): Promise<Member[]> {
  let joined = joinedMembers(platform.query, tenantId, now);
  let invited = invitedMembers(platform.query, tenantId, now);
  const { role, email } = filters;
  if (role !== undefined) {
    joined = joined.where('memberships.role', '=', role);
    invited = invited.where('invitations.role', '=', role);
  }
  if (email !== undefined) {
    joined = joined.where('users.email', '=', foldEmail(email));
    invited = invited.where('invitations.email', '=', foldEmail(email));
  }
  const columns = ['id', 'user_id', 'name', 'email', 'role', 'created_at', 'status', 'access_tokens_count'] as const;
  const both = platform.query
    .selectFrom(paginate(joined, filters, 'memberships.created_at').as('joined'))
    .select(columns)
    .unionAll(
      platform.query.selectFrom(paginate(invited, filters, 'invitations.created_at').as('invited')).select(columns),
    );
  return paginate(platform.query.selectFrom(both.as('members')).select(columns), filters).execute();
}

/** Returns a member or an open invitation by id. */
export async function findMember(
  tx: PlatformTransaction,
  tenantId: string,
  id: string,
  now: Timestamp,
): Promise<Member | undefined> {
  const joined = await joinedMembers(tx, tenantId, now).where('memberships.id', '=', id).executeTakeFirst();
  return joined ?? (await invitedMembers(tx, tenantId, now).where('invitations.id', '=', id).executeTakeFirst());
}

/** Returns the member with a normalised address. Ignores invitations. */
export function findMemberByEmail(
  tx: PlatformTransaction,
  tenantId: string,
  email: string,
  now: Timestamp,
): Promise<Pick<Member, 'id' | 'role'> | undefined> {
  return joinedMembers(tx, tenantId, now).where('users.email', '=', email).executeTakeFirst();
}

/** Returns the open invitation of a normalised address. */
export function findInvitedByEmail(
  tx: PlatformTransaction,
  tenantId: string,
  email: string,
  now: Timestamp,
): Promise<{ readonly id: string } | undefined> {
  return invitedMembers(tx, tenantId, now).where('invitations.email', '=', email).executeTakeFirst();
}
