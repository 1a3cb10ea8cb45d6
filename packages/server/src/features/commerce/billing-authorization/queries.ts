import type { PlatformDb } from '../../../db/database.ts';
import type { BillingAuthorizationsTable } from '../../../db/tables/platform/payments.ts';
import { type PageRequest, paginate } from '../../../http/cursor.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';

interface ListAuthorizations extends PageRequest {
  readonly admin_id?: string | undefined;
  readonly allowed?: boolean | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Inserts a decision of the billing guard. */
export async function insertAuthorization(platform: PlatformDb, row: BillingAuthorizationsTable): Promise<void> {
  await platform.query.insertInto('billing_authorization_log').values(row).execute();
}

/** Returns one page of the decisions of the billing guard. */
export function listAuthorizations(
  platform: PlatformDb,
  options: ListAuthorizations,
): Promise<BillingAuthorizationsTable[]> {
  const { admin_id, allowed, from, to } = options;
  let query = platform.query.selectFrom('billing_authorization_log').selectAll();
  if (admin_id !== undefined) query = query.where('admin_id', '=', admin_id);
  if (allowed !== undefined) query = query.where('allowed', '=', allowed ? 1 : 0);
  if (from !== undefined) query = query.where('occurred_at', '>=', toStoredTimestamp(from));
  if (to !== undefined) query = query.where('occurred_at', '<', toStoredTimestamp(to));
  return paginate(query, options, 'occurred_at').execute();
}
