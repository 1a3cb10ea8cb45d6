import { calculateJwkThumbprint, createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { rotateSigningKey } from '../../src/features/licensing/signing-keys/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { createKeyring } from '../../src/lib/keyring.ts';
import { systemActor } from '../../src/tenancy/tenant.ts';
import { licensing } from '../commands/licensing.ts';
import { createAdmin, createTenant, type TestTenant, useAdmin } from '../support/accounts.ts';
import { createSite, startApp, stopApp, type TestApp, type TestSite, useClock } from '../support/harness.ts';
import { newLicense } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useAdmin();

const dayMs = 86_400_000;

/** Advances the clock until the end of the test. Logins expire long before signing keys, so it must be reset. */
function passTime(durationMs: number): void {
  const before = Date.now();
  onTestFinished(() => {
    clock.set(new Date(before).toISOString());
  });
  clock.advance(durationMs);
}
const readKeySet = (tenantId: string, app: TestApp = suite.app) =>
  app.request({ method: 'GET', url: `/api/v1/tenants/${tenantId}/jwks.json` });

async function kidsOf(tenant: TestTenant): Promise<string[]> {
  return (await readKeySet(tenant.id)).body.keys.map((key: { kid: string }) => key.kid);
}

async function certify(tenant: TestTenant, policy: object = {}): Promise<string> {
  const { key } = await newLicense(tenant, policy);
  const { body, text } = await tenant.asApplication(`/licenses/${key}/certificate`);
  if (body.data === undefined) throw new Error(text);
  return body.data.certificate;
}

async function verifies(tenant: TestTenant, certificate: string): Promise<boolean> {
  const keySet: JSONWebKeySet = (await readKeySet(tenant.id)).body;
  return jwtVerify(certificate, createLocalJWKSet(keySet)).then(
    () => true,
    () => false,
  );
}

const keyRows = (tenant: TestTenant, app: TestApp = suite.app) =>
  app.services.tenants.withTenantDb(tenant.id, (db) =>
    db.query.selectFrom('signing_keys').selectAll().orderBy('created_at').execute(),
  );

describe('the key set', () => {
  test('the key set is public, has no envelope, and can be cached for 300 s', async () => {
    const tenant = await suite.newTenant();
    const answer = await readKeySet(tenant.id);
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('public, max-age=300');
    const kid = expect.stringMatching(/^[\w-]{43}$/);
    const key = { kty: 'OKP', crv: 'Ed25519', x: expect.any(String), kid, alg: 'EdDSA', use: 'sig' };
    expect(answer.body).toEqual({ keys: [key] });
    const [jwk] = answer.body.keys;
    expect(jwk.kid).toBe(await calculateJwkThumbprint(jwk));
    expect((await readKeySet(tenant.id)).body).toEqual(answer.body);
  });

  test('the key set of a suspended tenant is available; that of a closed tenant is a 404', async () => {
    const tenant = await suite.newTenant();
    const certificate = await certify(tenant);
    const setStatus = (status: string) => suite.asAdmin('PATCH', `/tenants/${tenant.id}`, { status });
    await setStatus('suspended');
    expect(await verifies(tenant, certificate)).toBe(true);
    await setStatus('closed');
    const answer = await readKeySet(tenant.id);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'TENANT.NOT_FOUND']);
  });

  test.each([newId(), 'unknown', newId().toUpperCase(), '%F0%9F%94%91'])(
    'the key set of the unknown tenant %s is a 404',
    async (tenantId) => {
      const answer = await readKeySet(tenantId);
      expect([answer.status, answer.body.error.code]).toEqual([404, 'TENANT.NOT_FOUND']);
      expect(answer.headers['cache-control']).toBe('no-store');
    },
  );

  test('20 concurrent first requests create one signing key, which is audited once', async () => {
    const tenant = await suite.newTenant();
    const { key } = await newLicense(tenant);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0 ? readKeySet(tenant.id) : tenant.asApplication(`/licenses/${key}/certificate`),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const kids = answers.map(({ body }) => body.keys?.[0].kid ?? decodeProtectedHeader(body.data.certificate).kid);
    expect(new Set(kids).size).toBe(1);
    const audit = await tenant.asOwner('GET', `/audit-logs?resource_id=${kids[0]}`);
    expect(audit.body.data).toMatchObject([{ event: 'SIGNING_KEY.CREATED', actor_type: 'system', changes: [] }]);
  });
});

