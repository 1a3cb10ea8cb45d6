import type { TenantDb } from '../../../db/database.ts';
import type { LicenseBatchesTable } from '../../../db/tables/tenant/bulk.ts';
import { paginate } from '../../../http/cursor.ts';
import type { LicenseBatchesQuery } from './schemas.ts';

/** Returns a page of the batches, newest first, and one more row. */
export function listBatches({ query }: TenantDb, page: LicenseBatchesQuery): Promise<LicenseBatchesTable[]> {
  return paginate(query.selectFrom('license_batches').selectAll(), page).execute();
}
