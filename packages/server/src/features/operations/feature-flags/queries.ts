import type { PlatformDb, PlatformTransaction, PreparedRead } from '../../../db/database.ts';
import type { FeatureFlagsTable } from '../../../db/tables/platform/operations.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import { paginate } from '../../../http/cursor.ts';
import type { FeatureFlagsQuery } from './schemas.ts';

/** Returns one page of the flags, newest first. */
export function listFlags(platform: PlatformDb, filters: FeatureFlagsQuery): Promise<FeatureFlagsTable[]> {
  let query = platform.query.selectFrom('feature_flags').selectAll();
  if (filters.key !== undefined) query = query.where('key', '=', filters.key);
  return paginate(query, filters).execute();
}

/** Sets a new revision of the set of flags. The row lock makes changes of flags run one after the other. */
export async function renewRevision(tx: PlatformTransaction, revision: string): Promise<void> {
  await tx.updateTable('feature_flag_set').set({ revision }).where('id', '=', 1).execute();
}

/** Returns the number of flags. */
export async function countFlags(tx: PlatformTransaction): Promise<number> {
  const counted = tx.selectFrom('feature_flags').select((eb) => eb.fn.countAll<number>().as('count'));
  return Number((await counted.executeTakeFirstOrThrow()).count);
}

const currentRevision: PreparedRead<PlatformTables, { readonly revision: string }> = {
  name: 'feature-flag-revision',
  build: (db) => db.selectFrom('feature_flag_set').select('revision').where('id', '=', 1),
};

/**
 * Returns the current revision of the set of flags. It is read on every request; on SQLite the read is served from
 * memory while nothing changes.
 */
export function readRevision(platform: PlatformDb): Promise<{ readonly revision: string } | undefined> {
  return platform.first(currentRevision, []);
}

/** Returns every flag in the order of keys. `flagsMax` bounds their number. */
export function readAllFlags(platform: PlatformDb): Promise<Pick<FeatureFlagsTable, 'key' | 'definition_json'>[]> {
  return platform.query.selectFrom('feature_flags').select(['key', 'definition_json']).orderBy('key').execute();
}
