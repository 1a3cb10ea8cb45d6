import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';

/**
 * Checks every page of an embedded database (https://sqlite.org/pragma.html#pragma_quick_check). Returns the first
 * problem, or undefined when there is none. Skips PostgreSQL, whose pages are the server's responsibility.
 */
export async function findDamage<Tables>(database: Database<Tables>): Promise<string | undefined> {
  if (database.engine !== 'sqlite') return undefined;
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(database.query);
  const found = rows[0]?.quick_check ?? 'the check returned no result';
  return found === 'ok' ? undefined : found.replace(/\s+/g, ' ').replace(/^\*\*\* in database main \*\*\* /, '');
}
