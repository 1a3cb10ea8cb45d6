import type { Kysely } from 'kysely';
import { createChangeMark } from '../change-mark.ts';

/** Names the licenses that changed in the change mark of a PostgreSQL database. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await createChangeMark(db);
}
