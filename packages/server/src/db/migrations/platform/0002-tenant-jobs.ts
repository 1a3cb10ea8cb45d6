import { type Kysely, type SqlBool, sql } from 'kysely';
import { index, oneOf } from '../schema.ts';

/** Which tenant has background work of which kind, and when. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('tenant_jobs')
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('due_at', 'text')
    .addColumn('wake_at', 'text')
    .addColumn('lease_owner', 'text')
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('last_error', 'text')
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('tenant_jobs_pkey', ['tenant_id', 'kind'])
    .addCheckConstraint('tenant_jobs_status_known', oneOf('status', ['waiting', 'running', 'parked', 'dead']))
    .addCheckConstraint('tenant_jobs_lease_complete', sql<SqlBool>`(status = 'running') = (lease_owner is not null)`)
    .execute();
  await index(db, 'tenant_jobs', ['due_at']);
  // Few rows are in these states, and what looks for them must not read all the others. One index for each: SQLite
  // takes a partial index only for the very condition that it has.
  for (const status of ['parked', 'dead']) {
    await db.schema
      .createIndex(`tenant_jobs_${status}`)
      .on('tenant_jobs')
      .columns(['tenant_id', 'kind'])
      .where(sql<SqlBool>`status = ${sql.lit(status)}`)
      .execute();
  }
}
