import { type Kysely, type SqlBool, sql } from 'kysely';
import { partialIndex } from '../schema.ts';

/**
 * Adds terms in months of the calendar, and policies and products under which no licenses are issued any more. An
 * earlier version ignores both.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('policies').addColumn('duration_months', 'bigint').execute();
  for (const table of ['policies', 'products']) {
    await db.schema.alterTable(table).addColumn('archived_at', 'text').execute();
    const isArchived = sql<SqlBool>`archived_at is not null`;
    await partialIndex(db, `${table}_archived`, table, ['created_at', 'id'], isArchived);
  }
}
