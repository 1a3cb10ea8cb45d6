import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { purgeTenant } from '../../../src/features/accounts/tenants/archive-service.ts';
import { updateTenant } from '../../../src/features/accounts/tenants/service.ts';
import { newId } from '../../../src/lib/ids.ts';
import { systemActor } from '../../../src/tenancy/tenant.ts';
import { type NewAccessToken, newAccessToken, sendWith } from '../../accounts/access-tokens.ts';
import { askPortal, logInHolder, openPortal } from '../../holders/portal-data.ts';
import { runTenantJobs } from '../../jobs/job-rows.ts';
import { type CustomShop, connectShop, signed } from '../../sales/custom-shop.ts';
import { createTenant, type TestTenant, testPassword, useTenant } from '../../support/accounts.ts';
import { engine, type TestApp } from '../../support/harness.ts';
import { newPolicy } from '../../support/licensing-catalog.ts';
import { createLicensingData, type LicensingData } from '../../support/licensing-data.ts';
import { deliver, loopbackWebhooks, useReceiver } from '../../support/webhook-receiver.ts';
import { exportFrom, importInto, tenantAt, tenantRows, useFolder, useOtherApp } from './sites.ts';

const suite = useTenant(loopbackWebhooks);
const others = [
  { to: engine, other: useOtherApp(engine, loopbackWebhooks) },
  // With PostgreSQL available, embedded sites can be created too, so moves between engines are tested there.
  ...(engine === 'postgres' ? [{ to: 'sqlite' as const, other: useOtherApp('sqlite', loopbackWebhooks) }] : []),
];
const receiver = useReceiver();
const folder = useFolder();
let data: LicensingData;
let archive: string;
let accessToken: NewAccessToken;
let holderToken: string;
let shop: CustomShop;
let archivedAt: string;
const logo =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A key with every optional field. */
const limitedKey = {
  name: 'Shipped',
  scopes: ['licenses:validate'],
  allowed_cidrs: ['203.0.113.0/24'],
  rate_limit_per_minute: 600,
  rate_limit_per_address_per_minute: 30,
};

/** Texts that a faulty copy would change, and integers beyond the range that JavaScript represents exactly. */
const oddRow = fc.record({
  text: fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }).filter((text) => !text.includes('\u0000')),
  description: fc.option(
    fc.constantFrom('', '\n', '\\n', '"', "'", '\u2028', '[1]', 'null', '\\u0000', '💥é', '\r\n{"end":'),
  ),
  quantity: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
});

async function insertOddRows(app: TestApp, tenantId: string): Promise<void> {
  const { clock, tenants } = app.services;
  const rows = fc.sample(oddRow, { numRuns: 700, seed: 20_261_121 });
  await tenants.withTenantDb(tenantId, (db) =>
    db.transaction(async (tx) => {
      for (const [index, { text, description, quantity }] of rows.entries()) {
        const at = clock.now();
        const entitlement = { id: newId(), code: `odd-${index}`, name: text, type: 'value' as const, description };
        await tx
          .insertInto('entitlements')
          .values({ ...entitlement, created_at: at, updated_at: at })
          .execute();
        await sql`
          insert into usage_totals (license_id, interval, period, entitlement_code, quantity)
          values (${data.licenseId}, 'hour', ${`odd-${index}`}, ${data.code}, ${quantity})`.execute(tx);
      }
    }),
  );
}

beforeAll(async () => {
  data = await createLicensingData(suite.tenant);
  await insertOddRows(suite.app, suite.tenant.id);
  await suite.tenant.asOwner('POST', '/api-keys', limitedKey);
  accessToken = await newAccessToken(suite.tenant, {
    name: 'Shop',
    role: 'viewer',
    expires_at: '2099-01-01T00:00:00Z',
  });
  const certified = await suite.tenant.asApplication(`/licenses/${data.licenseKey}/certificate`);
  expect(certified.status).toBe(200);
  await suite.app.services.validationTimes.flush();
  await suite.app.services.deviceHistory.flush();
  await openPortal(suite.tenant, 'travels');
  await suite.tenant.asOwner('PUT', '/brand', { display_name: 'Traveller', logo });
  holderToken = await logInHolder(suite.app, suite.tenant, 'travels', data.licenseId);
  shop = await connectShop(suite.app, suite.tenant);
  await fillWorkTables();
  archive = folder.file();
  await exportFrom(suite.app, suite.tenant.id, archive);
});

