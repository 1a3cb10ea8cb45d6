import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Database, SqlValue } from '../../src/db/database.ts';
import { countByKey, type SealedColumn } from '../../src/db/sealed.ts';
import { createFirstSigningKey } from '../../src/features/licensing/signing-keys/service.ts';
import { sealedColumns } from '../../src/sealed-columns.ts';
import { readCatalogue } from '../../src/tenancy/archive/empty-platform.ts';
import { openTenantDatabases } from '../../src/tenancy/open-tenant-databases.ts';
import { findTenantRecord } from '../../src/tenancy/tenant-record.ts';
import { asUser } from '../accounts/account-data.ts';
import { post } from '../accounts/people.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { createAdmin, createTenant, createUser, testPassword } from '../support/accounts.ts';
import { engine, type TestApp } from '../support/harness.ts';
import { created, newLicense } from '../support/licensing-catalog.ts';
import { mailsTo } from '../support/mails.ts';
import { openBrowser, useSingleSignOn } from '../support/single-sign-on.ts';

const suite = useSingleSignOn();

type AnyDatabase = Database<Record<string, Record<string, SqlValue>>>;

/** Lets the service seal one value of each kind, except a placement, which exists while a tenant is being created. */
async function sealOneOfEach(app: TestApp): Promise<string> {
  const tenant = await createTenant(app, await createAdmin(app));
  const headers = [{ name: 'Authorization', value: 'Bearer gateway' }];
  created(await tenant.asOwner('POST', '/webhooks', { url: 'https://hooks.example.com/licensing', headers }));
  const storage = { endpoint: 'https://storage.example.com', region: 'eu', bucket: 'files', access_key_id: 'id' };
  const product = { code: 'editor', name: 'Editor', download_storage: { ...storage, secret_access_key: 'secret' } };
  created(await tenant.asOwner('POST', '/products', product));
  const shop = created(await tenant.asOwner('POST', '/connections', { provider: 'custom', name: 'Shop' }));
  const sale = { email: 'buyer@example.com', external_id: 'pro' };
  created(await tenant.asOwner('POST', `/connections/${shop.id}/test-sale`, sale));
  const stripe = { provider: 'stripe', name: 'Shop', api_key: 'rk_test_0123456789' };
  created(await tenant.asOwner('POST', '/connections', stripe));
  const user = await createUser(app);
  const url = '/api/v1/auth/two-factor/setup';
  await app.request({ method: 'POST', url, headers: user.auth, payload: { password: testPassword } });
  expect((await asUser(app, user, 'POST', '/export')).status).toBe(202);
  await runTenantJobs(app);
  const subscribe = (path: string, payload: object) =>
    app.request({ method: 'POST', url: `/api/v1/marketing${path}`, payload });
  const email = 'reader@example.com';
  await subscribe('/subscribe', { email });
  const token = /confirm-subscription#token=([\w-]+)/.exec((await mailsTo(app, email)).at(-1) ?? '')?.[1];
  expect((await subscribe('/confirm', { token })).status).toBe(200);
  expect((await openBrowser(app).start()).status).toBe(303);
  await post(app, '/forgot-password', { email: user.email });
  const { platform } = app.services;
  const { next_attempt_at: _, ...mail } = await platform.query
    .selectFrom('mails')
    .selectAll()
    .executeTakeFirstOrThrow();
  // A refused device: its mail waits, with what the device reported.
  const { key } = await newLicense(tenant, { max_activations: 1 }, { holder: { email } });
  for (const fingerprint of ['first', 'second'])
    await tenant.asApplication(`/licenses/${key}/activations`, { fingerprint, name: 'Laptop' });
  const dead = { ...mail, last_error: '550', died_at: mail.created_at };
  await platform.query.insertInto('dead_mails').values(dead).execute();
  return tenant.id;
}

interface Found {
  readonly sealed: Set<string>;
  /** The columns whose name says that they are sealed. */
  readonly named: Set<string>;
}

/** Opens every text of every table, whole and member by member, with the application key. */
async function search(app: TestApp, database: AnyDatabase, tables: readonly string[]): Promise<Found> {
  const found: Found = { sealed: new Set(), named: new Set() };
  for (const table of tables) {
    const { rows } = await sql<Record<string, SqlValue>>`select * from ${sql.table(table)}`.execute(database.query);
    for (const [column, value] of rows.flatMap((row) => Object.entries(row))) {
      if (/sealed|database_secret/.test(column)) found.named.add(`${table}.${column}`);
      const parts = typeof value === 'string' ? value.split(/["\\.\s]+/) : [];
      if (parts.some((part) => app.services.keyring.keyOf(part) !== undefined)) found.sealed.add(`${table}.${column}`);
    }
  }
  return found;
}

function names<Tables>(columns: readonly SealedColumn<Tables>[]): string[] {
  return columns.map(({ table, column }) => `${table}.${column}`).sort();
}

test('every value that is encrypted under the application key is in a column that "keys reseal" goes over', async () => {
  const { app } = suite;
  const tenantId = await sealOneOfEach(app);
  const { tables } = await readCatalogue(app.config);
  const platform = await search(
    app,
    app.services.platform as unknown as AnyDatabase,
    tables.map(({ name }) => name),
  );
  const absent = ['onboarding_checkouts.placement_json', ...(engine === 'sqlite' ? ['tenants.database_secret'] : [])];
  const registered = names(sealedColumns.platform);
  expect([...platform.sealed, ...absent].sort()).toEqual(registered);
  expect(registered).toEqual(expect.arrayContaining([...platform.named]));
  const record = await findTenantRecord(app.services.platform, tenantId);
  if (record === undefined) throw new Error('The tenant has no row.');
  const seedTenant = createFirstSigningKey(app.services);
  const databases = openTenantDatabases(app.config, { ...app.services, seedTenant });
  const snapshot = await databases.readSnapshot(record);
  const tenantTables = snapshot.tables.map(({ name }) => name);
  await snapshot.close();
  const database = databases.connect(record);
  try {
    const tenant = await search(app, database as unknown as AnyDatabase, tenantTables);
    // Stored only after a mail server has accepted a test mail (test/holders/mail-settings.http.test.ts).
    const absentOfTenant = 'holder_mail_settings.sealed_smtp_password';
    expect([...tenant.sealed, absentOfTenant].sort()).toEqual(names(sealedColumns.tenant));
    expect(names(sealedColumns.tenant)).toEqual(expect.arrayContaining([...tenant.named]));
  } finally {
    await database.close();
  }
});

test('a column that an older schema lacks has no sealed values', async () => {
  const { platform, keyring } = suite.app.services;
  const later: SealedColumn<never> = { table: 'tenants' as never, column: 'later', key: ['id'], what: 'values' };
  expect(await countByKey(platform as never, later, keyring)).toEqual(new Map());
});

test('the key of every sealed column identifies one row', async () => {
  const { platform } = suite.app.services;
  for (const { table, key } of sealedColumns.platform) {
    const keySql =
      platform.engine === 'sqlite'
        ? `select name from pragma_table_info('${table}') where pk > 0 order by pk`
        : `select attname as name from pg_index i join pg_attribute a on attrelid = indrelid and attnum = any(indkey)
            where indrelid = '${table}'::regclass and indisprimary order by array_position(indkey::int2[], attnum)`;
    const { rows } = await sql.raw<{ name: string }>(keySql).execute(platform.query);
    expect([table, rows.map(({ name }) => name)]).toEqual([table, key]);
  }
});
