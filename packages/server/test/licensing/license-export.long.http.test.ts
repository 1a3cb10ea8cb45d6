import { once } from 'node:events';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestTenant, useAdmin } from '../support/accounts.ts';
import { created, defineEntitlements, newLicense, newPolicy, newProduct } from '../support/licensing-catalog.ts';
import { openSocket, portOf } from '../support/raw-http.ts';
import { sendFile } from './license-files.ts';

const suite = useAdmin();
/** A tenant with a license of every kind, which no test changes. */
let filled: TestTenant;
/** A tenant without a license. */
let empty: TestTenant;

beforeAll(async () => {
  await suite.app.listen();
  filled = await tenantWithLicenses();
  empty = await tenantWithPolicies();
});

const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

const importFile = (tenant: TestTenant, type: string, payload: string) =>
  sendFile(suite.app, tenant, payload, { type });

/** Creates a tenant with a product `editor`, its policies `yearly` and `open`, and one license of every kind. */
async function tenantWithLicenses(): Promise<TestTenant> {
  const tenant = await tenantWithPolicies();
  const { body } = await tenant.asOwner('GET', '/policies?limit=100');
  const [open, yearly] = body.data;
  const texts = [
    '=1+1',
    "'=1",
    '@x',
    '-5',
    '+5',
    "'t Hooft",
    'a,b',
    'say "x"',
    'two\nlines',
    'a\r\nb',
    'c\rd',
    ' pad ',
    '💥',
  ];
  for (const [index, name] of texts.entries()) {
    created(
      await tenant.asOwner('POST', '/licenses', { policy_id: yearly.id, key: `TEXT-${index}`, holder: { name } }),
    );
  }
  const full = {
    policy_id: open.id,
    key: 'FULL',
    holder: { name: 'Ada', email: 'ada@example.com', reference: '0042' },
    starts_at: '2026-01-01T00:00:00.000001Z',
    expires_at: '2026-02-01T00:00:00Z',
    maintenance_expires_at: '9999-12-31T23:59:59.999999Z',
    max_activations: 0,
    entitlements: [{ code: 'export', limit: 5, expires_at: '2030-01-01T00:00:00Z' }],
    metadata: { nested: { list: [1, 'a', null] }, text: '=1' },
  };
  created(await tenant.asOwner('POST', '/licenses', full));
  const unlimited = { policy_id: yearly.id, key: 'UNLIMITED', expires_at: null };
  created(await tenant.asOwner('POST', '/licenses', unlimited));
  for (const action of ['suspend', 'revoke']) {
    const { id } = created(await tenant.asOwner('POST', '/licenses', { policy_id: yearly.id, key: action }));
    await tenant.asOwner('POST', `/licenses/${id}/${action}`, {});
  }
  return tenant;
}

async function tenantWithPolicies(): Promise<TestTenant> {
  const tenant = await suite.newTenant();
  const { id: product_id } = await newProduct(tenant, { code: 'editor' });
  await newPolicy(tenant, { product_id, code: 'yearly', duration_days: 365, maintenance_days: 30 });
  await newPolicy(tenant, { product_id, code: 'open' });
  await defineEntitlements(tenant, { export: 'metered' });
  return tenant;
}

/** Returns the imported fields of every license, by key. */
async function stateOf(tenant: TestTenant) {
  const { body } = await tenant.asOwner('GET', '/licenses?limit=100');
  const own = ['id', 'product_id', 'policy_id', 'created_at', 'updated_at'];
  const kept = (license: object) => Object.fromEntries(Object.entries(license).filter(([name]) => !own.includes(name)));
  return Object.fromEntries(body.data.map((license: { key: string }) => [license.key, kept(license)]));
}

