import type { Kysely } from 'kysely';
import type { PlatformTables } from '../../tables/platform-tables.ts';
import { index } from '../schema.ts';

/** Adds the hash of the token in the mails to each withdrawn consent, so that a used token is told from an unknown one. */
export async function up(db: Kysely<PlatformTables>): Promise<void> {
  await db.schema.alterTable('marketing_withdrawals').addColumn('unsubscribe_token_hash', 'text').execute();
  await index(db, 'marketing_withdrawals', ['unsubscribe_token_hash']);
}
