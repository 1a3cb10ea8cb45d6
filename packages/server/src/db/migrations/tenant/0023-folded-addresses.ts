import { type Kysely, sql } from 'kysely';
import { foldEmail } from '../../../lib/email.ts';
import { isPostgres } from '../../dialect.ts';

// Versions before this one folded only the letters A to Z, so an address with other letters could be several customers.
const columns = [
  ['licenses', 'holder_email'],
  ['holder_mails', 'recipient'],
  ['portal_logins', 'email'],
  ['portal_sessions', 'email'],
  ['customer_notes', 'email_key'],
  ['trial_requests', 'email'],
  ['sales', 'buyer_email_key'],
  ['trials', 'email_key'],
] as const;

/** Folds the stored addresses with letters beyond ASCII, which merges the customers that have the same one. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const [table, column] of columns) await foldColumn(db, table, column);
}

async function foldColumn<Tables>(db: Kysely<Tables>, table: string, column: string): Promise<void> {
  const email = sql.ref(column);
  // No function: a new database gets the recorded script of all migrations, in which none may be called.
  const isBeyondAscii = isPostgres(db) ? sql`${email} ~ '[^ -~]'` : sql`${email} glob '*[^ -~]*'`;
  const found = await sql<{ id: string; email: string }>`
    select id, ${email} as email from ${sql.table(table)} where ${isBeyondAscii} order by id`.execute(db);
  for (const row of found.rows) {
    const folded = foldEmail(row.email);
    if (folded === row.email) continue;
    const value = table === 'trials' && (await isTaken(db, row.id, folded)) ? null : folded;
    await sql`update ${sql.table(table)} set ${email} = ${value} where id = ${row.id}`.execute(db);
  }
}

/** A product has one trial per address. The one that already has the folded address keeps it. */
async function isTaken<Tables>(db: Kysely<Tables>, id: string, folded: string): Promise<boolean> {
  const others = await sql`
    select id from trials where email_key = ${folded}
      and product_id = (select product_id from trials where id = ${id}) limit 1`.execute(db);
  return others.rows.length > 0;
}
