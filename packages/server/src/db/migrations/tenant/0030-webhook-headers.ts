import type { Kysely } from 'kysely';

/**
 * Adds the own headers of webhook endpoints, and their filter by product. Events of an earlier version name no product: only
 * endpoints without a filter recover them.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  const empty = { header_names_json: '[]', sealed_headers: '' };
  for (const [name, value] of Object.entries(empty)) {
    const endpoints = db.schema.alterTable('webhook_endpoints');
    await endpoints.addColumn(name, 'text', (column) => column.notNull().defaultTo(value)).execute();
  }
  for (const table of ['webhook_endpoints', 'events']) {
    await db.schema.alterTable(table).addColumn('product_id', 'text').execute();
  }
}
