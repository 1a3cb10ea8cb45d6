import { type Kysely, type SqlBool, sql } from 'kysely';
import { systemClock } from '../../../../lib/clock.ts';
import { newId } from '../../../../lib/ids.ts';
import type { PlatformTables } from '../../../tables/platform-tables.ts';
import { index, oneOf, partialIndex, uniqueIndex } from '../../schema.ts';

/** Creates the tables of the catalog: products, plans and prices. Inserts the plan `free`. */
export async function createCatalogTables(db: Kysely<PlatformTables>): Promise<void> {
  await createCatalogProducts(db);
  await createPlans(db);
  await createPlanPrices(db);
  await insertFreePlan(db);
}

async function createCatalogProducts(db: Kysely<PlatformTables>): Promise<void> {
  await db.schema
    .createTable('catalog_products')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await uniqueIndex(db, 'catalog_products', ['code']);
  await index(db, 'catalog_products', ['created_at', 'id']);
}

async function createPlans(db: Kysely<PlatformTables>): Promise<void> {
  await db.schema
    .createTable('plans')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('limits_json', 'text', (column) => column.notNull())
    .addColumn('features_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('catalog_product_id', 'text', (column) => column.references('catalog_products.id'))
    .addColumn('archived_at', 'text')
    .execute();
  await uniqueIndex(db, 'plans', ['code']);
  await index(db, 'plans', ['created_at', 'id']);
  await index(db, 'plans', ['catalog_product_id']);
  await index(db, 'plans', ['catalog_product_id', 'created_at', 'id']);
  const newestFirst = ['created_at', 'id'];
  await partialIndex(db, 'plans_offered', 'plans', newestFirst, sql<SqlBool>`archived_at is null`);
  await partialIndex(db, 'plans_archived', 'plans', newestFirst, sql<SqlBool>`archived_at is not null`);
}

async function createPlanPrices(db: Kysely<PlatformTables>): Promise<void> {
  await db.schema
    .createTable('plan_prices')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('plan_id', 'text', (column) => column.notNull().references('plans.id'))
    .addColumn('interval', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addCheckConstraint('plan_prices_interval_known', oneOf('interval', ['month', 'year']))
    .execute();
  await uniqueIndex(db, 'plan_prices', ['plan_id', 'interval', 'currency']);
}

async function insertFreePlan(db: Kysely<PlatformTables>): Promise<void> {
  const now = systemClock().now();
  const limits = { products: null, licenses: null, activations: null, api_keys: null, webhooks: null, members: null };
  await db
    .insertInto('plans')
    .values({
      id: newId(),
      code: 'free',
      name: 'Free',
      limits_json: JSON.stringify({ ...limits, integration_requests_per_minute: 6000 }),
      features_json: '[]',
      created_at: now,
      updated_at: now,
    })
    .execute();
}
