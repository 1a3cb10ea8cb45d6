import type { Kysely } from 'kysely';
import { index, oneOf, uniqueIndex } from '../../schema.ts';

/** Creates the tables of entitlements and of the policies and licenses that refer to them. */
export async function createEntitlementTables<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('entitlements')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addCheckConstraint('entitlements_type_known', oneOf('type', ['boolean', 'value', 'metered']))
    .execute();
  await uniqueIndex(db, 'entitlements', ['code']);
  await index(db, 'entitlements', ['created_at', 'id']);
  await index(db, 'entitlements', ['type', 'created_at', 'id']);
  // Policies and licenses store their grants as JSON, so that one read returns them. These rows make the database
  // refuse to delete an entitlement that is still granted.
  await db.schema
    .createTable('entitlement_references')
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('entitlement_id', 'text', (column) => column.notNull().references('entitlements.id'))
    .addPrimaryKeyConstraint('entitlement_references_pkey', ['owner_id', 'entitlement_id'])
    .execute();
  await index(db, 'entitlement_references', ['entitlement_id']);
}
