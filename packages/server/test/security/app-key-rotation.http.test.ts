import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type NewAccessToken, newAccessToken, sendWith } from '../accounts/access-tokens.ts';
import { licensing } from '../commands/licensing.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { createSite, startApp, stopApp, type TestApp, type TestSite } from '../support/harness.ts';

const newAppKey = 'another-application-key-9876543210-zyxwvu';
const unrelatedAppKey = 'some-unrelated-key-of-another-service-1234';

let site: TestSite;
let oldAppKey: string;
let admin: Account;
let tenant: TestTenant;
/** API keys created before the rotation. One is used while both application keys are known, the other is not. */
let usedKey: { readonly id: string; readonly key: string };
let unusedKey: { readonly id: string; readonly key: string };
/** Access tokens created before the rotation, used and unused like the API keys. */
let usedToken: NewAccessToken;
let unusedToken: NewAccessToken;

beforeAll(async () => {
  site = await createSite();
  oldAppKey = String(site.env['APP_KEY']);
  const app = await startApp(site);
  admin = await createAdmin(app);
  tenant = await createTenant(app, admin);
  const createKey = async () => (await tenant.asOwner('POST', '/api-keys', { name: 'Key' })).body.data;
  usedKey = await createKey();
  unusedKey = await createKey();
  usedToken = await newAccessToken(tenant);
  unusedToken = await newAccessToken(tenant);
  await stopApp(app);
});
afterAll(() => site.remove());

/** Starts the service with these application keys until the end of the test. */
async function startWith(appKey: string, previousKeys = ''): Promise<TestApp> {
  const app = await startApp(site, { APP_KEY: appKey, APP_PREVIOUS_KEYS: previousKeys });
  app.secrets.note(newAppKey);
  onTestFinished(() => stopApp(app));
  return app;
}

async function statusOfKey(app: TestApp, key: string): Promise<number> {
  const url = '/api/v1/integration/licenses/UNKNOWN/validate';
  return (await app.request({ method: 'POST', url, headers: { 'x-api-key': key } })).status;
}

async function statusOfToken(app: TestApp, account: Account, url: string): Promise<number> {
  return (await app.request({ method: 'GET', url, headers: account.auth })).status;
}

async function expectTokensToWork(app: TestApp): Promise<void> {
  expect(await statusOfToken(app, tenant.owner, '/api/v1/tenant/api-keys')).toBe(200);
  expect(await statusOfToken(app, admin, `/api/v1/admin/tenants/${tenant.id}/products`)).toBe(200);
}

async function statusOfAccessToken(app: TestApp, { token }: NewAccessToken): Promise<number> {
  return (await sendWith(app, token, 'GET', '/products')).status;
}

async function hashOfToken(app: TestApp, { id }: NewAccessToken): Promise<string> {
  const query = app.services.platform.query
    .selectFrom('tenant_access_tokens')
    .select('token_hash')
    .where('id', '=', id);
  return (await query.executeTakeFirstOrThrow()).token_hash;
}

async function hashOf(app: TestApp, id: string): Promise<string> {
  const query = app.services.platform.query.selectFrom('api_keys').select('key_hash').where('id', '=', id);
  return (await query.executeTakeFirstOrThrow()).key_hash;
}

/** The tests are consecutive steps of one rotation. */
describe('the rotation of the application key', () => {
  test('a start with an application key that does not match the data is refused', async () => {
    await expect(startWith(unrelatedAppKey)).rejects.toThrow(/APP_KEY is not the application key of this data/);
    await expect(startWith(newAppKey)).rejects.toThrow(/add the old one to APP_PREVIOUS_KEYS/);
    await expect(startWith(newAppKey, unrelatedAppKey)).rejects.toThrow(/APP_KEY is not/);
  });

  test('a refused start changes nothing', async () => {
    const app = await startWith(oldAppKey);
    await expectTokensToWork(app);
  });

  test('with the old application key as a previous one, keys and tokens work and are rehashed on use', async () => {
    const previousKeys = [unrelatedAppKey, oldAppKey].join(',');
    const rotation = { APP_KEY: newAppKey, APP_PREVIOUS_KEYS: previousKeys };
    const app = await startWith(newAppKey, previousKeys);
    const before = await hashOf(app, usedKey.id);
    expect(before).not.toBe(app.services.keyring.hash(usedKey.key));
    const statuses = await Promise.all(Array.from({ length: 5 }, () => statusOfKey(app, usedKey.key)));
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    expect(await hashOf(app, usedKey.id)).toBe(app.services.keyring.hash(usedKey.key));
    expect(app.services.keyring.previousHashes(unusedKey.key)).toContain(await hashOf(app, unusedKey.id));
    await expectTokensToWork(app);
    expect(await hashOfToken(app, usedToken)).not.toBe(app.services.keyring.hash(usedToken.token));
    const ofTokens = await Promise.all(Array.from({ length: 5 }, () => statusOfAccessToken(app, usedToken)));
    expect(ofTokens).toEqual([200, 200, 200, 200, 200]);
    expect(await hashOfToken(app, usedToken)).toBe(app.services.keyring.hash(usedToken.token));
    expect(app.services.keyring.previousHashes(unusedToken.token)).toContain(await hashOfToken(app, unusedToken));
    expect(await statusOfKey(app, `vx_${'0'.repeat(64)}`)).toBe(401);
    const { code, stderr } = await licensing(['keys', 'reseal'], { ...site.env, ...rotation });
    expect(code, stderr).toBe(0);
  });

  test('without the old application key, only API keys and tokens used since the rotation work', async () => {
    const app = await startWith(newAppKey);
    expect(await statusOfKey(app, usedKey.key)).toBe(200);
    await expectTokensToWork(app);
    expect(await statusOfKey(app, unusedKey.key)).toBe(401);
    expect(await statusOfAccessToken(app, usedToken)).toBe(200);
    expect(await statusOfAccessToken(app, unusedToken)).toBe(401);
  });

  test('after the rotation a start with only the old application key is refused', async () => {
    await expect(startWith(oldAppKey)).rejects.toThrow(/APP_KEY is not/);
  });

  test('a revoked API key or access token stays revoked under every application key', async () => {
    const app = await startWith(newAppKey, oldAppKey);
    const headers = tenant.owner.auth;
    await app.request({ method: 'DELETE', url: `/api/v1/tenant/api-keys/${unusedKey.id}`, headers });
    expect(await statusOfKey(app, unusedKey.key)).toBe(401);
    await app.request({ method: 'DELETE', url: `/api/v1/tenant/access-tokens/${unusedToken.id}`, headers });
    expect(await statusOfAccessToken(app, unusedToken)).toBe(401);
  });
});
