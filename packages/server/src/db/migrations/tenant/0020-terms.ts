import type { Kysely } from 'kysely';
import { replaceKnownValues } from '../schema.ts';

/** Adds the beginning of a license's term, if it is not its start, and a third basis of renewals to policies. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('licenses').addColumn('term_anchor', 'text').execute();
  await replaceKnownValues(db, 'policies', 'renewal_basis', ['from_expiry', 'from_now', 'from_expiry_or_now']);
}
