import { type Kysely, sql } from 'kysely';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';

interface Member {
  readonly tenant_id: string;
  readonly user_id: string;
  readonly role: string;
  readonly created_at: Timestamp;
}

/**
 * Gives every test copy the members of its live tenant. In earlier versions, a person who was removed
 * from the live tenant kept the role in the copy.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  const copies = sql`(select id from tenants where live_tenant_id is not null)`;
  const wanted = sql<Member>`
    select copy.id as tenant_id, member.user_id, member.role, member.created_at
    from memberships as member join tenants as copy on copy.live_tenant_id = member.tenant_id`;
  const { rows } = await wanted.execute(db);
  await sql`delete from memberships where tenant_id in ${copies}`.execute(db);
  await sql`delete from invitations where kind = 'tenant' and tenant_id in ${copies}`.execute(db);
  for (const { tenant_id, user_id, role, created_at } of rows) {
    await sql`insert into memberships (id, tenant_id, user_id, role, created_at)
      values (${newId()}, ${tenant_id}, ${user_id}, ${role}, ${created_at})`.execute(db);
  }
}
