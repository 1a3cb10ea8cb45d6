import { type Kysely, type SqlBool, sql } from 'kysely';
import { index, partialIndex, uniqueIndex } from '../../schema.ts';

/** Creates the tables of newsletter subscribers, withdrawn consent, and campaigns. */
export async function createMarketingTables<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('marketing_subscribers')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('requested_at', 'text', (column) => column.notNull())
    .addColumn('confirm_token_hash', 'text')
    .addColumn('confirm_expires_at', 'text', (column) => column.notNull())
    .addColumn('confirmed_at', 'text')
    .addColumn('unsubscribe_token_hash', 'text')
    .addColumn('sealed_unsubscribe_token', 'text')
    .execute();
  await uniqueIndex(db, 'marketing_subscribers', ['email']);
  await uniqueIndex(db, 'marketing_subscribers', ['confirm_token_hash']);
  await uniqueIndex(db, 'marketing_subscribers', ['unsubscribe_token_hash']);
  const isConfirmed = sql<SqlBool>`confirmed_at is not null`;
  await partialIndex(db, 'marketing_subscribers_confirmed', 'marketing_subscribers', ['id'], isConfirmed);
  const isOpen = sql<SqlBool>`confirmed_at is null`;
  await partialIndex(db, 'marketing_subscribers_open', 'marketing_subscribers', ['confirm_expires_at'], isOpen);
  await db.schema
    .createTable('marketing_withdrawals')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('email_hash', 'text', (column) => column.notNull())
    .addColumn('consented_at', 'text', (column) => column.notNull())
    .addColumn('withdrawn_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'marketing_withdrawals', ['email_hash']);
  await db.schema
    .createTable('marketing_campaigns')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('last_subscriber_id', 'text', (column) => column.notNull())
    .addColumn('queued', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('completed_at', 'text')
    .execute();
}
