import { type Kysely, type SqlBool, sql } from 'kysely';
import { flag, index, oneOf, partialIndex, primaryKey, replaceKnownValues, uniqueIndex } from '../schema.ts';

/**
 * Adds connections to shops: what they sell, their messages, what was sold, and comparisons; and connections as authors
 * of audit records. An earlier version ignores all of this, and lists the audit records of connections with the others.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await createConnections(db);
  await createOffers(db);
  await createSales(db);
  await createMessages(db);
  await createComparisons(db);
  await db.schema
    .alterTable('settings')
    .addColumn('retention_sale_messages_days', 'integer', (column) => column.notNull().defaultTo(90))
    .execute();
  await replaceKnownValues(db, 'audit_logs', 'actor_type', [
    'user',
    'admin',
    'api_key',
    'system',
    'holder',
    'connection',
  ]);
}

async function createConnections<Tables>(db: Kysely<Tables>): Promise<void> {
  const providers = ['stripe', 'paddle', 'lemonsqueezy', 'polar', 'gumroad', 'custom'];
  await db.schema
    .createTable('connections')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('sealed_secret', 'text')
    .addColumn('sealed_api_key', 'text')
    .addColumn('compares_itself', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('last_event_at', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('deleted_at', 'text')
    .addCheckConstraint('connections_provider_known', oneOf('provider', providers))
    .addCheckConstraint('connections_status_known', oneOf('status', ['active', 'disabled']))
    .addCheckConstraint('connections_compares_flag', flag('compares_itself'))
    .execute();
  await index(db, 'connections', ['created_at', 'id']);
}

async function createOffers<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('offers')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('connection_id', 'text', (column) => column.notNull().references('connections.id'))
    .addColumn('external_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('policy_id', 'text', (column) => column.notNull())
    .addColumn('quantity', 'text', (column) => column.notNull())
    .addColumn('seats_per_unit', 'integer', (column) => column.notNull())
    .addColumn('on_refund', 'text', (column) => column.notNull())
    .addColumn('suspend_after_days', 'integer')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addCheckConstraint('offers_quantity_known', oneOf('quantity', ['seats', 'licenses', 'ignore']))
    .addCheckConstraint('offers_on_refund_known', oneOf('on_refund', ['revoke', 'suspend', 'nothing']))
    .execute();
  await uniqueIndex(db, 'offers', ['connection_id', 'external_id']);
  await index(db, 'offers', ['connection_id', 'created_at', 'id']);
}

async function createSales<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('sales')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('connection_id', 'text', (column) => column.notNull().references('connections.id'))
    .addColumn('external_id', 'text', (column) => column.notNull())
    .addColumn('state_json', 'text', (column) => column.notNull())
    .addColumn('kind', 'text')
    .addColumn('state', 'text')
    .addColumn('buyer_email_key', 'text')
    .addColumn('checkout_id', 'text')
    .addColumn('problem', 'text')
    .addColumn('problem_message', 'text')
    .addColumn('next_change_at', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await uniqueIndex(db, 'sales', ['connection_id', 'external_id']);
  await index(db, 'sales', ['connection_id', 'created_at', 'id']);
  await index(db, 'sales', ['connection_id', 'state', 'created_at', 'id']);
  const has = (column: string) => sql<SqlBool>`${sql.ref(column)} is not null`;
  await partialIndex(db, 'sales_problem', 'sales', ['connection_id', 'problem', 'created_at', 'id'], has('problem'));
  await partialIndex(db, 'sales_due', 'sales', ['next_change_at', 'id'], has('next_change_at'));
  await partialIndex(db, 'sales_buyer', 'sales', ['buyer_email_key', 'created_at', 'id'], has('buyer_email_key'));
  await partialIndex(db, 'sales_checkout', 'sales', ['connection_id', 'checkout_id'], has('checkout_id'));
  await db.schema
    .createTable('sale_aliases')
    .addColumn('connection_id', 'text', (column) => column.notNull().references('connections.id'))
    .addColumn('alias', 'text', (column) => column.notNull())
    .addColumn('sale_external_id', 'text', (column) => column.notNull())
    .$call(primaryKey('sale_aliases', ['connection_id', 'alias']))
    .execute();
  await index(db, 'sale_aliases', ['connection_id', 'sale_external_id']);
  await db.schema
    .createTable('sale_licenses')
    .addColumn('license_id', 'text', (column) => column.primaryKey().notNull().references('licenses.id'))
    .addColumn('sale_id', 'text', (column) => column.notNull().references('sales.id'))
    .addColumn('applied_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'sale_licenses', ['sale_id', 'created_at', 'license_id']);
}

/** Without a reference to the sales: copies insert tables in the order of references, and both may be removed alone. */
async function createMessages<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('sale_messages')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('connection_id', 'text', (column) => column.notNull().references('connections.id'))
    .addColumn('external_id', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('occurred_at', 'text')
    .addColumn('received_at', 'text', (column) => column.notNull())
    .addColumn('sealed_body', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('next_attempt_at', 'text')
    .addColumn('effects_json', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('sale_id', 'text')
    .addCheckConstraint('sale_messages_state_known', oneOf('state', ['pending', 'applied', 'nothing', 'failed']))
    .execute();
  await uniqueIndex(db, 'sale_messages', ['connection_id', 'external_id']);
  await index(db, 'sale_messages', ['connection_id', 'received_at', 'id']);
  await index(db, 'sale_messages', ['connection_id', 'state', 'received_at', 'id']);
  await index(db, 'sale_messages', ['received_at', 'id']);
  await index(db, 'sale_messages', ['sale_id', 'received_at', 'id']);
  const isDue = sql<SqlBool>`next_attempt_at is not null`;
  await partialIndex(db, 'sale_messages_due', 'sale_messages', ['next_attempt_at', 'id'], isDue);
}

async function createComparisons<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('comparisons')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('connection_id', 'text', (column) => column.notNull().references('connections.id'))
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('cursor', 'text')
    .addColumn('seen', 'integer', (column) => column.notNull())
    .addColumn('total', 'integer')
    .addColumn('differences', 'integer', (column) => column.notNull())
    .addColumn('applies_itself', 'integer', (column) => column.notNull())
    .addColumn('requested_by_type', 'text')
    .addColumn('requested_by_id', 'text')
    .addColumn('reason', 'text')
    .addColumn('continues_at', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('ended_at', 'text')
    .addCheckConstraint('comparisons_state_known', oneOf('state', ['running', 'done', 'failed']))
    .addCheckConstraint('comparisons_applies_flag', flag('applies_itself'))
    .execute();
  // One at a time for each connection.
  await uniqueIndex(db, 'comparisons', ['connection_id'], 'ended_at');
  await index(db, 'comparisons', ['connection_id', 'created_at', 'id']);
  await index(db, 'comparisons', ['created_at', 'id']);
  const continues = sql<SqlBool>`continues_at is not null`;
  await partialIndex(db, 'comparisons_due', 'comparisons', ['continues_at', 'id'], continues);
  await db.schema
    .createTable('comparison_differences')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('comparison_id', 'text', (column) => column.notNull().references('comparisons.id'))
    .addColumn('sale_external_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('reading_json', 'text', (column) => column.notNull())
    .addColumn('summary', 'text', (column) => column.notNull())
    .addColumn('buyer_json', 'text')
    .addColumn('license_ids_json', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addCheckConstraint('comparison_differences_state_known', oneOf('state', ['open', 'applied']))
    .execute();
  await uniqueIndex(db, 'comparison_differences', ['comparison_id', 'sale_external_id']);
  await index(db, 'comparison_differences', ['comparison_id', 'created_at', 'id']);
  await index(db, 'comparison_differences', ['comparison_id', 'state', 'created_at', 'id']);
  await index(db, 'comparison_differences', ['created_at', 'id']);
}
