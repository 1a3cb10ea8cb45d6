import { type Kysely, type SqlBool, sql } from 'kysely';
import { partialIndex } from '../schema.ts';

/** Which tenants are being moved, and until when their writers are held off for it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('tenants').addColumn('move_id', 'text').execute();
  await db.schema.alterTable('tenants').addColumn('writes_paused_until', 'text').execute();
  // The sweep looks for moves that died: hardly ever is there one.
  const isMoving = sql<SqlBool>`move_id is not null`;
  await partialIndex(db, 'tenants_moving', 'tenants', ['writes_paused_until'], isMoving);
}
