import type { PlatformDb } from '../../../db/database.ts';

/** Returns the names of the tenants with these ids, by id. Other subjects of jobs are left out. */
export async function findTenantNames(
  platform: PlatformDb,
  subjectIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (subjectIds.length === 0) return new Map();
  const tenants = platform.query.selectFrom('tenants').select(['id', 'name']).where('id', 'in', subjectIds);
  return new Map((await tenants.execute()).map(({ id, name }) => [id, name]));
}
