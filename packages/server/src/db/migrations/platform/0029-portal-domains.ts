import { type Kysely, sql } from 'kysely';

/** Adds the domain of its own that a tenant's portal may have. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const column of ['domain', 'domain_token', 'domain_verified_at']) {
    await db.schema.alterTable('portal_handles').addColumn(column, 'text').execute();
  }
  // Many tenants may wait for the proof of a domain, and one has it.
  await db.schema
    .createIndex('portal_handles_domain_unique')
    .unique()
    .on('portal_handles')
    .column('domain')
    .where(sql.ref('domain_verified_at'), 'is not', null)
    .execute();
}
