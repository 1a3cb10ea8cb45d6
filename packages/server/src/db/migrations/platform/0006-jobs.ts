import { type Kysely, type SqlBool, sql } from 'kysely';
import { index, oneOf } from '../schema.ts';

/** Background work of the platform itself stands beside that of the tenants: a row is about any subject. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('jobs')
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('due_at', 'text')
    .addColumn('wake_at', 'text')
    .addColumn('lease_owner', 'text')
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('last_error', 'text')
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('jobs_pkey', ['subject_id', 'kind'])
    .addCheckConstraint('jobs_status_known', oneOf('status', ['waiting', 'running', 'parked', 'dead']))
    .addCheckConstraint('jobs_lease_complete', sql<SqlBool>`(status = 'running') = (lease_owner is not null)`)
    .execute();
  await sql`insert into jobs select tenant_id, kind, status, due_at, wake_at, lease_owner, attempts, last_error, updated_at from tenant_jobs`.execute(
    db,
  );
  // No version with the former table was released, so that no node of one can be running beside this.
  await db.schema.dropTable('tenant_jobs').execute();
  await index(db, 'jobs', ['due_at']);
  // Few rows are in these states, and what looks for them must not read all the others. One index for each: SQLite
  // takes a partial index only for the very condition that it has.
  for (const status of ['parked', 'dead']) {
    await db.schema
      .createIndex(`jobs_${status}`)
      .on('jobs')
      .columns(['subject_id', 'kind'])
      .where(sql<SqlBool>`status = ${sql.lit(status)}`)
      .execute();
  }
}
