import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';

/**
 * Reads an embedded database from its first page to its last: what is wrong with the first bad one, undefined when all
 * is well (https://sqlite.org/pragma.html#pragma_quick_check). PostgreSQL looks after its own pages.
 */
export async function findDamage<Tables>(database: Database<Tables>): Promise<string | undefined> {
  if (database.engine !== 'sqlite') return undefined;
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(database.query);
  const found = rows[0]?.quick_check ?? 'nothing was answered';
  return found === 'ok' ? undefined : found.replace(/\s+/g, ' ').replace(/^\*\*\* in database main \*\*\* /, '');
}