/** Ends a batch and a change of many licenses, stores the components of a device, refuses another one, and archives a policy with a term in months. */
async function fillWorkTables(): Promise<void> {
  const { tenant } = suite;
  const { fingerprint } = data;
  const components = { disk: 'disk of the archive' };
  await tenant.asApplication(`/licenses/${data.licenseKey}/activations`, { fingerprint, components });
  const action = { type: 'set_limit', max_activations: 1 };
  await tenant.asOwner('POST', '/bulk-operations', { ids: [data.licenseId], action, reason: 'A limit for all' });
  await runTenantJobs(suite.app);
  await tenant.asApplication(`/licenses/${data.licenseKey}/activations`, { fingerprint: 'one too many' });
  await suite.app.services.deviceHistory.flush();
  await suite.app.services.failedRequests.flush();
  const policy = await newPolicy(tenant, { duration_months: 12 });
  const archived = await tenant.asOwner('POST', `/policies/${policy.id}/archive`);
  archivedAt = archived.body.data.archived_at;
}

const linesOf = async (file: string) =>
  gunzipSync(await readFile(file))
    .toString()
    .split('\n');

test('the archived tenant has rows of batches, bulk changes, checks, refusals, notes, months and archived terms', async () => {
  const rows = await tenantRows(suite.app, suite.tenant.id);
  const tables = ['bulk_operations', 'bulk_changes', 'license_batches', 'license_checks', 'license_refusals'];
  expect([...tables, 'customer_notes'].filter((table) => rows[table]?.length === 0)).toEqual([]);
  for (const [table, text] of [
    ['bulk_changes', 'max_activations'],
    ['license_batches', '"done"'],
    ['license_checks', 'ACTIVATION.LIMIT_REACHED'],
    ['policies', '"number 12"'],
    ['policies', archivedAt],
    ['licenses', data.batchId],
    ['activations', 'disk of the archive'],
  ] as const) {
    expect([table, rows[table]?.filter((row) => row.includes(text)).length]).not.toEqual([table, 0]);
  }
});

test('an archive contains no plaintext secret: no API key, no access token, no password, not the application key', async () => {
  const text = (await linesOf(archive)).join('\n');
  const secrets = [
    suite.tenant.apiKey,
    accessToken.token,
    testPassword,
    String(suite.app.config.appKey),
    '$argon2',
    '"d":',
    'whsec_',
  ];
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  expect(text).toContain(suite.tenant.owner.email);
});

describe.for(others)('a tenant imported on $to', ({ to, other }) => {
  let moved: Pick<TestTenant, 'asApplication' | 'id'>;
  beforeAll(async () => {
    expect(await importInto(other.app, archive)).toBe(suite.tenant.id);
    moved = tenantAt(other.app, suite.tenant);
  });

  test(`a tenant imported on ${to}, and back again, has exactly the same rows`, async () => {
    const before = await tenantRows(suite.app, suite.tenant.id);
    expect(await tenantRows(other.app, suite.tenant.id)).toEqual(before);
    const second = folder.file();
    await exportFrom(other.app, suite.tenant.id, second);
    expect((await linesOf(second)).length).toBe((await linesOf(archive)).length);
    await importInto(suite.app, second, true);
    expect(await tenantRows(suite.app, suite.tenant.id)).toEqual(before);
  });

  test(`a tenant imported on ${to} is served: its API key validates its license`, async () => {
    const { status, body } = await moved.asApplication(`/licenses/${data.licenseKey}/validate`);
    expect({ status, valid: body.data?.valid, license: body.data?.license.id }).toEqual({
      status: 200,
      valid: true,
      license: data.licenseId,
    });
  });

  test(`the shops of a tenant imported on ${to} keep their address and their secret`, async () => {
    const message = signed(shop.secret, { type: 'sale.completed', sale: { id: 'order-1', items: [{ id: 'pro' }] } });
    const url = `/webhooks/sales/${shop.id}`;
    expect((await other.app.request({ method: 'POST', url, ...message })).status).toBe(200);
    const forged = { ...message, payload: message.payload.replace('order-1', 'order-2') };
    expect((await other.app.request({ method: 'POST', url, ...forged })).status).toBe(401);
  });

  test(`the access tokens of a tenant imported on ${to} work there with their former role`, async () => {
    const listed = await sendWith(other.app, accessToken.token, 'GET', `/products/${data.productId}`);
    expect(listed.body.data?.id).toBe(data.productId);
    const payload = { code: 'more', name: 'More' };
    expect((await sendWith(other.app, accessToken.token, 'POST', '/products', { payload })).status).toBe(403);
  });

  test(`the API keys of a tenant imported on ${to} keep their scopes, networks and limits`, async () => {
    const keys = await other.app.services.platform.query
      .selectFrom('api_keys')
      .selectAll()
      .where('tenant_id', '=', suite.tenant.id)
      .where('name', '=', limitedKey.name)
      .execute();
    const { scopes, allowed_cidrs, ...plain } = limitedKey;
    const json = { scopes_json: JSON.stringify(scopes), allowed_cidrs_json: JSON.stringify(allowed_cidrs) };
    expect(keys).toEqual([expect.objectContaining({ ...plain, ...json })]);
  });

  test(`a tenant imported on ${to} signs certificates with its former key`, async () => {
    const keysAt = async (app: TestApp) =>
      (await app.request({ method: 'GET', url: `/api/v1/tenants/${suite.tenant.id}/jwks.json` })).body;
    const certified = await moved.asApplication(`/licenses/${data.licenseKey}/certificate`);
    const keys = createLocalJWKSet(await keysAt(suite.app));
    const { payload } = await jwtVerify(certified.body.data.certificate, keys);
    expect(payload.sub).toBe(data.licenseId);
    expect(await keysAt(other.app)).toEqual(await keysAt(suite.app));
  });

  test(`the members of a tenant imported on ${to} keep their roles and have no password`, async () => {
    const users = await other.app.services.platform.query
      .selectFrom('memberships')
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .select(['users.id', 'email', 'password_hash', 'role'])
      .where('tenant_id', '=', suite.tenant.id)
      .execute();
    const { id, email } = suite.tenant.owner;
    expect(users.map((user) => ({ ...user }))).toEqual([{ id, email, password_hash: null, role: 'owner' }]);
  });
});