describe.each(['csv', 'ndjson'] as const)('an export as %s', (format) => {
  test('an export has a media type and a file name, and no envelope', async () => {
    const answer = await filled.asOwner('GET', `/licenses/export?format=${format}`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe(`${types[format]}; charset=utf-8`);
    expect(answer.headers['content-disposition']).toBe(`attachment; filename="licenses.${format}"`);
    expect(answer.headers['x-service-api-version']).toBe('1');
    expect(answer.text).not.toContain('request_id');
  });

  test('an export that another tenant with the same codes imports creates the same licenses', async () => {
    const to = await tenantWithPolicies();
    const { text } = await filled.asOwner('GET', `/licenses/export?format=${format}`);
    const answer = await importFile(to, types[format], text);
    expect(answer.body.data, answer.text).toEqual({ created: 17, failed: 0, errors: [] });
    expect(await stateOf(to)).toEqual(await stateOf(filled));
    const { text: again } = await to.asOwner('GET', `/licenses/export?format=${format}`);
    const third = await tenantWithPolicies();
    await importFile(third, types[format], again);
    expect(await stateOf(third)).toEqual(await stateOf(filled));
  });

  test('an export of 5,000 licenses contains each of them once across all pages', async () => {
    const tenant = await tenantWithPolicies();
    const keys = Array.from({ length: 5_000 }, (_, index) => `MANY-${index}`);
    const file = ['policy,key', ...keys.map((key) => `yearly,${key}`)].join('\n');
    expect((await importFile(tenant, 'text/csv', file)).status).toBe(200);
    const { text } = await tenant.asOwner('GET', `/licenses/export?format=${format}`);
    const found = [...text.matchAll(/MANY-\d+/g)].map(([key]) => key);
    expect(found.toSorted()).toEqual(keys.toSorted());
    const target = await tenantWithPolicies();
    expect((await importFile(target, types[format], text)).body.data.created).toBe(5_000);
  });

  test('an export without licenses is a valid file', async () => {
    const { status, text } = await empty.asOwner('GET', `/licenses/export?format=${format}`);
    expect([status, text.split('\n').length]).toEqual([200, format === 'csv' ? 2 : 1]);
    expect((await importFile(empty, types[format], text)).body.data).toEqual({ created: 0, failed: 0, errors: [] });
  });
});

test('no cell of a CSV export begins like a formula', async () => {
  const { text } = await filled.asOwner('GET', '/licenses/export');
  expect(text).toContain("'=1+1");
  expect(text).not.toMatch(/(^|,|\n)"?[=+\-@\t\r]/);
});

test('the read-only columns of an export have the values of the API', async () => {
  const tenant = await suite.newTenant();
  const license = await newLicense(tenant);
  const { text } = await tenant.asOwner('GET', '/licenses/export?format=ndjson');
  const { product, policy, ...exported } = JSON.parse(text);
  expect(exported).toEqual(license);
  expect([product, policy]).toEqual([expect.any(String), expect.any(String)]);
});

describe('export filters', () => {
  test.each([
    ['status=revoked', ['revoke']],
    ['status=expired', ['FULL']],
    ['key=UNLIMITED', ['UNLIMITED']],
    ['holder_email=ada%40example.com', ['FULL']],
    ['holder_reference=nobody', []],
  ])('an export applies the filter %s of the list', async (filter, keys) => {
    const { text } = await filled.asOwner('GET', `/licenses/export?format=ndjson&${filter}`);
    const rows = text.split('\n').filter(Boolean);
    expect(rows.map((row) => JSON.parse(row).key)).toEqual(keys);
  });
});

describe('an export of chosen licenses', () => {
  const keysOf = (text: string) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((row) => JSON.parse(row).key);

  async function chosenIds(): Promise<string> {
    const { body } = await filled.asOwner('GET', '/licenses?limit=100');
    const chosen = body.data.filter(({ key }: { key: string }) => ['FULL', 'revoke', 'UNLIMITED'].includes(key));
    return chosen.map(({ id }: { id: string }) => `ids=${id}`).join('&');
  }

  test.for([
    ['', ['revoke', 'UNLIMITED', 'FULL']],
    ['&sort=expires_at', ['FULL', 'revoke', 'UNLIMITED']],
    ['&status=revoked', ['revoke']],
    ['&status=revoked&sort=-expires_at', ['revoke']],
    ['&holder_email=ada%40example.com', ['FULL']],
  ] as const)('an export with ids%s contains exactly the chosen licenses that match', async ([filter, keys]) => {
    const { text } = await filled.asOwner('GET', `/licenses/export?format=ndjson&${await chosenIds()}${filter}`);
    expect(keysOf(text)).toEqual(keys);
  });

  test('an admin exports chosen licenses, and ids of another tenant match nothing', async () => {
    const url = (tenant: TestTenant) => `/api/v1/admin/tenants/${tenant.id}/licenses/export?format=ndjson`;
    const ids = await chosenIds();
    const own = await suite.app.request({ method: 'GET', url: `${url(filled)}&${ids}`, headers: suite.admin.auth });
    expect(keysOf(own.text)).toHaveLength(3);
    const other = await suite.app.request({ method: 'GET', url: `${url(empty)}&${ids}`, headers: suite.admin.auth });
    expect([other.status, other.text]).toEqual([200, '']);
  });

  test('an export of more than 100 ids is refused', async () => {
    const ids = Array.from({ length: 101 }, () => `ids=${crypto.randomUUID()}`).join('&');
    const answer = await empty.asOwner('GET', `/licenses/export?${ids}`);
    expect([answer.status, answer.body.error.details[0].field]).toEqual([422, 'ids']);
  });
});

describe('access to exports', () => {
  test('HEAD of an export returns the headers of GET', async () => {
    const headers = filled.owner.auth;
    const head = await suite.app.request({ method: 'HEAD', url: '/api/v1/tenant/licenses/export', headers });
    expect([head.status, head.text, head.headers['content-type']]).toEqual([200, '', 'text/csv; charset=utf-8']);
  });
});

describe('export connections', () => {
  let tenant: TestTenant;

  beforeAll(async () => {
    tenant = await tenantWithPolicies();
    const row = `${JSON.stringify({ policy: 'yearly', metadata: { filler: 'x'.repeat(9_000) } })}\n`;
    // Much more than the buffers of both ends of a connection.
    const file = row.repeat(2_000);
    expect((await importFile(tenant, types.ndjson, file)).status).toBe(200);
  });

  /** Requests an export and reads only its beginning. */
  async function beginExport() {
    const socket = await openSocket(portOf(suite.app));
    const { authorization } = tenant.owner.auth;
    socket.write(`GET /api/v1/tenant/licenses/export HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`);
    await once(socket, 'readable');
    return socket;
  }

  test('an export whose client disconnects ends, and the tenant continues to serve requests', async () => {
    const socket = await beginExport();
    socket.destroy();
    expect((await tenant.asOwner('GET', '/licenses?limit=1')).status).toBe(200);
  });

  test('an export that fails midway aborts its connection, so that the file does not look complete', async () => {
    const socket = await beginExport();
    await suite.app.services.tenants.withTenantDb(tenant.id, (db) =>
      db.query.schema.alterTable('licenses').renameTo('licences').execute(),
    );
    let received = '';
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      received += text;
    });
    await once(socket, 'close');
    // A complete chunked body ends with an empty chunk (RFC 9112, section 7.1).
    expect(received.endsWith('0\r\n\r\n')).toBe(false);
  });
});
