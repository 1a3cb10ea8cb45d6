import type { Kysely } from 'kysely';
import { flag } from '../schema.ts';

/** Adds policies whose licenses expire at the end of a month of the calendar. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable('policies')
    .addColumn('ends_with_month', 'integer', (column) => column.notNull().defaultTo(0).check(flag('ends_with_month')))
    .execute();
}