test('the portal of an imported tenant has its handle, its brand and the sessions of its holders', async () => {
  for (const { other } of others) {
    const { body } = await askPortal(other.app, 'travels', 'GET', '');
    expect(body.data.display_name).toBe('Traveller');
    const image = await other.app.http.inject(new URL(body.data.logo_url).pathname);
    expect(image.rawPayload.toString('base64')).toBe(logo.split(',')[1]);
    const licenses = await askPortal(other.app, 'travels', 'GET', '/licenses', { token: holderToken });
    expect(licenses.body.data.map(({ id }: { id: string }) => id)).toContain(data.licenseId);
  }
});

test('a handle that another tenant has taken meanwhile is left out of an import, and a purge frees it', async () => {
  const leaving = await createTenant(suite.app, suite.admin, 'Leaving');
  await openPortal(leaving, 'wanted');
  const file = folder.file();
  await exportFrom(suite.app, leaving.id, file);
  const { services } = suite.app;
  await updateTenant(services, systemActor, leaving.id, { status: 'closed' });
  await purgeTenant(services, systemActor, leaving.id, { force: true });
  const taking = await createTenant(suite.app, suite.admin, 'Taking');
  await openPortal(taking, 'wanted');
  await importInto(suite.app, file);
  const rows = await services.platform.query
    .selectFrom('portal_handles')
    .select('tenant_id')
    .where('tenant_id', 'in', [leaving.id, taking.id])
    .execute();
  expect(rows.map(({ tenant_id }) => tenant_id)).toEqual([taking.id]);
});

test('an imported tenant keeps the handle of its portal and must prove the domain again, with another record', async () => {
  const tenant = await createTenant(suite.app, suite.admin, 'Proved');
  await openPortal(tenant, 'proved');
  const { services } = suite.app;
  const changed = { domain: 'portal.proved.example', domain_token: 'known-from-dns', domain_verified_at: 'then' };
  await services.platform.query.updateTable('portal_handles').set(changed).where('tenant_id', '=', tenant.id).execute();
  const file = folder.file();
  await exportFrom(suite.app, tenant.id, file);
  await updateTenant(services, systemActor, tenant.id, { status: 'closed' });
  await purgeTenant(services, systemActor, tenant.id, { force: true });
  await importInto(suite.app, file);
  const row = await services.platform.query
    .selectFrom('portal_handles')
    .selectAll()
    .where('tenant_id', '=', tenant.id)
    .executeTakeFirst();
  expect(row).toMatchObject({ handle: 'proved', domain: null, domain_token: null, domain_verified_at: null });
});

test('idempotency keys, webhooks and their secrets still work after an import', async () => {
  const tenant = await createTenant(suite.app, suite.admin, 'Lively');
  const create = (app: TestApp) =>
    app.request({
      method: 'POST',
      url: '/api/v1/tenant/products',
      headers: { ...tenant.owner.auth, 'idempotency-key': 'once' },
      payload: { code: 'editor', name: 'Editor' },
    });
  const first = await create(suite.app);
  const path = `/${newId()}`;
  await tenant.asOwner('POST', '/webhooks', { url: receiver.url(path) });
  const tested = await tenant.asOwner('GET', '/webhooks');
  await tenant.asOwner('POST', `/webhooks/${tested.body.data[0].id}/test`);
  const file = folder.file();
  await exportFrom(suite.app, tenant.id, file);
  await importInto(suite.app, file, true);
  const again = await create(suite.app);
  expect([again.status, again.body.data]).toEqual([first.status, first.body.data]);
  expect(again.headers['idempotency-replayed']).toBe('true');
  await deliver(suite.app, tenant);
  expect(receiver.at(path).map(({ headers }) => typeof headers['webhook-signature'])).toEqual(['string']);
});
