import type { PlatformDb, PlatformTransaction } from '../../../db/database.ts';
import { forUpdate } from '../../../db/dialect.ts';
import type { ApiKeysTable } from '../../../db/tables/platform/api-keys.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { type CredentialStatus, hasStatus } from '../credentials/credential.ts';

interface ListApiKeys extends PageRequest {
  readonly status?: CredentialStatus | undefined;
  readonly now: Timestamp;
}

/** Returns one page of a tenant's API keys, newest first. The status `expired` is derived from `now`. */
export function listApiKeys(platform: PlatformDb, tenant: Tenant, options: ListApiKeys): Promise<ApiKeysTable[]> {
  let query = platform.query.selectFrom('api_keys').selectAll().where('tenant_id', '=', tenant.id);
  if (options.status !== undefined) query = query.where(hasStatus(options.status, options.now));
  return paginate(query, options).execute();
}

/** Returns an API key of a tenant by id. */
export function findApiKey(platform: PlatformDb, tenant: Tenant, id: string): Promise<ApiKeysTable | undefined> {
  return platform.query
    .selectFrom('api_keys')
    .selectAll()
    .where('tenant_id', '=', tenant.id)
    .where('id', '=', id)
    .executeTakeFirst();
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
