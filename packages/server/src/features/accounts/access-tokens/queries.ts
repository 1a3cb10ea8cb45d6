import { type Kysely, type SqlBool, sql } from 'kysely';
import type { PlatformDb, PlatformTransaction, PreparedRead } from '../../../db/database.ts';
import type { TenantRole } from '../../../db/tables/platform/identity.ts';
import type { AccessTokenRole, TenantAccessTokensTable } from '../../../db/tables/platform/tenants.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { type TenantRecord, tenantRecordColumns } from '../../../tenancy/tenant-record.ts';
import { type CredentialStatus, hasStatus } from '../credentials/credential.ts';

/** An active token and its tenant's row, read with one query. */
export interface AccessTokenRecord extends TenantRecord {
  readonly token_id: string;
  readonly token_name: string;
  readonly token_created_at: Timestamp;
  readonly role: AccessTokenRole;
  readonly expires_at: Timestamp | null;
  readonly created_by_id: string;
}

const activeTokenByHash: PreparedRead<PlatformTables, AccessTokenRecord> = {
  name: 'active-access-token-by-hash',
  build: (db, parameter) =>
    db
      .selectFrom('tenant_access_tokens as token')
      .innerJoin('tenants', 'tenants.id', 'token.tenant_id')
      .innerJoin('plans', 'plans.code', 'tenants.plan_code')
      .select(tenantRecordColumns)
      .select(['token.id as token_id', 'token.name as token_name', 'token.created_at as token_created_at'])
      .select(['token.role as role', 'token.expires_at as expires_at', 'token.created_by_id as created_by_id'])
      .where('token.token_hash', '=', parameter(0))
      .where('token.status', '=', 'active'),
};

/** Reads a token that is not revoked, and its tenant, with one query. Does not check the expiry. */
export function findActiveToken(platform: PlatformDb, tokenHash: string): Promise<AccessTokenRecord | undefined> {
  return platform.first(activeTokenByHash, [tokenHash]);
}

/** A token with the role that its creator has in the tenant now; null if the creator can no longer use the tenant. */
export interface AccessTokenRow extends TenantAccessTokensTable {
  readonly creator_role: TenantRole | null;
  /** The present name of the creator; null if the creator is no longer a member. */
  readonly creator_name: string | null;
}

/** Selects a tenant's tokens with the current role of their creators; null for a creator without access. */
function tokensOf(db: Kysely<PlatformTables>, tenantId: string) {
  return db
    .selectFrom('tenant_access_tokens')
    .selectAll('tenant_access_tokens')
    .select((eb) =>
      eb
        .selectFrom('memberships')
        .innerJoin('users', 'users.id', 'memberships.user_id')
        .select('memberships.role')
        .whereRef('memberships.tenant_id', '=', 'tenant_access_tokens.tenant_id')
        .whereRef('memberships.user_id', '=', 'tenant_access_tokens.created_by_id')
        .where('users.disabled_at', 'is', null)
        .as('creator_role'),
    )
    .select((eb) =>
      eb
        .selectFrom('memberships')
        .innerJoin('users', 'users.id', 'memberships.user_id')
        .select('users.name')
        .whereRef('memberships.tenant_id', '=', 'tenant_access_tokens.tenant_id')
        .whereRef('memberships.user_id', '=', 'tenant_access_tokens.created_by_id')
        .as('creator_name'),
    )
    .where('tenant_access_tokens.tenant_id', '=', tenantId);
}

interface ListAccessTokens extends PageRequest {
  readonly status?: CredentialStatus | undefined;
  readonly created_by?: string | undefined;
  readonly now: Timestamp;
}

/** Returns one page of a tenant's access tokens, newest first. The status `expired` is derived from `now`. */
export function listAccessTokens(
  platform: PlatformDb,
  tenant: Tenant,
  options: ListAccessTokens,
): Promise<AccessTokenRow[]> {
  const { status, created_by: creator, now } = options;
  let query = tokensOf(platform.query, tenant.id);
  if (creator !== undefined) query = query.where('created_by_id', '=', creator);
  if (status !== undefined) query = query.where(hasStatus(status, now));
  return paginate(query, options, 'tenant_access_tokens.created_at').execute();
}

/** Returns an access token of a tenant by id. */
export function findAccessTokenById(
  platform: PlatformDb,
  tenant: Tenant,
  id: string,
): Promise<AccessTokenRow | undefined> {
  return tokensOf(platform.query, tenant.id).where('tenant_access_tokens.id', '=', id).executeTakeFirst();
}

// SQLite uses the partial index only if the condition is written exactly as in the index definition.
const isActive = sql<SqlBool>`status = 'active'`;

/** Counts a tenant's tokens that are neither revoked nor expired. A tenant has few, because their number is limited. */
export async function countActiveTokens(tx: PlatformTransaction, tenantId: string, now: Timestamp): Promise<number> {
  const { count } = await tx
    .selectFrom('tenant_access_tokens')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(isActive)
    .where('tenant_id', '=', tenantId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirstOrThrow();
  return Number(count);
}