describe('rotations of signing keys', () => {
  const rotate = (tenant: TestTenant) => rotateSigningKey(suite.app.services, systemActor, tenant.id);

  test('a rotation on the command line takes effect immediately in a running service and is audited', async () => {
    const tenant = await suite.newTenant();
    const before = await certify(tenant);
    const [formerKid] = await kidsOf(tenant);
    clock.advance(1_000);
    const { code, stdout } = await licensing(['tenants', 'rotate-signing-key', tenant.id], suite.app.site.env);
    expect(code).toBe(0);
    const kid = stdout.trim();
    expect(await kidsOf(tenant)).toEqual([kid, formerKid]);
    const after = await certify(tenant);
    expect([before, after].map((certificate) => decodeProtectedHeader(certificate).kid)).toEqual([formerKid, kid]);
    expect([await verifies(tenant, before), await verifies(tenant, after)]).toEqual([true, true]);
    const audit = await tenant.asOwner('GET', `/audit-logs?resource_id=${kid}`);
    const changes = [{ field: 'kid', old: formerKid, new: kid }];
    expect(audit.body.data).toMatchObject([{ event: 'SIGNING_KEY.ROTATED', actor_type: 'system', changes }]);
  });

  test('a rotation for an unknown tenant is refused with a message', async () => {
    const run = (id: string) => licensing(['tenants', 'rotate-signing-key', id], suite.app.site.env);
    expect(await run('x')).toMatchObject({ code: 2, stderr: expect.stringContaining('"x" is not a tenant id') });
    expect(await run(newId())).toMatchObject({ code: 1, stderr: expect.stringContaining('The tenant does not exist') });
  });

  test('a rotation deletes the former private key, and its public key after its last certificate ends', async () => {
    const tenant = await suite.newTenant();
    const long = await certify(tenant, { offline_ttl_seconds_max: 10 * 86_400 });
    const [formerKid] = await kidsOf(tenant);
    const short = await certify(tenant, { offline_ttl_seconds_max: 60 });
    await rotate(tenant);
    const [former] = await keyRows(tenant);
    expect(former).toMatchObject({ kid: formerKid, status: 'retiring', sealed_private_jwk: null });
    passTime(10 * dayMs - 1000);
    expect([await verifies(tenant, long), await verifies(tenant, short)]).toEqual([true, false]);
    passTime(dayMs + 1000);
    expect(await kidsOf(tenant)).not.toContain(formerKid);
    await rotate(tenant);
    expect((await keyRows(tenant)).map(({ kid }) => kid)).not.toContain(formerKid);
  });

  test('a rotation keeps the public key of a key that signed nothing for one day', async () => {
    const tenant = await suite.newTenant();
    const [formerKid] = await kidsOf(tenant);
    await rotate(tenant);
    passTime(dayMs - 1);
    expect(await kidsOf(tenant)).toContain(formerKid);
    passTime(2);
    expect(await kidsOf(tenant)).not.toContain(formerKid);
  });

  test('concurrent rotations and certificates leave one active key, and every certificate verifies', async () => {
    const tenant = await suite.newTenant();
    const { key } = await newLicense(tenant);
    const sign = () => tenant.asApplication(`/licenses/${key}/certificate`);
    const [kids, answers] = await Promise.all([
      Promise.all(Array.from({ length: 4 }, () => rotate(tenant))),
      Promise.all(Array.from({ length: 12 }, sign)),
    ]);
    expect(new Set(kids).size).toBe(4);
    const rows = await keyRows(tenant);
    expect(rows.filter(({ status }) => status === 'active')).toHaveLength(1);
    expect(rows).toHaveLength(5);
    for (const { body } of answers) expect(await verifies(tenant, body.data.certificate)).toBe(true);
  });
});

