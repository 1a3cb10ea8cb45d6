import { type Kysely, type SqlBool, sql } from 'kysely';
import { oneOf, partialIndex } from '../schema.ts';

/**
 * Adds the role `auditor`. An earlier version lets every enabled admin change tenants, and does not know the role.
 * Therefore an auditor is a disabled admin to it, whom it refuses; this column says what the row means.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable('admins')
    .addColumn('auditor_access', 'text', (column) => column.check(oneOf('auditor_access', ['enabled', 'disabled'])))
    .execute();
  const isAuditor = sql<SqlBool>`auditor_access is not null`;
  await partialIndex(db, 'admins_auditors', 'admins', ['created_at', 'id'], isAuditor);
}
