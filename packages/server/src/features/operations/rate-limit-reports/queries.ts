import type { PlatformDb } from '../../../db/database.ts';
import type { ApiKeysTable } from '../../../db/tables/platform/tenants.ts';

/** The columns of an API key that a report shows. */
export type NamedKey = Pick<ApiKeysTable, 'id' | 'name' | 'hint' | 'rate_limit_per_minute'>;

/** Returns the API keys with the given ids, unordered. */
export async function findKeys(platform: PlatformDb, ids: readonly string[]): Promise<NamedKey[]> {
  if (ids.length === 0) return [];
  const keys = platform.query.selectFrom('api_keys').select(['id', 'name', 'hint', 'rate_limit_per_minute']);
  return await keys.where('id', 'in', ids).execute();
}
