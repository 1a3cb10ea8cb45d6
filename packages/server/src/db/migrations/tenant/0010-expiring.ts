import { type Kysely, type SqlBool, sql } from 'kysely';
import { index } from '../schema.ts';

/** Which licenses were counted as expiring, each once for every date on which it ends; what became of a device. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('licenses').addColumn('expiring_noted_for', 'text').execute();
  // Holds only what is still to be counted: a license leaves it when it is, and comes back with a new date.
  await db.schema
    .createIndex('licenses_expiring')
    .on('licenses')
    .column('expires_at')
    .where(sql<SqlBool>`expires_at is not null and (expiring_noted_for is null or expiring_noted_for <> expires_at)`)
    .execute();
  await db.schema
    .createTable('expiring_digest')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('license_count', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('examples_json', 'text', (column) => column.notNull().defaultTo('[]'))
    .addCheckConstraint('expiring_digest_one_row', sql<SqlBool>`id = 1`)
    .execute();
  await sql`insert into expiring_digest (id) values (1)`.execute(db);
  // Of a device whose lease was closed the verdict still says that it ran out.
  await index(db, 'activations', ['license_id', 'fingerprint', 'created_at']);
}
