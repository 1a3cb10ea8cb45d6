import type { Kysely } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { ApiKeysTable } from '../../../db/tables/platform/tenants.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { type CredentialStatus, hasStatus } from '../credentials/credential.ts';

/** A key with the present name of its creator, if that is a member or an access token and was read. */
export interface ApiKeyRow extends ApiKeysTable {
  readonly creator_name?: string | null;
}

interface ListApiKeys extends PageRequest {
  readonly status?: CredentialStatus | undefined;
  readonly now: Timestamp;
}

/** Selects a tenant's keys with the present name of the member or access token that created each. */
function keysOf(db: Kysely<PlatformTables>, tenantId: string) {
  return db
    .selectFrom('api_keys')
    .selectAll('api_keys')
    .select((eb) => {
      const member = eb
        .selectFrom('memberships')
        .innerJoin('users', 'users.id', 'memberships.user_id')
        .select('users.name')
        .whereRef('memberships.tenant_id', '=', 'api_keys.tenant_id')
        .whereRef('memberships.user_id', '=', 'api_keys.created_by_id');
      const token = eb
        .selectFrom('tenant_access_tokens')
        .select('tenant_access_tokens.name')
        .whereRef('tenant_access_tokens.id', '=', 'api_keys.created_by_id')
        .whereRef('tenant_access_tokens.tenant_id', '=', 'api_keys.tenant_id');
      return eb.fn.coalesce(member, token).as('creator_name');
    })
    .where('api_keys.tenant_id', '=', tenantId);
}

/** Returns one page of a tenant's API keys, newest first. The status `expired` is derived from `now`. */
export function listApiKeys(platform: PlatformDb, tenant: Tenant, options: ListApiKeys): Promise<ApiKeyRow[]> {
  let query = keysOf(platform.query, tenant.id);
  if (options.status !== undefined) query = query.where(hasStatus(options.status, options.now));
  return paginate(query, options, 'api_keys.created_at').execute();
}

/** Returns an API key of a tenant by id. */
export function findApiKey(platform: PlatformDb, tenant: Tenant, id: string): Promise<ApiKeyRow | undefined> {
  return keysOf(platform.query, tenant.id).where('api_keys.id', '=', id).executeTakeFirst();
}

/** Reads an API key of a tenant and locks its row until the transaction ends. */
export function lockApiKey(tx: PlatformTransaction, tenantId: string, id: string): Promise<ApiKeysTable | undefined> {
  const key = tx.selectFrom('api_keys').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id);
  return forUpdate(tx, key).executeTakeFirst();
}

/** The columns of a key that people change. */
export type ApiKeyColumns = Pick<
  ApiKeysTable,
  | 'name'
  | 'scopes_json'
  | 'allowed_cidrs_json'
  | 'product_id'
  | 'rate_limit_per_minute'
  | 'rate_limit_per_address_per_minute'
  | 'expires_at'
>;

/** Updates what people change of an API key. */
export async function updateApiKeyRow(
  tx: PlatformTransaction,
  id: string,
  columns: Partial<ApiKeyColumns>,
): Promise<void> {
  await tx.updateTable('api_keys').set(columns).where('id', '=', id).execute();
}
