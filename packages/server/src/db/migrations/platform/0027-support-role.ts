import type { Kysely } from 'kysely';
import { replaceKnownValues } from '../schema.ts';

/**
 * Adds the role `support` of members, invitations and access tokens. Earlier versions would treat the role like `admin`,
 * so they may not serve the database.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  const members = ['owner', 'admin', 'support', 'viewer'];
  const admins = ['billing_readonly', 'billing_admin', 'super_admin'];
  await replaceKnownValues(db, 'memberships', 'role', members);
  await replaceKnownValues(db, 'invitations', 'role', [...members, ...admins]);
  await replaceKnownValues(db, 'tenant_access_tokens', 'role', ['admin', 'support', 'viewer']);
}
