import { type Kysely, type SqlBool, sql } from 'kysely';
import { isPostgres } from '../../dialect.ts';
import { partialIndex, primaryKey } from '../schema.ts';

/**
 * Creates `revenue_days`, and the indexes of the lists with which admins find users and dead jobs. The daily job writes
 * the first revenue: what the subscriptions were worth before cannot be known.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('revenue_days')
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .$call(primaryKey('revenue_days', ['day', 'currency']))
    .execute();
  const isDead = sql<SqlBool>`status = 'dead'`;
  await partialIndex(db, 'jobs_dead_updated_at', 'jobs', ['updated_at', 'subject_id', 'kind'], isDead);
  await partialIndex(db, 'jobs_dead_of_subject', 'jobs', ['subject_id', 'updated_at', 'kind'], isDead);
  // A search for a prefix is a range over text sorted by bytes. The platform's database may have another locale.
  const collation = isPostgres(db) ? sql` collate "C"` : sql``;
  await sql`create index users_email_prefix on users ((email${collation}), created_at, id)`.execute(db);
  await sql`create index users_name_prefix on users ((lower(name${collation})), created_at, id)`.execute(db);
}
