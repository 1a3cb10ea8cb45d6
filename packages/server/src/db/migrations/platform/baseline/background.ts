import { type Kysely, type SqlBool, sql } from 'kysely';
import { index, oneOf, partialIndex } from '../../schema.ts';

/** Creates the tables of background work: jobs, the audit outbox, queued and undeliverable mails, digests. */
export async function createBackgroundTables<Tables>(db: Kysely<Tables>): Promise<void> {
  await createJobs(db);
  await createAuditOutbox(db);
  await createMails(db);
  await createDeadMails(db);
  await createNotificationDigests(db);
}

/** No foreign key on `subject_id`: a job is about a tenant or about any other row. */
async function createJobs<Tables>(db: Kysely<Tables>): Promise<void> {
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
  await index(db, 'jobs', ['due_at']);
  // Few rows have these states, so a search for them must not read the others. Each state has its own index, because
  // SQLite uses a partial index only for exactly its condition.
  for (const status of ['parked', 'dead']) {
    const hasStatus = sql<SqlBool>`status = ${sql.lit(status)}`;
    await partialIndex(db, `jobs_${status}`, 'jobs', ['subject_id', 'kind'], hasStatus);
  }
}

async function createAuditOutbox<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('audit_outbox')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('tenant_id', 'text', (column) => column.notNull().references('tenants.id'))
    .addColumn('record_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'audit_outbox', ['created_at', 'id']);
  await index(db, 'audit_outbox', ['tenant_id']);
}

async function createMails<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('mails')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('sealed_message', 'text', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('next_attempt_at', 'text', (column) => column.notNull())
    .addColumn('last_error', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('useful_until', 'text')
    .execute();
  await index(db, 'mails', ['next_attempt_at']);
}

async function createDeadMails<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('dead_mails')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('sealed_message', 'text', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('useful_until', 'text')
    .addColumn('last_error', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('died_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'dead_mails', ['died_at', 'id']);
}

async function createNotificationDigests<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('notification_digests')
    .addColumn('tenant_id', 'text', (column) => column.primaryKey().notNull().references('tenants.id'))
    .addColumn('last_number', 'bigint', (column) => column.notNull())
    .addColumn('mailed_at', 'text', (column) => column.notNull())
    .execute();
}
