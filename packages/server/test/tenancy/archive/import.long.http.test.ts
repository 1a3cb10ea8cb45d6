import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkSchema } from '../../../src/db/migrations/migrate.ts';
import { readPlatformSnapshot } from '../../../src/db/platform.ts';
import type { PlatformTables } from '../../../src/db/tables/platform-tables.ts';
import { purgeTenant } from '../../../src/features/accounts/tenants/archive-service.ts';
import { updateTenant } from '../../../src/features/accounts/tenants/service.ts';
import { newId } from '../../../src/lib/ids.ts';
import { loadTenantArchive, verifyTenantArchive } from '../../../src/tenancy/archive/import.ts';
import { platformTableRules } from '../../../src/tenancy/archive/platform-tables.ts';
import { silentProgress } from '../../../src/tenancy/archive/progress.ts';
import { openTenantDatabases } from '../../../src/tenancy/open-tenant-databases.ts';
import type { Placement } from '../../../src/tenancy/placement.ts';
import { systemActor } from '../../../src/tenancy/tenant.ts';
import { findTenantRecord } from '../../../src/tenancy/tenant-record.ts';
import { newAccessToken, sendWith } from '../../accounts/access-tokens.ts';
import { insertSubscription } from '../../commerce/billing-data.ts';
import { createTenant, type TestTenant, useTenant } from '../../support/accounts.ts';
import { listTables } from '../../support/catalogue.ts';
import { engine } from '../../support/harness.ts';
import { createLicensingData } from '../../support/licensing-data.ts';
import { next, present } from '../upgrade/versions.ts';
import { exportFrom, importInto, platformRows, tenantRows, useFolder, useOtherApp } from './sites.ts';

const suite = useTenant();
const elsewhere = useOtherApp(engine);
const folder = useFolder();

const freshTenant = () => createTenant(suite.app, suite.admin, 'Fresh');
const codes = async (tenant: TestTenant): Promise<string[]> =>
  (await tenant.asOwner('GET', '/products')).body.data.map(({ code }: { code: string }) => code);
const addProduct = async (tenant: TestTenant, code: string) =>
  expect((await tenant.asOwner('POST', '/products', { code, name: code })).status).toBe(201);

async function exported(tenant: TestTenant): Promise<string> {
  const file = folder.file();
  await exportFrom(suite.app, tenant.id, file);
  return file;
}

const linesOf = async (file: string) =>
  gunzipSync(await readFile(file))
    .toString()
    .trimEnd()
    .split('\n');
const close = (id: string) => updateTenant(suite.app.services, systemActor, id, { status: 'closed' });

describe('completeness of archives', () => {
  test('every platform table has a rule, and tables that refer to a tenant are purged with it', async () => {
    const { tables, close: closeSnapshot } = await readPlatformSnapshot(suite.app.config);
    await closeSnapshot();
    expect(tables.map(({ name }) => name).sort()).toEqual(Object.keys(platformTableRules).sort());
    const isPurged = (table: string) => platformTableRules[table as keyof PlatformTables].tenantColumn !== null;
    const naming = tables.filter(
      ({ columns, references }) => columns.some(({ name }) => name === 'tenant_id') || references.some(isPurged),
    );
    expect(naming.filter(({ name }) => !isPurged(name)).map(({ name }) => name)).toEqual([]);
  });

  test('an archive contains every table of the database', async () => {
    const introspected = await suite.app.services.tenants.withTenantDb(suite.tenant.id, (db) => listTables(db.query));
    const { end } = JSON.parse((await linesOf(await exported(suite.tenant))).at(-1) ?? '');
    const archived = Object.keys(end.rows).filter((table) => !table.startsWith('platform.'));
    expect(archived.sort()).toEqual(introspected.map(({ name }) => name).sort());
  });
});

