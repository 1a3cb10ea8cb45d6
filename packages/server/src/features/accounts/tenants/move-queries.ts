import type { PlatformDb } from '../../../db/database.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { Timestamp } from '../../../lib/clock.ts';

type Move = Pick<TenantsTable, 'move_id' | 'writes_paused_until'>;

/** Changes a tenant's move, unless it is not the expected one any more. False: it is not. */
export async function changeMove(
  db: Pick<PlatformDb['query'], 'updateTable'>,
  tenantId: string,
  expected: string | null,
  move: Move,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('tenants')
    .set(move)
    .where('id', '=', tenantId)
    .where('move_id', expected === null ? 'is' : '=', expected)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The tenants whose move stopped without an end. */
export async function listAbandonedMoves({ query }: PlatformDb, now: Timestamp): Promise<string[]> {
  const rows = await query
    .selectFrom('tenants')
    .select('id')
    .where('move_id', 'is not', null)
    .where('writes_paused_until', '<=', now)
    .execute();
  return rows.map(({ id }) => id);
}

/** The ids of the tenants whose databases are in a place. */
export async function listTenantsAt({ query }: PlatformDb, place: string): Promise<string[]> {
  const rows = await query.selectFrom('tenants').select('id').where('placement', '=', place).orderBy('id').execute();
  return rows.map(({ id }) => id);
}
