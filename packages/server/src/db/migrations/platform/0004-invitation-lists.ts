import { type Kysely, type SqlBool, sql } from 'kysely';
import { index, partialIndex } from '../schema.ts';

/** What answers the list of a tenant's members: they and the open invitations, the newest first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await index(db, 'memberships', ['tenant_id', 'role', 'created_at', 'id']);
  // Invitations are kept when they are accepted: the longer a tenant is there, the fewer of them are open.
  const isOpen = sql<SqlBool>`accepted_at is null`;
  await partialIndex(db, 'invitations_open', 'invitations', ['tenant_id', 'created_at', 'id'], isOpen);
  await partialIndex(db, 'invitations_open_role', 'invitations', ['tenant_id', 'role', 'created_at', 'id'], isOpen);
}
