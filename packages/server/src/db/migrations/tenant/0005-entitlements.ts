import type { Kysely } from 'kysely';
import { index, oneOf, uniqueIndex } from '../schema.ts';
import { defineEntitlementsOfBefore } from './0005-entitlements-of-before.ts';

/** What a vendor can grant, and which policies and licenses refer to it. */
export async function up(db: Kysely<unknown>): Promise<void> {
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
  // The grants themselves stand in the JSON of policies and licenses, which one read brings along; these rows make the
  // database refuse to delete what is still granted.
  await db.schema
    .createTable('entitlement_references')
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('entitlement_id', 'text', (column) => column.notNull().references('entitlements.id'))
    .addPrimaryKeyConstraint('entitlement_references_pkey', ['owner_id', 'entitlement_id'])
    .execute();
  await index(db, 'entitlement_references', ['entitlement_id']);
  await defineEntitlementsOfBefore(db);
}
