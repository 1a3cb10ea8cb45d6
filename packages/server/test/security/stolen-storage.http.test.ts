import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newAccessToken } from '../accounts/access-tokens.ts';
import { login, post } from '../accounts/people.ts';
import { createTenant, createUser, testPassword, useTenant } from '../support/accounts.ts';
import { created, newLicense } from '../support/licensing-catalog.ts';
import { mailedToken } from '../support/mails.ts';
import { createSecretWatch, type SecretWatch } from '../support/secret-watch.ts';

// docs/security.md lists how each of these is stored.
const suite = useTenant();

/** Searches every table of every database, or every database file with its write-ahead log, and all logs and errors. */
function search(watch: SecretWatch): Promise<string[]> {
  const { databaseUrl, dataDir } = suite.app.config;
  return watch.leaks(databaseUrl === null ? { dataDir } : { platformUrl: databaseUrl });
}

/** Lets the service issue or receive one credential of each kind, and returns them. */
async function oneOfEach(invited = 'invited@example.com'): Promise<Record<string, string>> {
  const { app, tenant } = suite;
  const user = await createUser(app);
  const send = (url: string, payload: object, headers: Record<string, string> = user.auth) =>
    app.request({ method: 'POST', url, headers, payload });
  const twoFactor = await send('/api/v1/auth/two-factor/setup', { password: testPassword });
  const keyUrl = '/api/v1/tenant/api-keys';
  const key = await send(keyUrl, { name: 'Once' }, { ...tenant.owner.auth, 'idempotency-key': invited });
  const token = await tenant.asOwner('POST', '/access-tokens', { name: 'Shop', role: 'admin' });
  const headers = [{ name: 'X-Gateway-Key', value: 'gateway-5f0c2b7e91' }];
  const endpoint = await tenant.asOwner('POST', '/webhooks', { url: 'https://hooks.example.com/licensing', headers });
  created(await tenant.asOwner('POST', '/members', { email: invited, role: 'viewer' }));
  await post(app, '/forgot-password', { email: user.email });
  return {
    password: testPassword,
    token: user.token,
    twoFactorSecret: twoFactor.body.data.secret,
    apiKey: created(key).key,
    accessToken: created(token).token,
    webhookSecret: created(endpoint).secret,
    webhookHeader: 'gateway-5f0c2b7e91',
    invitation: await mailedToken(app, invited),
    passwordLink: await mailedToken(app, user.email),
  };
}

test('no credential that the service issued or received is readable in its databases, logs and error responses', async () => {
  const { app, tenant } = suite;
  const credentials = await oneOfEach();
  for (const [kind, secret] of Object.entries(credentials)) {
    expect([kind, secret]).toEqual([kind, expect.stringMatching(/^.{16,}$/)]);
    app.secrets.note(secret);
  }
  const { key } = await newLicense(tenant);
  for (const path of ['validate', 'certificate', 'activations']) await tenant.asApplication(`/licenses/${key}/${path}`);
  expect(await search(app.secrets)).toEqual([]);
  expect(app.secrets.logged(key)).toBe(false);
  expect(app.secrets.logged('/licenses/:key/validate')).toBe(true);
});

test('the search for credentials in databases finds a text that is stored unencrypted', async () => {
  const name = 'Unencrypted Incorporated';
  await createTenant(suite.app, suite.admin, name);
  const watch = createSecretWatch();
  watch.note(name);
  expect(await search(watch)).not.toEqual([]);
});

test('every file in the data folder is readable by the user of the service only', async () => {
  await oneOfEach('second@example.com');
  const entries = await readdir(suite.app.config.dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) expect([file, ((await stat(file)).mode & 0o077).toString(8)]).toEqual([file, '0']);
});

test('what a database stores of a credential is not accepted in place of the credential', async () => {
  const { app, tenant } = suite;
  const { platform } = app.services;
  const key = await platform.query.selectFrom('api_keys').select('key_hash').executeTakeFirstOrThrow();
  const token = await platform.query.selectFrom('access_tokens').select('token_hash').executeTakeFirstOrThrow();
  await newAccessToken(tenant);
  const accessToken = await platform.query
    .selectFrom('tenant_access_tokens')
    .select('token_hash')
    .executeTakeFirstOrThrow();
  const user = await platform.query
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', tenant.owner.id)
    .executeTakeFirstOrThrow();
  const url = '/api/v1/integration/licenses/UNKNOWN/validate';
  for (const apiKey of [key.key_hash, `vx_${key.key_hash}`]) {
    const answer = await app.request({ method: 'POST', url, headers: { 'x-api-key': apiKey } });
    expect(answer.body.error.code).toBe('AUTH.INVALID_API_KEY');
  }
  const hashes = [token.token_hash, accessToken.token_hash];
  for (const bearer of hashes.flatMap((hash) => [hash, `service_${hash}`])) {
    const headers = { authorization: `Bearer ${bearer}` };
    expect((await app.request({ method: 'GET', url: '/api/auth/me', headers })).status).toBe(401);
  }
  const answer = await login(app, { email: tenant.owner.email, password: String(user.password_hash) });
  expect(answer.body.error.code).toBe('AUTH.INVALID_CREDENTIALS');
});
