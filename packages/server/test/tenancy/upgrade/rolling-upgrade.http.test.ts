import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { NewerSchemaError } from '../../../src/db/migrations/migrate.ts';
import { newId } from '../../../src/lib/ids.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../../support/accounts.ts';
import { createSite, startApp, stopApp, type TestApp, type TestSite } from '../../support/harness.ts';
import { afterNext, failing, failsForCode, next, otherPlatform, present, type Version } from './versions.ts';

let site: TestSite;
let admin: Account | undefined;
let opened: TestTenant;
let closed: TestTenant;

/** A node of a version, stopped after the test. */
async function startNode(version: Version): Promise<TestApp> {
  const node = await startApp(site, {}, version);
  onTestFinished(() => stopApp(node));
  return node;
}

const productsOf = (node: TestApp, tenant: TestTenant) =>
  node.request({ method: 'GET', url: '/api/v1/tenant/products', headers: tenant.owner.auth });

const validateAt = (node: TestApp, tenant: TestTenant) =>
  node.request({
    method: 'POST',
    url: '/api/v1/integration/licenses/UNKNOWN/validate',
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

/** Two more tenants, as the present version makes them. */
async function makeTenants(): Promise<void> {
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

describe('while nodes of the present and of the next version serve side by side', () => {
  let former: TestApp;
  let newer: TestApp;
  beforeAll(async () => {
    await makeTenants();
    former = await startApp(site, {}, present);
    expect(await statusesOf(former, opened)).toEqual(served);
    newer = await startApp(site, {}, next);
  });
  afterAll(async () => {
    await stopApp(former);
    await stopApp(newer);
  });

  test('the new node migrates a tenant when it opens it', async () => {
    expect(await statusesOf(newer, opened)).toEqual(served);
    expect(await statusesOf(newer, closed)).toEqual(served);
  });

  test('a former node serves tenants that it had open, and opens those that were migrated', async () => {
    expect(await statusesOf(former, opened)).toEqual(served);
    expect(await statusesOf(former, closed)).toEqual(served);
  });

  test('each sees at once what the other writes', async () => {
    const [ofFormer, ofNewer] = [newId(), newId()];
    expect((await createProduct(former, closed, ofFormer)).status).toBe(201);
    expect((await createProduct(newer, closed, ofNewer)).status).toBe(201);
    for (const node of [former, newer]) {
      const { text } = await productsOf(node, closed);
      expect([text.includes(ofFormer), text.includes(ofNewer)]).toEqual([true, true]);
    }
  });

  test('a tenant that a former node makes is migrated by the new one', async () => {
    const made = await createTenant(former, await createAdmin(former), 'Made meanwhile');
    expect(await statusesOf(newer, made)).toEqual(served);
    expect(await statusesOf(former, made)).toEqual(served);
  });

  test('a former node that is started again serves as before', async () => {
    const again = await startNode(present);
    expect(await statusesOf(again, opened)).toEqual(served);
  });
});

test('a migration that fails for a tenant keeps that tenant waiting and no other, until a version comes that does better', async () => {
  await makeTenants();
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

describe('a version that the present one cannot serve beside', () => {
  test('keeps the tenants that it migrated to itself; others are served, and open ones stay open', async () => {
    await makeTenants();
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

  // The last one: nothing that serves beside it starts on this site again.
  test('of the platform keeps the present one from starting, which says so in a sentence', async () => {
    await stopApp(await startApp(site, {}, otherPlatform));
    await expect(startApp(site, {}, present)).rejects.toThrow(NewerSchemaError);
  });
});
