import type { Kysely } from 'kysely';
import { newId } from '../../../lib/ids.ts';
import type { FeatureFlagTables } from '../../tables/platform/feature-flags.ts';
import { index, uniqueIndex } from '../schema.ts';

/** Feature flags and the one row that tells whether any of them changed. */
export async function up(db: Kysely<FeatureFlagTables>): Promise<void> {
  await db.schema
    .createTable('feature_flags')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('definition_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await uniqueIndex(db, 'feature_flags', ['key']);
  await index(db, 'feature_flags', ['created_at', 'id']);
  await db.schema
    .createTable('feature_flag_set')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('revision', 'text', (column) => column.notNull())
    .execute();
  await db.insertInto('feature_flag_set').values({ id: 1, revision: newId() }).execute();
}
