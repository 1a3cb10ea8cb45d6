import type { Kysely } from 'kysely';
import { uniqueIndex } from '../schema.ts';

/** Adds the order number of a license. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('licenses').addColumn('order_number', 'text').execute();
  await uniqueIndex(db, 'licenses', ['order_number'], 'deleted_at');
}
