import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../../dialect.ts';

/**
 * Removes the change mark of a PostgreSQL database: triggers replaced a comment on the database with each change, so
 * that nodes knew which verdicts they could give again. Every verdict is read from the rows now.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  if (!isPostgres(db)) return;
  // The triggers on all tables depend on this function.
  await sql`drop function if exists public.raise_change_mark_after_change() cascade`.execute(db);
  await sql`drop function if exists public.record_changed_license(text)`.execute(db);
  await sql`drop function if exists public.raise_change_mark()`.execute(db);
  await sql`
    do $$ begin
      if exists (
        select from pg_database
        where datname = current_database() and shobj_description(oid, 'pg_database') like 'change mark %'
      ) then
        execute format('comment on database %I is null', current_database());
      end if;
    end $$`.execute(db);
}
