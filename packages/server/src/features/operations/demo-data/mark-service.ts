import type { PlatformDb, PlatformTransaction, TenantDb } from '../../../db/database.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import { type Timestamp, toEpochMs } from '../../../lib/clock.ts';
import { bucketAt } from '../activity/buckets.ts';
import { createMarks, deleteMark } from './mark-queries.ts';
import { marksOf } from './marks.ts';
import { listIds, listSubscriptionIds } from './removal-queries.ts';

const markedTables = [
  'products',
  'policies',
  'licenses',
  'entitlements',
  'webhook_endpoints',
  'events',
  'notifications',
  'audit_logs',
] as const;

/**
 * Marks every row of a new tenant as demo data, when the demo has filled it and before anybody can use it. `at` is the
 * time after which its activity is real.
 */
export async function markWholeTenant(
  platform: PlatformDb,
  { id: tenantId, db }: { readonly id: string; readonly db: TenantDb },
  at: Timestamp,
): Promise<void> {
  const marks = await db.transaction(async (tx) => {
    const found = [];
    for (const table of markedTables) found.push(...marksOf(tenantId, table, await listIds(tx, table)));
    return found;
  });
  const activity = marksOf(tenantId, 'activity_points', [`${tenantId} ${bucketAt('hour', toEpochMs(at))}`]);
  await platform.transaction(async (tx) => {
    const subscriptions = marksOf(tenantId, 'subscriptions', await listSubscriptionIds(tx, tenantId));
    await createMarks(tx, [...marks, ...activity, ...subscriptions]);
  });
}

/** Marks rows of the platform's tables, of a tenant or of none, in the caller's transaction. */
export async function markRows(
  tx: PlatformTransaction,
  tenantId: string | null,
  table: keyof PlatformTables,
  ids: readonly string[],
): Promise<void> {
  await createMarks(tx, marksOf(tenantId, table, ids));
}

/** Removes the mark of a tenant itself: its rows stay demo data, but the tenant belongs to its users from now on. */
export async function keepTenant(platform: PlatformDb, tenantId: string): Promise<void> {
  await platform.transaction((tx) => deleteMark(tx, 'tenants', tenantId));
}
