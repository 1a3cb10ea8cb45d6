import type { Kysely } from 'kysely';
import { index } from '../schema.ts';

/** The open invitations of a tenant stand in the list of its members, the newest first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await index(db, 'invitations', ['tenant_id', 'created_at', 'id']);
  await db.schema.dropIndex('invitations_tenant_id').execute();
}