test('two processes that concurrently create the first key and rotate it agree on every key', async () => {
  const other = await startApp(suite.app.site);
  onTestFinished(() => stopApp(other));
  for (let round = 0; round < 5; round += 1) {
    const tenant = await suite.newTenant();
    const both = [suite.app, other];
    const first = await Promise.all(both.map((app) => readKeySet(tenant.id, app)));
    expect(first[0]?.body.keys).toHaveLength(1);
    expect(first[1]?.body).toEqual(first[0]?.body);
    const { key } = await newLicense(tenant);
    const url = `/api/v1/integration/licenses/${key}/certificate`;
    const headers = { 'x-api-key': tenant.apiKey };
    // The other process has its own microsecond counter, so its time could be before the start of the license.
    clock.advance(1);
    const [answers] = await Promise.all([
      Promise.all([...both, ...both, ...both].map((app) => app.request({ method: 'POST', url, headers }))),
      Promise.all([...both, ...both].map(({ services }) => rotateSigningKey(services, systemActor, tenant.id))),
    ]);
    for (const { body } of answers) expect(await verifies(tenant, body.data.certificate)).toBe(true);
    const rows = await keyRows(tenant);
    expect(rows.map(({ status }) => status).sort()).toEqual(['active', ...Array(4).fill('retiring')]);
    const audit = await tenant.asOwner('GET', '/audit-logs?limit=100');
    const events = audit.body.data.map(({ event }: { event: string }) => event);
    expect(events.filter((event: string) => event === 'SIGNING_KEY.CREATED')).toHaveLength(1);
    expect(events.filter((event: string) => event === 'SIGNING_KEY.ROTATED')).toHaveLength(4);
  }
});

test('the private key is never in plaintext in a database, a log or a response', async () => {
  const tenant = await suite.newTenant();
  await certify(tenant);
  const [row] = await keyRows(tenant);
  const { d } = JSON.parse(suite.app.services.keyring.open(String(row?.sealed_private_jwk)));
  expect(d).toMatch(/^[\w-]{43}$/);
  expect(JSON.stringify(row)).not.toContain(d);
  expect((await readKeySet(tenant.id)).text).not.toContain(d);
  // When the suite ends, everything it wrote is searched for the key, in each encoding that a leak could have.
  for (const encoding of ['base64url', 'base64', 'hex'] as const) {
    suite.app.secrets.note(Buffer.from(d, 'base64url').toString(encoding));
  }
});

describe('signing keys and application keys', () => {
  const newAppKey = 'another-application-key-9876543210-zyxwvu';
  let site: TestSite;
  let tenant: TestTenant;
  let unused: TestTenant;
  let licenseKey: string;

  beforeAll(async () => {
    site = await createSite();
    const app = await startApp(site);
    const operator = await createAdmin(app);
    tenant = await createTenant(app, operator);
    unused = await createTenant(app, operator);
    licenseKey = (await newLicense(tenant)).key;
    for (const { id } of [tenant, unused]) await readKeySet(id, app);
    await stopApp(app);
  });
  afterAll(() => site.remove());

  async function startWith(previousKeys: string): Promise<TestApp> {
    // The clock is frozen, and each service has its own microsecond counter within a millisecond.
    clock.advance(1);
    const app = await startApp(site, { APP_KEY: newAppKey, APP_PREVIOUS_KEYS: previousKeys });
    onTestFinished(() => stopApp(app));
    return app;
  }

  const certifyOn = (app: TestApp) =>
    app.request({
      method: 'POST',
      url: `/api/v1/integration/licenses/${licenseKey}/certificate`,
      headers: { 'x-api-key': tenant.apiKey },
    });

  test('a signing key that signs while both application keys are known is resealed and stays the same', async () => {
    const app = await startWith(String(site.env['APP_KEY']));
    const [before] = await keyRows(tenant, app);
    const answers = await Promise.all(Array.from({ length: 5 }, () => certifyOn(app)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const [after] = await keyRows(tenant, app);
    expect(after?.sealed_private_jwk).not.toBe(before?.sealed_private_jwk);
    expect(after).toMatchObject({ kid: before?.kid, app_key_fingerprint: app.services.keyring.fingerprint });
  });

  test('without the former application key, which is lost, a resealed key signs, and other keys must be rotated', async () => {
    const former = createKeyring(String(site.env['APP_KEY'])).fingerprint;
    const env = { ...site.env, APP_KEY: newAppKey };
    expect((await licensing(['keys', 'reseal', '--give-up', former], env)).code).toBe(0);
    const app = await startWith('');
    expect((await certifyOn(app)).status).toBe(200);
    const [lost] = await keyRows(unused, app);
    expect(() => app.services.keyring.open(String(lost?.sealed_private_jwk))).toThrow(/APP_PREVIOUS_KEYS/);
    const kid = await rotateSigningKey(app.services, systemActor, unused.id);
    const { body } = await readKeySet(unused.id, app);
    expect(body.keys.map((key: { kid: string }) => key.kid)).toEqual([kid, lost?.kid]);
  });
});
