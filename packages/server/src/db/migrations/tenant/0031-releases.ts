import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../../dialect.ts';
import { index, oneOf, primaryKey, uniqueIndex } from '../schema.ts';

/** Adds releases of products with their files and downloads, and the storage of a product. An earlier version ignores them. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('products').addColumn('download_storage_json', 'text').execute();
  await db.schema
    .createTable('releases')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('product_id', 'text', (column) => column.notNull().references('products.id'))
    .addColumn('version', 'text', (column) => column.notNull())
    // Versions are sorted by bytes, whatever the locale of the database.
    .addColumn('version_sort', isPostgres(db) ? sql`text collate "C"` : 'text', (column) => column.notNull())
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('notes', 'text', (column) => column.notNull())
    .addColumn('released_at', 'text')
    .addColumn('minimum_entitlements_json', 'text', (column) => column.notNull())
    .addColumn('yanked_reason', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addCheckConstraint('releases_status_known', oneOf('status', ['draft', 'published', 'yanked']))
    .execute();
  await uniqueIndex(db, 'releases', ['product_id', 'version_sort']);
  await index(db, 'releases', ['product_id', 'status', 'channel', 'version_sort']);
  await db.schema
    .createTable('release_artifacts')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('release_id', 'text', (column) => column.notNull().references('releases.id'))
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('arch', 'text', (column) => column.notNull())
    .addColumn('file_name', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('signature', 'text')
    .execute();
  await index(db, 'release_artifacts', ['release_id', 'position']);
  await db.schema
    .createTable('release_downloads')
    .addColumn('release_id', 'text', (column) => column.notNull().references('releases.id'))
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .$call(primaryKey('release_downloads', ['release_id', 'day']))
    .execute();
}
