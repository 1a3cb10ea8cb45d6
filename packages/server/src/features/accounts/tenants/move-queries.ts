import type { PlatformDb } from '../../../db/database.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { Timestamp } from '../../../lib/clock.ts';

type Move = Pick<TenantsTable, 'move_id' | 'writes_paused_until'>;

/** Updates a tenant's move if its id is still `expected`. Returns false and changes nothing otherwise. */
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

/** Returns the ids of the tenants whose move has an expired lease: its command crashed before it ended the move. */
export async function listAbandonedMoves({ query }: PlatformDb, now: Timestamp): Promise<string[]> {
  const rows = await query
    .selectFrom('tenants')
    .select('id')
    .where('move_id', 'is not', null)
    .where('writes_paused_until', '<=', now)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the ids of the tenants whose databases are at a place, in order. */
export async function listTenantsAt({ query }: PlatformDb, place: string): Promise<string[]> {
  const rows = await query.selectFrom('tenants').select('id').where('placement', '=', place).orderBy('id').execute();
  return rows.map(({ id }) => id);
}
