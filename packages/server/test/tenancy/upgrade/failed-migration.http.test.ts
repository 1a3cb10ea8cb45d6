import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkTenants, listPlacements } from '../../../src/commands/doctor/tenants.ts';
import type { Migrations } from '../../../src/db/migrations/migrate.ts';
import { openTenantDatabases } from '../../../src/tenancy/open-tenant-databases.ts';
import { findTenantRecord } from '../../../src/tenancy/tenant-record.ts';
import { createAdmin, createTenant, surfacesOf, type TestTenant } from '../../support/accounts.ts';
import { createSite, startApp, stopApp, type TestApp, type TestSite, useClock } from '../../support/harness.ts';
import { failing, failsForCode, next, present } from './versions.ts';

const failedLine = 'a tenant database could not be migrated';

const clock = useClock();
let site: TestSite;
let node: TestApp;
let broken: TestTenant;
let healthy: TestTenant;
/** The number of attempts to migrate the broken tenant. */
let attempts = 0;

/** The migrations of `failing`, whose attempts are noted. The healthy tenant is migrated before they are counted. */
const counted: Migrations = Object.fromEntries(
  Object.entries(failing.tenant).map(([name, migration]) => [
    name,
    {
      ...migration,
      async up(db: Parameters<typeof migration.up>[0]) {
        attempts += 1;
        await migration.up(db);
      },
    },
  ]),
);

const statusOf = async (tenant: TestTenant) => (await surfacesOf(node, tenant).asOwner('GET', '/products')).status;

beforeAll(async () => {
  site = await createSite();
  const before = await startApp(site, {}, present);
  const admin = await createAdmin(before);
  broken = await createTenant(before, admin, 'Broken');
  healthy = await createTenant(before, admin, 'Healthy');
  await broken.asOwner('POST', '/products', { code: failsForCode, name: 'Legacy' });
  await stopApp(before);
  node = await startApp(site, {}, { platform: failing.platform, tenant: counted });
  expect(await statusOf(healthy)).toBe(200);
  attempts = 0;
});

afterAll(async () => {
  await stopApp(node);
  await site.remove();
});

test('a tenant whose migration failed is not migrated again by its next requests, and other tenants are served', async () => {
  for (let request = 0; request < 20; request += 1) expect(await statusOf(broken)).toBe(503);
  expect(attempts).toBe(1);
  expect(node.secrets.logged(failedLine)).toBe(true);
  expect(await statusOf(healthy)).toBe(200);
});

test('the attempts of a failing migration are twice as far apart each time, and at most ten minutes', async () => {
  const delaysSeconds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600];
  for (const [index, seconds] of delaysSeconds.entries()) {
    clock.advance(seconds * 1_000 - 1);
    expect([await statusOf(broken), attempts]).toEqual([503, index + 1]);
    clock.advance(1);
    expect([await statusOf(broken), attempts]).toEqual([503, index + 2]);
  }
  expect(await statusOf(healthy)).toBe(200);
});

test('doctor reports the error of the failed migration and the time of the next attempt', async () => {
  const { config, services } = node;
  const databases = openTenantDatabases(config, { ...services, tenantMigrations: counted });
  const placements = (await listPlacements(services.platform)).filter(({ id }) => id === broken.id);
  const findings = await Array.fromAsync(
    checkTenants(services.platform, databases, placements, { migrations: counted }),
  );
  expect(findings).toMatchObject([
    {
      level: 'problem',
      text: expect.stringMatching(/^The migration of tenant .* failed \(attempt \d+, at .*(products|duplicate)/s),
    },
  ]);
});

test('"licensing migrate" attempts at once, and the tenant is served within a second of its success', async () => {
  const { config, services } = node;
  const placement = await findTenantRecord(services.platform, broken.id);
  if (placement === undefined) throw new Error('The tenant does not exist.');
  const before = attempts;
  const command = (migrations: Migrations) =>
    openTenantDatabases(config, { ...services, tenantMigrations: migrations }).migrate(placement);
  await expect(command(counted)).rejects.toThrow();
  expect(attempts).toBe(before + 1);
  expect(await command(next.tenant)).toMatchObject({ state: 'migrated' });
  clock.advance(1_000);
  expect(await statusOf(broken)).toBe(200);
});
