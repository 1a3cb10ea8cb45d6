import { type Kysely, type SqlBool, sql } from 'kysely';
import { rowsOf } from '../../dialect.ts';
import { flag, index, oneOf, partialIndex, primaryKey } from '../schema.ts';

/**
 * Adds changes of many licenses at once with what each of them changed, batches of licenses, the reason of a status, and
 * the terms by which a license is found by the end of its key. An earlier version ignores all of this; a license that it
 * changes is not found by the end of its key until this version changes it again.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await createBulkOperations(db);
  await createLicenseBatches(db);
  await db.schema.alterTable('licenses').addColumn('status_reason', 'text').execute();
  await db.schema.alterTable('licenses').addColumn('batch_id', 'text').execute();
  const isBatched = sql<SqlBool>`batch_id is not null`;
  await partialIndex(db, 'licenses_batch', 'licenses', ['batch_id', 'created_at', 'id'], isBatched);
  await addKeyEnds(db);
}

async function createBulkOperations<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('bulk_operations')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('action_json', 'text', (column) => column.notNull())
    .addColumn('filter_json', 'text')
    .addColumn('license_ids_json', 'text')
    .addColumn('undoes_id', 'text')
    .addColumn('undone_by_id', 'text')
    .addColumn('reason', 'text')
    .addColumn('notifies_holders', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('total', 'integer')
    .addColumn('changed', 'integer', (column) => column.notNull())
    .addColumn('unchanged', 'integer', (column) => column.notNull())
    .addColumn('refused', 'integer', (column) => column.notNull())
    .addColumn('refusals_json', 'text', (column) => column.notNull())
    .addColumn('cursor', 'text')
    .addColumn('continues_at', 'text')
    .addColumn('requested_by_type', 'text', (column) => column.notNull())
    .addColumn('requested_by_id', 'text')
    .addColumn('requested_by_creator', 'text')
    .addColumn('request_id', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('ended_at', 'text')
    .addCheckConstraint('bulk_operations_state_known', oneOf('state', ['running', 'done', 'cancelled']))
    .addCheckConstraint('bulk_operations_notifies_flag', flag('notifies_holders'))
    .execute();
  await index(db, 'bulk_operations', ['created_at', 'id']);
  const continues = sql<SqlBool>`continues_at is not null`;
  await partialIndex(db, 'bulk_operations_due', 'bulk_operations', ['continues_at', 'id'], continues);
  await db.schema
    .createTable('bulk_changes')
    .addColumn('operation_id', 'text', (column) => column.notNull())
    .addColumn('license_id', 'text', (column) => column.notNull())
    .addColumn('changes_json', 'text', (column) => column.notNull())
    .addColumn('refusal', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .$call(primaryKey('bulk_changes', ['operation_id', 'license_id']))
    .execute();
  await index(db, 'bulk_changes', ['created_at', 'operation_id', 'license_id']);
}

async function createLicenseBatches<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('license_batches')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('policy_id', 'text', (column) => column.notNull())
    .addColumn('note', 'text')
    .addColumn('count', 'integer', (column) => column.notNull())
    .addColumn('issued', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('continues_at', 'text')
    .addColumn('requested_by_type', 'text', (column) => column.notNull())
    .addColumn('requested_by_id', 'text')
    .addColumn('requested_by_creator', 'text')
    .addColumn('request_id', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('ended_at', 'text')
    .addCheckConstraint('license_batches_state_known', oneOf('state', ['running', 'done', 'failed']))
    .execute();
  await index(db, 'license_batches', ['created_at', 'id']);
  const continues = sql<SqlBool>`continues_at is not null`;
  await partialIndex(db, 'license_batches_due', 'license_batches', ['continues_at', 'id'], continues);
}

const batchSize = 1000;

/** The database of any version of the tables; this migration reads and writes these columns only. */
interface Licenses {
  licenses: { id: string; key: string; created_at: string; deleted_at: string | null };
}

/** Adds the term of the end of the key for each license: its letters and digits, from the last one to the first. */
async function addKeyEnds<Tables>(db: Kysely<Tables>): Promise<void> {
  // The table has these columns since the first migration.
  const licenses = db as unknown as Kysely<Licenses>;
  for (let after = ''; ; ) {
    const rows = await licenses
      .selectFrom('licenses')
      .select(['id', 'key', 'created_at'])
      .where('id', '>', after)
      .where('deleted_at', 'is', null)
      .orderBy('id')
      .limit(batchSize)
      .execute();
    const terms = rows.map(({ id, key, created_at }) => [keyEndTerm(key), created_at, id]);
    if (terms.length > 0) {
      await sql`
        insert into search_terms (term, created_at, owner_id)
        select value ->> 0, value ->> 1, value ->> 2 from ${rowsOf(db, terms)}`.execute(db);
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** Keys are ASCII. A released migration must not depend on how later versions derive the term. */
function keyEndTerm(key: string): string {
  return `license_key_end:${[...key.toLowerCase()]
    .filter((character) => /[a-z0-9]/.test(character))
    .reverse()
    .join('')}`;
}
