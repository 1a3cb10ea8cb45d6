import { type Kysely, type SqlBool, sql } from 'kysely';
import { foldedEmail } from '../../dialect.ts';

/**
 * Adds the index by which the deleted licenses of a holder are found, with any case of the address. Only the export and
 * the erasure of personal data read them, so they are not in the index of the other licenses.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  const isDeleted = sql<SqlBool>`holder_email is not null and deleted_at is not null`;
  await sql`
    create index licenses_deleted_folded_email on licenses ((${foldedEmail(db, 'holder_email')}), created_at, id)
    where ${isDeleted}`.execute(db);
}
