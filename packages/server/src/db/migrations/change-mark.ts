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

/** So many licenses that changed lately are in the mark. A node that reads it less often discards everything. */
const listedMax = 8;
/** Whoever replaces the comment holds this lock of the database, so that nobody replaces a comment that they did not read. */
const lockComment = 'perform pg_advisory_xact_lock(5208813044)';
/**
 * Makes the planner read an index backward. Until the end of the oldest transaction of the server, former comments are
 * still in the table and in the index; the current one is usually the last.
 */
const readBackward = 'set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off';

/**
 * Creates or replaces the functions that raise the change mark of a PostgreSQL database: a comment on the database
 * (db/postgres/change-marks.ts). Does nothing on SQLite, which counts commits itself.
 *
 * The comment is `change mark`, a random text, a number of changes, and an entry for each of the latest changes, the
 * latest one first. A change of a license adds an entry: the last four digits of its id, and four random digits, so that
 * a reader notices if the server lost changes that the reader saw. Any other change begins with another random text.
 *
 * A transaction changes the comment at its commit, after it has all its other locks, because the comment is locked until
 * the commit ends: two transactions cannot wait for each other. The functions have the rights of the database's owner,
 * because only the owner may set the comment. Names have their schema, because a restore of a dump runs without a
 * search path.
 */
export async function createChangeMark<Tables>(db: Kysely<Tables>): Promise<void> {
  if (!isPostgres(db)) return;
  for (const statement of [raiseChangeMark, recordChangedLicense, raiseAfterChange])
    await sql.raw(statement).execute(db);
}

const raiseChangeMark = `
  create or replace function public.raise_change_mark() returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
  begin
    ${lockComment};
    execute format('comment on database %I is %L', current_database(),
      'change mark ' || right(gen_random_uuid()::text, 12) || ' 0');
  end
  $$`;

const recordChangedLicense = `
  create or replace function public.record_changed_license(license text) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp ${readBackward} as $$
  declare
    own constant oid := (select oid from pg_database where datname = current_database());
    entry constant text := license || lpad(to_hex(floor(random() * 65536)::int), 4, '0');
    mark text[];
  begin
    ${lockComment};
    -- A statement of its own, so its snapshot is taken after the lock and shows the comment of the former holder.
    select string_to_array(description, ' ') into mark from pg_shdescription
    where objoid between own and own and classoid = 'pg_database'::regclass
    order by objoid desc limit 1;
    if mark[1] = 'change' and mark[2] = 'mark' and mark[4] ~ '^[0-9]{1,15}$' then
      execute format('comment on database %I is %L', current_database(),
        array_to_string(mark[1:3] || (mark[4]::bigint + 1)::text || entry || mark[5:${3 + listedMax}], ' '));
    else
      -- The comment of an older version or of a person, or none.
      perform public.raise_change_mark();
    end if;
  end
  $$`;

const raiseAfterChange = `
  create or replace function public.raise_change_mark_after_change() returns trigger language plpgsql as $$
  declare
    former text;
    license text;
    recorded text := coalesce(current_setting('licensing.changed_licenses', true), '');
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
    if tg_level = 'ROW' and tg_table_name = 'licenses' then
      former := right(old.id, 4);
      license := right(coalesce(new.id, old.id), 4);
    elsif tg_level = 'ROW' and tg_table_name in ('activations', 'usage_totals') then
      former := right(old.license_id, 4);
      license := right(coalesce(new.license_id, old.license_id), 4);
    end if;
    if coalesce(former, license) = license and strpos(recorded, license) > 0 then
      return null;
    end if;
    -- Only in this isolation level does a new statement see the comment of the transaction that had the lock before.
    if coalesce(former, license) = license and length(recorded) < ${listedMax * 5}
      and current_setting('transaction_isolation') = 'read committed'
    then
      perform set_config('licensing.changed_licenses', recorded || license || ' ', true);
      perform public.record_changed_license(license);
    else
      perform set_config('licensing.change_mark_of', pg_current_xact_id()::text, true);
      perform public.raise_change_mark();
    end if;
    return null;
  end
  $$`;

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
