import { type Kysely, sql } from 'kysely';
import { index } from '../schema.ts';

/**
 * Adds the one state of a sale, by which lists filter. The job of sales applies refunded and disputed sales again, which
 * sets their state. An earlier version keeps its own column, and does not update this one.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('sales').addColumn('shown_state', 'text').execute();
  await sql`update sales set shown_state = state`.execute(db);
  await sql`
    update sales set next_change_at = updated_at
    where next_change_at is null and (state_json like '%"amount":"full"%' or state_json like '%"dispute"%')`.execute(
    db,
  );
  await index(db, 'sales', ['connection_id', 'shown_state', 'created_at', 'id']);
}
