import { type Kysely, type SqlBool, sql } from 'kysely';
import { flag, partialIndex, primaryKey } from '../schema.ts';

/** The database of any version of the tables; this migration writes these columns only. */
interface Imports {
  license_imports: { state: string; reason: string | null; ended_at: string | null; updated_at: string };
}

const interrupted =
  'The service was updated during the import. The licenses that were created until then are kept. Remove their rows ' +
  'from the file and import the others.';

/**
 * Adds the rows of imports that wait for the job, who asked for an import, and when it continues. Imports of an earlier
 * version are in the memory of its process, which ends: they have failed. An earlier version ignores the rest.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('license_import_rows')
    .addColumn('import_id', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('batch', 'text', (column) => column.notNull())
    .$call(primaryKey('license_import_rows', ['import_id', 'position']))
    .execute();
  const add = (name: string) => db.schema.alterTable('license_imports').addColumn(name, 'text').execute();
  for (const name of ['continues_at', 'requested_by_id', 'requested_by_creator', 'request_id']) await add(name);
  await db.schema
    .alterTable('license_imports')
    .addColumn('requested_by_type', 'text', (column) => column.notNull().defaultTo('system'))
    .execute();
  await db.schema
    .alterTable('license_imports')
    .addColumn('notifies_holders', 'integer', (column) => column.notNull().defaultTo(0).check(flag('notifies_holders')))
    .execute();
  const continues = sql<SqlBool>`continues_at is not null`;
  await partialIndex(db, 'license_imports_due', 'license_imports', ['continues_at', 'id'], continues);
  // The table has these columns since an earlier migration.
  await (db as unknown as Kysely<Imports>)
    .updateTable('license_imports')
    .set({ state: 'failed', reason: interrupted, ended_at: sql<string>`updated_at` })
    .where('state', '=', 'running')
    .execute();
}
