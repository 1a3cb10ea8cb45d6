import type { Kysely } from 'kysely';
import { oneOf } from '../schema.ts';

/** Adds the components of devices, and how policies compare them. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('activations').addColumn('components_json', 'text').execute();
  const isKnown = oneOf('fingerprint_matching', ['exact', 'most', 'any']);
  await db.schema
    .alterTable('policies')
    .addColumn('fingerprint_matching', 'text', (column) => column.notNull().defaultTo('exact').check(isKnown))
    .execute();
}
