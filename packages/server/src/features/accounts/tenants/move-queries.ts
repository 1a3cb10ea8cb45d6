import type { PlatformDb } from '../../../db/database.ts';
import type { TenantsTable } from '../../../db/tables/platform/tenants.ts';
import type { Timestamp } from '../../../lib/clock.ts';

/** The columns of a tenant's row that describe its move. */
export type MoveState = Pick<TenantsTable, 'move_id' | 'move_expires_at' | 'writes_paused_until'>;

/** The state of a tenant that is not being moved. */
export const noMove: MoveState = { move_id: null, move_expires_at: null, writes_paused_until: null };

/** Updates a tenant's move if its id is still `expected`. Returns false and changes nothing otherwise. */
export async function changeMove(
  db: Pick<PlatformDb['query'], 'updateTable'>,
  tenantId: string,
  expected: string | null,
  move: MoveState,
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
    .where((eb) => eb.or([eb('move_expires_at', 'is', null), eb('move_expires_at', '<=', now)]))
    .where((eb) => eb.or([eb('writes_paused_until', 'is', null), eb('writes_paused_until', '<=', now)]))
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the ids of the tenants whose databases are at a place, in order. */
export async function listTenantsAt({ query }: PlatformDb, place: string): Promise<string[]> {
  const rows = await query.selectFrom('tenants').select('id').where('placement', '=', place).orderBy('id').execute();
  return rows.map(({ id }) => id);
}
