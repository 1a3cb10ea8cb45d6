import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkSchema, type Migrations, migrate, migrateTo } from '../../src/db/migrations/migrate.ts';
import { platformMigrations } from '../../src/db/migrations/platform/index.ts';
import { tenantMigrations } from '../../src/db/migrations/tenant/index.ts';
import type { PlatformTables } from '../../src/db/tables/platform-tables.ts';
import type { TenantTables } from '../../src/db/tables/tenant-tables.ts';
import { toTimestamp } from '../../src/lib/clock.ts';
import { readCatalogueOf } from '../support/catalogue.ts';
import { type FreshDatabase, freshDatabase } from '../support/database.ts';

let fresh: FreshDatabase;

beforeEach(async () => {
  fresh = await freshDatabase();
});

afterEach(() => fresh.remove());

/** The migrations of the last version with change marks. */
function former(migrations: Migrations): Migrations {
  const all = Object.entries(migrations);
  return Object.fromEntries(
    all.slice(
      0,
      all.findIndex(([name]) => name.endsWith('-no-change-marks')),
    ),
  );
}

const newestOf = (migrations: Migrations) => Object.keys(migrations).at(-1) ?? '';

/** What the former version created in each tenant's database. */
const changeMark = `
  create function public.raise_change_mark() returns void language plpgsql as $$
  begin
    execute format('comment on database %I is %L', current_database(), 'change mark ' || gen_random_uuid());
  end $$;
  create function public.record_changed_license(license text) returns void language plpgsql as $$
  begin perform public.raise_change_mark(); end $$;
  create function public.raise_change_mark_after_change() returns trigger language plpgsql as $$
  begin
    perform public.record_changed_license('');
    return null;
  end $$;
  create constraint trigger raise_change_mark after insert or update or delete on settings
    deferrable initially deferred for each row execute function public.raise_change_mark_after_change();
  create trigger raise_change_mark_after_truncation after truncate on settings
    for each statement execute function public.raise_change_mark_after_change();`;

const comment = sql<{ comment: string | null }>`
  select shobj_description(oid, 'pg_database') as comment from pg_database where datname = current_database()`;

test('a tenant database with a change mark becomes equal to a new one', async () => {
  const db = fresh.open<TenantTables>();
  const tenant = former(tenantMigrations);
  await migrateTo(db, tenant, newestOf(tenant));
  await sql.raw(changeMark).execute(db.query);
  await sql`select public.raise_change_mark()`.execute(db.query);
  expect((await comment.execute(db.query)).rows).toEqual([{ comment: expect.stringMatching(/^change mark /) }]);
  await migrate(db, tenantMigrations);
  expect((await comment.execute(db.query)).rows).toEqual([{ comment: null }]);
  const another = await freshDatabase();
  const created = another.open<TenantTables>();
  await migrate(created, tenantMigrations);
  expect(await readCatalogueOf(db.query, 'postgres')).toEqual(await readCatalogueOf(created.query, 'postgres'));
  await another.remove();
});

test('the comment of a person on a tenant database stays', async () => {
  const db = fresh.open<TenantTables>();
  const tenant = former(tenantMigrations);
  await migrateTo(db, tenant, newestOf(tenant));
  const name = new URL(fresh.location).pathname.slice(1);
  await sql`comment on database ${sql.id(name)} is 'the database of Acme'`.execute(db.query);
  await migrate(db, tenantMigrations);
  expect((await comment.execute(db.query)).rows).toEqual([{ comment: 'the database of Acme' }]);
});

test('a version that waits for change marks is refused by databases without them', async () => {
  const db = fresh.open<TenantTables>();
  await migrate(db, tenantMigrations);
  expect(await checkSchema(db, former(tenantMigrations))).toBe('ahead');
});

test('a platform is migrated only when no node of a version with change marks serves', async () => {
  const db = fresh.open<PlatformTables>();
  const platform = former(platformMigrations);
  await migrate(db, platform);
  const [now, minuteMs] = [Date.now(), 60_000];
  const node = (name: string, expiresMs: number) => ({
    id: name,
    name,
    places_json: '[]',
    started_at: toTimestamp(now),
    expires_at: toTimestamp(expiresMs),
    app_key_fingerprint: null,
  });
  await db.query
    .insertInto('nodes')
    .values([node('dead', now - 1), node('running', now + minuteMs)])
    .execute();
  await expect(migrate(db, platformMigrations)).rejects.toThrow(
    /^Nodes of an earlier version serve beside this one: running\./,
  );
  expect(await checkSchema(db, platform)).toBe('current');
  await db.query.deleteFrom('nodes').where('id', '=', 'running').execute();
  expect(await migrate(db, platformMigrations)).toMatchObject({ state: 'migrated' });
  expect(await checkSchema(db, platform)).toBe('ahead');
});
