import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { NewerSchemaError } from '../../../src/db/migrations/migrate.ts';
import { newId } from '../../../src/lib/ids.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../../support/accounts.ts';
import { createSite, startApp, stopApp, type TestApp, type TestSite } from '../../support/harness.ts';
import { newLicense } from '../../support/licensing-catalog.ts';
import { afterNext, failing, failsForCode, next, otherPlatform, present, type Version } from './versions.ts';

let site: TestSite;
let admin: Account | undefined;
let opened: TestTenant;
let closed: TestTenant;

/** Starts a node of a version. It is stopped after the test. */
async function startNode(version: Version): Promise<TestApp> {
  const node = await startApp(site, {}, version);
  onTestFinished(() => stopApp(node));
  return node;
}

const productsOf = (node: TestApp, tenant: TestTenant) =>
  node.request({ method: 'GET', url: '/api/v1/tenant/products', headers: tenant.owner.auth });

const validateAt = (node: TestApp, tenant: TestTenant, key = 'UNKNOWN') =>
  node.request({
    method: 'POST',
    url: `/api/v1/integration/licenses/${key}/validate`,
    headers: { 'x-api-key': tenant.apiKey },
  });

const createProduct = (node: TestApp, tenant: TestTenant, code: string) =>
  node.request({
    method: 'POST',
    url: '/api/v1/tenant/products',
    headers: tenant.owner.auth,
    payload: { code, name: 'Editor' },
  });

const statusesOf = async (node: TestApp, tenant: TestTenant) => [
  (await productsOf(node, tenant)).status,
  (await validateAt(node, tenant)).status,
  (await createProduct(node, tenant, newId())).status,
];

const served = [200, 200, 201];
const refused = [503, 503, 503];

/** Creates two more tenants with the present version. */
async function createTenants(): Promise<void> {
  const node = await startApp(site, {}, present);
  admin ??= await createAdmin(node);
  opened = await createTenant(node, admin, 'Opened');
  closed = await createTenant(node, admin, 'Closed');
  await stopApp(node);
}

beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.remove());

describe('while nodes of the present and the next version run at the same time', () => {
  let former: TestApp;
  let newer: TestApp;
  beforeAll(async () => {
    await createTenants();
    former = await startApp(site, {}, present);
    expect(await statusesOf(former, opened)).toEqual(served);
    newer = await startApp(site, {}, next);
  });
  afterAll(async () => {
    await stopApp(former);
    await stopApp(newer);
  });

  test('the new node migrates a tenant when it opens its database', async () => {
    expect(await statusesOf(newer, opened)).toEqual(served);
    expect(await statusesOf(newer, closed)).toEqual(served);
  });

  test('a former node serves the tenants that it had open and opens migrated ones', async () => {
    expect(await statusesOf(former, opened)).toEqual(served);
    expect(await statusesOf(former, closed)).toEqual(served);
  });

  test('a former node that had validated a license gives the same verdict after the new node added a column', async () => {
    const tenant = await createTenant(former, await createAdmin(former), 'Validated');
    const { key, policy_id } = await newLicense(tenant);
    for (const node of [former, newer, former]) {
      const { body } = await validateAt(node, tenant, key);
      expect(body).toMatchObject({ data: { valid: true, license: { key, policy_id } } });
    }
  });

  test('each node immediately sees what the other one writes', async () => {
    const [ofFormer, ofNewer] = [newId(), newId()];
    expect((await createProduct(former, closed, ofFormer)).status).toBe(201);
    expect((await createProduct(newer, closed, ofNewer)).status).toBe(201);
    for (const node of [former, newer]) {
      const { text } = await productsOf(node, closed);
      expect([text.includes(ofFormer), text.includes(ofNewer)]).toEqual([true, true]);
    }
  });

  test('a tenant that a former node creates is migrated by the new node', async () => {
    const added = await createTenant(former, await createAdmin(former), 'Created meanwhile');
    expect(await statusesOf(newer, added)).toEqual(served);
    expect(await statusesOf(former, added)).toEqual(served);
  });

  test('a restarted former node serves as before', async () => {
    const again = await startNode(present);
    expect(await statusesOf(again, opened)).toEqual(served);
  });
});

test('a migration that fails for a tenant makes only it unavailable, until a corrected version runs', async () => {
  await createTenants();
  const before = await startApp(site, {}, present);
  expect((await createProduct(before, closed, failsForCode)).status).toBe(201);
  await stopApp(before);
  const node = await startNode(failing);
  expect(await statusesOf(node, closed)).toEqual(refused);
  expect(node.secrets.logged(`Tenant ${closed.id} cannot be opened`)).toBe(true);
  expect(await statusesOf(node, opened)).toEqual(served);
  expect((await node.request({ method: 'GET', url: '/health/ready' })).status).toBe(200);
  const corrected = await startNode(next);
  expect(await statusesOf(corrected, closed)).toEqual(served);
});

describe('a version that the present version is incompatible with', () => {
  test('the present version refuses tenants that an incompatible version migrated, and serves all others', async () => {
    await createTenants();
    const former = await startNode(present);
    expect(await statusesOf(former, closed)).toEqual(served);
    const newest = await startNode(afterNext);
    expect(await statusesOf(newest, opened)).toEqual(served);
    expect(await statusesOf(former, opened)).toEqual(refused);
    expect(former.secrets.logged(`Tenant ${opened.id} cannot be opened`)).toBe(true);
    expect(former.secrets.logged('migrated by a newer version of this program')).toBe(true);
    expect(await statusesOf(former, closed)).toEqual(served);
    expect((await former.request({ method: 'GET', url: '/health/ready' })).status).toBe(200);
  });

  // Must be the last test: afterwards the present version cannot start on this site.
  test('the present version refuses to start on a platform that an incompatible version migrated', async () => {
    await stopApp(await startApp(site, {}, otherPlatform));
    await expect(startApp(site, {}, present)).rejects.toThrow(NewerSchemaError);
  });
});
