import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createKeyring } from '../../src/lib/keyring.ts';
import { createAdmin, createTenant, createUser, testPassword } from '../support/accounts.ts';
import { createSite, startApp, stopApp, type TestApp, type TestSite } from '../support/harness.ts';
import { created, newLicense } from '../support/licensing-catalog.ts';
import { exportFrom, importInto, useFolder } from '../tenancy/archive/sites.ts';
import { licensing } from './licensing.ts';

const formerKey = 'test-application-key-0123456789abcdef';
const newKey = 'another-application-key-9876543210-zyxwvu';
const formerId = createKeyring(formerKey).fingerprint;
const newId = createKeyring(newKey).fingerprint;
const rotated = { APP_KEY: newKey, APP_PREVIOUS_KEYS: formerKey };
const alone = { APP_KEY: newKey, APP_PREVIOUS_KEYS: '' };

const folder = useFolder();
let site: TestSite;

beforeEach(async () => {
  site = await createSite();
  onTestFinished(() => site.remove());
});

/** Runs `work` on the service with these application keys. */
async function serving<Result>(env: NodeJS.ProcessEnv, work: (app: TestApp) => Promise<Result>): Promise<Result> {
  const app = await startApp(site, env);
  try {
    return await work(app);
  } finally {
    await stopApp(app);
  }
}

const command = (args: string, env: NodeJS.ProcessEnv) => licensing(args.split(' '), { ...site.env, ...env });

/** Creates a tenant that signs nothing, with a webhook, and a user with a second factor. */
async function fill(app: TestApp) {
  const admin = await createAdmin(app);
  const tenant = await createTenant(app, admin);
  const silent = await createTenant(app, admin, 'Silent');
  const headers = [{ name: 'X-Gateway-Key', value: 'gateway' }];
  created(await tenant.asOwner('POST', '/webhooks', { url: 'https://hooks.example.com/licensing', headers }));
  const user = await createUser(app);
  const url = '/api/v1/auth/two-factor/setup';
  await app.request({ method: 'POST', url, headers: user.auth, payload: { password: testPassword } });
  const { key } = await newLicense(silent);
  const { publicKey } = await keySetOf(app, silent.id);
  return { admin, tenant, silent, license: key, publicKey };
}

function asApplication(app: TestApp, { apiKey }: { readonly apiKey: string }, path: string) {
  return app.request({ method: 'POST', url: `/api/v1/integration${path}`, headers: { 'x-api-key': apiKey } });
}

async function keySetOf(app: TestApp, tenantId: string) {
  const { body } = await app.request({ method: 'GET', url: `/api/v1/tenants/${tenantId}/jwks.json` });
  return { publicKey: body.keys[0].x as string };
}

test('after "keys reseal" the former key can be removed: tenants that signed nothing since keep their signing key', async () => {
  const { silent, license, publicKey } = await serving({}, fill);
  await serving(rotated, async (app) => {
    // The hash of an API key changes when it is used. Nothing is signed.
    expect((await asApplication(app, silent, `/licenses/${license}/validate`)).status).toBe(200);
    const status = await command('keys status', rotated);
    expect(status.code, status.stderr).toBe(0);
    expect(status.stdout).toMatch(
      new RegExp(`^${newId} {2}current {2}\\d+ secrets \\(.*1 secrets of authenticator apps`, 'm'),
    );
    expect(status.stdout).toMatch(
      new RegExp(`^${formerId} {2}former {3}\\d+ secrets .*2 signing keys, 1 webhook secrets, 1 webhook headers`, 'm'),
    );
    expect(status.stdout).toContain('before you remove the key');
    expect((await command('doctor', rotated)).stdout).toMatch(/^warning {2}\d+ stored secrets are encrypted under/m);
  });
  await expect(startApp(site, alone)).rejects.toThrow(
    new RegExp(
      `The former application key ${formerId} is not configured, but stored secrets \\(about \\d+\\) .*keys reseal`,
    ),
  );
  expect((await command('tenants list', alone)).stderr).toContain(`The former application key ${formerId} is not`);
  expect((await command('doctor', alone)).stdout).toMatch(
    new RegExp(`^problem {2}The former application key ${formerId}`, 'm'),
  );
  await serving(rotated, async () => {
    const first = await command('keys reseal', rotated);
    expect(first.code, first.stderr + first.stdout).toBe(0);
    expect(first.stderr).toMatch(/^Secrets that were encrypted again under .*: [1-9]\d*\.$/m);
    expect((await command('keys reseal', rotated)).stderr).toMatch(/: 0\.$/m);
    const status = JSON.parse((await command('keys status --json', rotated)).stdout);
    expect(status.keys).toEqual([
      expect.objectContaining({ id: newId, state: 'current', by_kind: expect.objectContaining({ 'signing keys': 2 }) }),
      { id: formerId, state: 'former', secrets: 0, by_kind: {}, needed: false },
    ]);
  });
  await serving(alone, async (app) => {
    expect((await keySetOf(app, silent.id)).publicKey).toBe(publicKey);
    const certificate = await asApplication(app, silent, `/licenses/${license}/certificate`);
    expect(certificate.status, certificate.text).toBe(200);
  });
  const doctor = await command('doctor', alone);
  expect(doctor.stdout).toMatch(/^ok {7}All \d+ stored secrets open with the application key/m);
});

