import { type Kysely, sql, type Transaction } from 'kysely';
import { isPostgres } from '../dialect.ts';
import { executeScript } from '../statements.ts';

/**
 * Keeps the triggers from raising the change mark until the transaction ends: PostgreSQL refuses to change a table while
 * triggers of it are pending. Run `raiseChangeMarkSql` before the commit instead.
 */
export const holdChangeMarkSql = `select set_config('licensing.change_mark_of', pg_current_xact_id()::text, true)`;

/** Raises the change mark of a database that has one. */
export const raiseChangeMarkSql = `
  do $$ begin
    if to_regproc('public.raise_change_mark') is not null then perform public.raise_change_mark(); end if;
  end $$`;

/** Runs `work`, which changes the schema of a PostgreSQL database, and raises the change mark once. */
export async function withChangeMark<Tables, Result>(
  tx: Transaction<Tables>,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!isPostgres(tx)) return await work();
  await executeScript(tx, holdChangeMarkSql);
  const result = await work();
  await executeScript(tx, raiseChangeMarkSql);
  return result;
}

/**
 * Creates the functions that raise the change mark of a PostgreSQL database: a unique comment on the database
 * (db/postgres/change-marks.ts). Does nothing on SQLite, which counts commits itself.
 *
 * The first change of a watched row in a transaction raises the mark. That happens at its commit, after it has all its
 * other locks, because the comment is locked until the commit ends: two transactions cannot wait for each other. The
 * functions have the rights of the database's owner, because only the owner may set the comment. Names have their
 * schema, because a restore of a dump runs without a search path.
 */
export async function createChangeMark<Tables>(db: Kysely<Tables>): Promise<void> {
  if (!isPostgres(db)) return;
  await sql`
    create function public.raise_change_mark() returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
    begin
      execute format('comment on database %I is %L', current_database(), 'change mark ' || gen_random_uuid());
    end
    $$`.execute(db);
  await sql`
    create function public.raise_change_mark_after_change() returns trigger language plpgsql as $$
    begin
      if current_setting('licensing.change_mark_of', true) is not distinct from pg_current_xact_id()::text then
        return null;
      end if;
      if tg_table_name = 'licenses' and tg_op = 'UPDATE' then
        old.last_validated_at := new.last_validated_at;
        if old is not distinct from new then
          return null;
        end if;
      end if;
      perform set_config('licensing.change_mark_of', pg_current_xact_id()::text, true);
      perform public.raise_change_mark();
      return null;
    end
    $$`.execute(db);
}

/** Raises the change mark with each change of these tables. Cached verdicts must not depend on other tables. */
export async function watchTables<Tables>(db: Kysely<Tables>, tables: readonly string[]): Promise<void> {
  if (!isPostgres(db)) return;
  for (const table of tables) {
    await sql`
      create constraint trigger raise_change_mark after insert or update or delete on ${sql.table(table)}
      deferrable initially deferred for each row
      when (current_setting('licensing.change_mark_of', true) is distinct from pg_current_xact_id()::text)
      execute function public.raise_change_mark_after_change()`.execute(db);
    await sql`
      create trigger raise_change_mark_after_truncation after truncate on ${sql.table(table)}
      for each statement execute function public.raise_change_mark_after_change()`.execute(db);
  }
}
