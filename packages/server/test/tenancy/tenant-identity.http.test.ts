import { copyFile, rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectPlatformDb } from '../../src/db/platform.ts';
import { tenantFile } from '../../src/tenancy/placement.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { createSite, engine, startApp, stopApp, type TestApp, type TestSite } from '../support/harness.ts';

let site: TestSite;
let app: TestApp;
let admin: Account;
let source: TestTenant;
let overwritten: TestTenant;
let bystander: TestTenant;

/** Puts one tenant's database in place of another's, like a mistaken restore. The service must be stopped. */
async function misplaceDatabase(from: string, to: string): Promise<void> {
  if (engine === 'sqlite') {
    for (const suffix of ['-wal', '-shm']) await rm(`${tenantFile(site.dataDir, to)}${suffix}`, { force: true });
    await copyFile(tenantFile(site.dataDir, from), tenantFile(site.dataDir, to));
    return;
  }
  const platform = connectPlatformDb(app.config);
  const { database_name, database_secret } = await platform.query
    .selectFrom('tenants')
    .select(['database_name', 'database_secret'])
    .where('id', '=', from)
    .executeTakeFirstOrThrow();
  await platform.query.updateTable('tenants').set({ database_name, database_secret }).where('id', '=', to).execute();
  await platform.close();
}

beforeAll(async () => {
  site = await createSite();
  const before = await startApp(site);
  admin = await createAdmin(before);
  source = await createTenant(before, admin, 'Source');
  overwritten = await createTenant(before, admin, 'Overwritten');
  bystander = await createTenant(before, admin, 'Bystander');
  await source.asOwner('POST', '/products', { code: 'secret-product', name: 'Secret product' });
  app = before;
  await stopApp(before);
  await misplaceDatabase(source.id, overwritten.id);
  app = await startApp(site);
});
afterAll(async () => {
  await stopApp(app);
  await site.remove();
});

/** One request per surface. The tenant's own helpers cannot be used: they send to the service that was stopped. */
const surfacesOf = (tenant: TestTenant) => [
  () => app.request({ method: 'GET', url: '/api/v1/tenant/products', headers: tenant.owner.auth }),
  () => app.request({ method: 'GET', url: `/api/v1/admin/tenants/${tenant.id}/products`, headers: admin.auth }),
  () =>
    app.request({
      method: 'POST',
      url: '/api/v1/integration/licenses/UNKNOWN/validate',
      headers: { 'x-api-key': tenant.apiKey },
    }),
];

test('every surface rejects a tenant whose database belongs to another, without revealing anything about the other', async () => {
  for (let time = 0; time < 2; time += 1) {
    for (const send of surfacesOf(overwritten)) {
      const answer = await send();
      expect([500, 503]).toContain(answer.status);
      expect(answer.text).not.toContain(source.id);
      expect(answer.text).not.toContain('ecret product');
    }
  }
});

test('the owner of the misplaced database and every other tenant are still served', async () => {
  for (const tenant of [source, bystander]) {
    for (const send of surfacesOf(tenant)) expect((await send()).status).toBe(200);
  }
});

test('a rejected tenant writes nothing into the database of the other tenant', async () => {
  const made = await app.request({
    method: 'POST',
    url: `/api/v1/tenant/api-keys`,
    headers: overwritten.owner.auth,
    payload: { name: 'Key of the refused tenant' },
  });
  expect([500, 503]).toContain(made.status);
  const records = await app.request({ method: 'GET', url: '/api/v1/tenant/audit-logs', headers: source.owner.auth });
  expect(records.text).not.toContain('Key of the refused tenant');
});

test('the service reports that it is ready while one tenant has the wrong database', async () => {
  expect((await app.request({ method: 'GET', url: '/health/ready' })).status).toBe(200);
});