test('"keys status" counts the API keys and tokens that were not used since the key changed', async () => {
  const { silent, license } = await serving({}, fill);
  await serving(rotated, async (app) => {
    const before = JSON.parse((await command('keys status --json', rotated)).stdout).credentials;
    expect(before).toMatchObject({ rotated_at: expect.any(String), access_tokens: 0 });
    expect((await asApplication(app, silent, `/licenses/${license}/validate`)).status).toBe(200);
    await app.services.apiKeyUsage.flush();
    const after = JSON.parse((await command('keys status --json', rotated)).stdout).credentials;
    expect(after.api_keys).toBe(before.api_keys - 1);
  });
});

describe('"keys reseal"', () => {
  test('names a tenant that it cannot open, continues with the others, and completes when it is run again', async () => {
    const { silent } = await serving({}, fill);
    await serving(rotated, async (app) => {
      const place = (placement: string) =>
        app.services.platform.query.updateTable('tenants').set({ placement }).where('id', '=', silent.id).execute();
      const { placement } = await app.services.platform.query
        .selectFrom('tenants')
        .select('placement')
        .where('id', '=', silent.id)
        .executeTakeFirstOrThrow();
      await place('nowhere.example.com:1');
      const failed = await command('keys reseal', rotated);
      expect(failed.code).toBe(1);
      expect(failed.stdout).toContain(silent.id);
      expect(failed.stderr).toMatch(
        /^Secrets that were encrypted again under .*: [1-9]\d*\.\nTenants that failed: 1\./m,
      );
      await expect(startApp(site, alone)).rejects.toThrow(`The former application key ${formerId} is not configured`);
      await place(placement);
      expect((await command('keys reseal', rotated)).stderr).toMatch(
        /^Secrets that were encrypted again under .*: 1\.$/m,
      );
    });
    await serving(alone, async () => undefined);
  });

  test('changes nothing while a node runs with the former key', async () => {
    await serving({}, fill);
    await serving(rotated, async (app) => {
      const row = { name: 'node old', places_json: '[]', started_at: '2026-01-01T00:00:00.000000Z' };
      await app.services.platform.query
        .insertInto('nodes')
        .values({ ...row, id: 'old', expires_at: '2999-01-01T00:00:00.000000Z', app_key_fingerprint: formerId })
        .execute();
      const refused = await command('keys reseal', rotated);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use on node old') });
      const { keys } = JSON.parse((await command('keys status --json', rotated)).stdout);
      expect(keys).toEqual([
        expect.objectContaining({ id: newId }),
        expect.objectContaining({ secrets: 4, needed: true }),
      ]);
    });
  });

  test('changes nothing before the service was started with the new key', async () => {
    await serving({}, fill);
    expect(await command('keys reseal', rotated)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`has not been started with the application key ${newId} yet`),
    });
    await serving({}, async () => undefined);
  });

  test('accepts the loss of a key with --give-up, after which the service starts and signing keys can be replaced', async () => {
    const { silent, publicKey } = await serving({}, fill);
    await serving(rotated, async () => undefined);
    const kept = await command('keys reseal', alone);
    expect(kept.code).toBe(1);
    expect(kept.stdout).toContain(`${silent.id}  No configured key opens 1 signing keys.`);
    expect((await command('keys status', alone)).code).toBe(1);
    expect((await command(`keys reseal --give-up ${newId}`, alone)).code).toBe(2);
    const lost = await command(`keys reseal --give-up ${formerId}`, alone);
    expect(lost.code, lost.stderr).toBe(0);
    await serving(alone, async (app) => {
      expect((await command(`tenants rotate-signing-key ${silent.id}`, alone)).code).toBe(0);
      expect((await keySetOf(app, silent.id)).publicKey).not.toBe(publicKey);
    });
  });

  test('must be repeated after an archive was imported whose secrets need a former key', async () => {
    const { silent, publicKey } = await serving({}, fill);
    const file = join(folder.path, 'silent.gz');
    await serving(rotated, async (app) => {
      await exportFrom(app, silent.id, file);
      expect((await command('keys reseal', rotated)).code).toBe(0);
      await importInto(app, file, true);
      await expect(startApp(site, alone)).rejects.toThrow(`The former application key ${formerId} is not configured`);
      expect((await command('keys reseal', rotated)).stderr).toMatch(
        /^Secrets that were encrypted again under .*: 1\.$/m,
      );
    });
    await serving(alone, async (app) => expect((await keySetOf(app, silent.id)).publicKey).toBe(publicKey));
  });
});