describe('an export', () => {
  test('an export under concurrent writes contains either all rows of a transaction or none', async () => {
    const tenant = await freshTenant();
    const { clock, tenants } = suite.app.services;
    let isOver = false;
    let written = 0;
    const writer = tenants.withTenantDb(tenant.id, async (db) => {
      for (; !isOver; written += 1) {
        const at = clock.now();
        const row = { name: 'Pair', type: 'boolean', description: null, created_at: at, updated_at: at } as const;
        await db.transaction(async (tx) => {
          for (const side of ['left', 'right']) {
            await tx
              .insertInto('entitlements')
              .values({ ...row, id: newId(), code: `${side}-${written}` })
              .execute();
          }
        });
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const sizes: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const text = (await linesOf(await exported(tenant))).join('\n');
      const numbers = (side: string) =>
        [...text.matchAll(new RegExp(`"${side}-(\\d+)"`, 'g'))].map(([, n]) => n).sort();
      expect(numbers('left')).toEqual(numbers('right'));
      sizes.push(numbers('left').length);
    }
    isOver = true;
    await writer;
    expect(sizes.at(-1)).toBeGreaterThan(sizes[0] ?? 0);
  });

  test('an export never replaces an existing file', async () => {
    const file = await exported(suite.tenant);
    await expect(exportFrom(suite.app, suite.tenant.id, file)).rejects.toThrow('exists already');
  });

  test('a closed tenant can be exported', async () => {
    const tenant = await freshTenant();
    await close(tenant.id);
    await importInto(elsewhere.app, await exported(tenant));
    expect((await findTenantRecord(elsewhere.app.services.platform, tenant.id))?.status).toBe('closed');
  });
});

describe('an existing tenant', () => {
  test('an import of an existing tenant without --replace is rejected and changes nothing', async () => {
    const tenant = await freshTenant();
    const file = await exported(tenant);
    await addProduct(tenant, 'later');
    const before = { rows: await tenantRows(suite.app, tenant.id), platform: await platformRows(suite.app) };
    for (let round = 0; round < 2; round += 1) {
      await expect(importInto(suite.app, file)).rejects.toThrow('--replace');
    }
    expect({ rows: await tenantRows(suite.app, tenant.id), platform: await platformRows(suite.app) }).toEqual(before);
  });

  test('an import with --replace takes effect with the next request, repeatedly, and leaves other tenants unchanged', async () => {
    const tenant = await freshTenant();
    await addProduct(tenant, 'first');
    const file = await exported(tenant);
    const neighbour = await tenantRows(suite.app, suite.tenant.id);
    for (const code of ['second', 'third']) {
      await addProduct(tenant, code);
      await importInto(suite.app, file, true);
      expect(await codes(tenant)).toEqual(['first']);
    }
    expect(await tenantRows(suite.app, suite.tenant.id)).toEqual(neighbour);
    // The replaced databases were removed; only the current one exists.
    const { platform } = suite.app.services;
    const record = await findTenantRecord(platform, tenant.id);
    expect(record?.database_name).toMatch(
      engine === 'sqlite' ? /^[0-9a-f-]{36}-[0-9a-f]{12}$/ : /^tenant_[0-9a-f]{32}_/,
    );
  });

  test('an import with --replace keeps later changes of the platform: revoked and new keys and access tokens, status and plan', async () => {
    const tenant = await freshTenant();
    const { id: revokedId, key: revoked } = (await tenant.asOwner('POST', '/api-keys', { name: 'Leaked' })).body.data;
    const [leakedToken, keptToken] = [await newAccessToken(tenant), await newAccessToken(tenant)];
    const file = await exported(tenant);
    await tenant.asOwner('DELETE', `/api-keys/${revokedId}`);
    await tenant.asOwner('DELETE', `/access-tokens/${leakedToken.id}`);
    const laterToken = await newAccessToken(tenant);
    const { key: later } = (await tenant.asOwner('POST', '/api-keys', { name: 'Later' })).body.data;
    await importInto(suite.app, file, true);
    const validateWith = async (key: string) =>
      (
        await suite.app.request({
          method: 'POST',
          url: '/api/v1/integration/licenses/none/validate',
          headers: { 'x-api-key': key },
        })
      ).status;
    expect(await Promise.all([revoked, later, tenant.apiKey].map(validateWith))).toEqual([401, 200, 200]);
    const statuses = [leakedToken, laterToken, keptToken].map(async ({ token }) => {
      return (await sendWith(suite.app, token, 'GET', '/products')).status;
    });
    expect(await Promise.all(statuses)).toEqual([401, 200, 200]);
    await updateTenant(suite.app.services, systemActor, tenant.id, { status: 'suspended' });
    await importInto(suite.app, file, true);
    expect(await validateWith(tenant.apiKey)).toBe(403);
    await close(tenant.id);
    await expect(importInto(suite.app, file, true)).rejects.toThrow('is closed: purge it');
  });
});

test('of several concurrent imports of the same tenant exactly one succeeds', async () => {
  const file = await exported(await freshTenant());
  const outcomes = await Promise.allSettled(Array.from({ length: 3 }, () => importInto(elsewhere.app, file)));
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
});

test('an archive of an older schema is imported into a database with the current schema', async () => {
  const tenant = await freshTenant();
  await addProduct(tenant, 'old');
  const file = await exported(tenant);
  expect(JSON.parse((await linesOf(file))[0] ?? '').schema).toBe(Object.keys(present.tenant).at(-1));
  const { config, services } = elsewhere.app;
  const databases = openTenantDatabases(config, { ...services, tenantMigrations: next.tenant });
  const dependencies = { databases, keyring: services.keyring, progress: silentProgress, warn: () => undefined };
  const verified = await verifyTenantArchive(file, dependencies);
  const { placement } = await loadTenantArchive(file, verified, dependencies);
  const imported = databases.connect(placement);
  expect(await checkSchema(imported, next.tenant)).toBe('current');
  const products = await imported.query.selectFrom('products').select('code').execute();
  expect(products.map(({ code }) => code)).toContain('old');
  await imported.close();
  await databases.drop(placement);
});

test('a database that cannot be removed after a refused import is reported, and the refusal stays the error', async () => {
  const file = await exported(await freshTenant());
  const { config, services } = elsewhere.app;
  const databases = openTenantDatabases(config, services);
  const left: Placement[] = [];
  const drop = (placement: Placement) => {
    left.push(placement);
    return Promise.reject(new Error('The disk is read-only.'));
  };
  const warnings: string[] = [];
  const warn = (sentence: string) => void warnings.push(sentence);
  const dependencies = { databases: { ...databases, drop }, keyring: services.keyring, progress: silentProgress, warn };
  const verified = await verifyTenantArchive(file, dependencies);
  const altered = { ...verified, trailer: { ...verified.trailer, sha256: 'of another file' } };
  await expect(loadTenantArchive(file, altered, dependencies)).rejects.toThrow('was changed while it was being read');
  expect(warnings).toEqual([
    expect.stringMatching(/could not be removed; "licensing doctor" .* The disk is read-only/),
  ]);
  for (const placement of left) await databases.drop(placement);
});

/** Inserts a past-due subscription, a notice about it and a reminder of its trial. */
async function insertPastDueSubscription(tenantId: string): Promise<void> {
  const { clock, platform } = suite.app.services;
  const at = clock.now();
  const pastDue = { status: 'past_due', past_due_since: at, grace_ends_at: at } as const;
  const id = await insertSubscription(suite.app, tenantId, { ...pastDue, synced_at: at, change_number: 1 });
  const notice = { subscription_id: id, past_due_since: at, stage: 'first', created_at: at };
  await platform.query.insertInto('dunning_notices').values(notice).execute();
  const reminder = { subscription_id: id, trial_ends_at: at, created_at: at };
  await platform.query.insertInto('trial_reminders').values(reminder).execute();
}

describe('a purge', () => {
  let tenant: TestTenant;
  let file: string;
  beforeAll(async () => {
    tenant = await freshTenant();
    await createLicensingData(tenant);
    file = await exported(tenant);
  });
  const purge = (force: boolean) => purgeTenant(suite.app.services, systemActor, tenant.id, { force });

  test('a purge requires a closed tenant, and within 30 days of the closing also --force', async () => {
    await expect(purge(true)).rejects.toThrow('Only a closed tenant can be purged');
    await close(tenant.id);
    await expect(purge(false)).rejects.toThrow('is kept for 30 days');
    const placed = { closed_at: '2026-01-01T00:00:00.000000Z' };
    await suite.app.services.platform.query.updateTable('tenants').set(placed).where('id', '=', tenant.id).execute();
  });

  test('a purge deletes everything of the tenant except audit records, and changes no other tenant', async () => {
    await suite.app.services.activity.flush();
    await insertPastDueSubscription(tenant.id);
    const neighbour = await tenantRows(suite.app, suite.tenant.id);
    await purge(false);
    const { audit_logs = [], ...rest } = await platformRows(suite.app);
    const naming = Object.entries(rest).filter(([, rows]) => rows.some((row) => row.includes(tenant.id)));
    expect(naming.map(([table]) => table)).toEqual([]);
    expect([rest['dunning_notices'], rest['trial_reminders']]).toEqual([[], []]);
    expect(audit_logs.filter((row) => row.includes(tenant.id) && row.includes('TENANT.PURGED'))).toHaveLength(1);
    expect(await tenantRows(suite.app, suite.tenant.id)).toEqual(neighbour);
    await expect(purge(true)).rejects.toThrow('There is no such tenant');
  });

  test('a purged tenant can be imported from an archive', async () => {
    await importInto(suite.app, file);
    expect((await codes(tenant)).length).toBe(1);
  });
});
