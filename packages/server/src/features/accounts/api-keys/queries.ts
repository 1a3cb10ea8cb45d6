import type { Kysely } from 'kysely';
import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { ApiKeysTable } from '../../../db/tables/platform/api-keys.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { type CredentialStatus, hasStatus } from '../credentials/credential.ts';
import type { ApiKeyRow } from './api-key.ts';

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

/** Reads a key of a tenant and locks the row until the transaction ends. */
export function lockApiKey(tx: PlatformTransaction, tenant: Tenant, id: string): Promise<ApiKeysTable | undefined> {
  const query = tx.selectFrom('api_keys').selectAll().where('tenant_id', '=', tenant.id).where('id', '=', id);
  return forUpdate(tx, query).executeTakeFirst();
}

/** Inserts an API key. */
export async function createApiKey(tx: PlatformTransaction, row: ApiKeysTable): Promise<void> {
  await tx.insertInto('api_keys').values(row).execute();
}

/** Sets the status of an API key to `revoked`. */
export async function markApiKeyRevoked(tx: PlatformTransaction, id: string, at: Timestamp): Promise<void> {
  await tx.updateTable('api_keys').set({ status: 'revoked', revoked_at: at }).where('id', '=', id).execute();
}

/** Stores the last use of an API key, unless a newer one is stored. */
export async function markApiKeyUsed(tx: PlatformTransaction, id: string, lastUsedAt: Timestamp): Promise<void> {
  await tx
    .updateTable('api_keys')
    .set({ last_used_at: lastUsedAt })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', lastUsedAt)]))
    .execute();
}
