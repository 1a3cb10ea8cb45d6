import { beforeAll, describe, expect, test } from 'vitest';
import type { TenantTransaction } from '../../src/db/database.ts';
import type { ProductsTable } from '../../src/db/tables/tenant/policies.ts';
import { presentProduct } from '../../src/features/licensing/products/product.ts';
import { createProduct } from '../../src/features/licensing/products/service.ts';
import { createOnce } from '../../src/features/tenant-core/idempotency/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { createKeyring } from '../../src/lib/keyring.ts';
import { systemActor, type Tenant } from '../../src/tenancy/tenant.ts';
import { findTenantRecord, limitsOf } from '../../src/tenancy/tenant-record.ts';
import { useTenant } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';
import { newLicense } from '../support/licensing-catalog.ts';
import { createLicensingData, type LicensingData } from '../support/licensing-data.ts';

const clock = useClock();
const suite = useTenant();
const hourMs = 3_600_000;
let data: LicensingData;

beforeAll(async () => {
  data = await createLicensingData(suite.tenant);
});

type Headers = Readonly<Record<string, string>>;

function send(url: string, auth: Headers, key: string, payload: object): Promise<Answer> {
  return suite.app.request({ method: 'POST', url, headers: { ...auth, 'idempotency-key': key }, payload });
}

const asOwner = (path: string, key: string, payload: object, of = suite.tenant) =>
  send(`/api/v1/tenant${path}`, of.owner.auth, key, payload);
const asAdmin = (path: string, key: string, payload: object) =>
  send(`/api/v1/admin/tenants/${suite.tenant.id}${path}`, suite.admin.auth, key, payload);
const asApplication = (path: string, key: string, payload: object) =>
  send(`/api/v1/integration${path}`, { 'x-api-key': suite.tenant.apiKey }, key, payload);

const outcomeOf = ({ status, body }: Answer) => [status, body.error?.code];
const isReplay = ({ headers }: Answer) => headers['idempotency-replayed'] === 'true';
const productNamed = (code: string) => ({ code, name: 'Editor' });

async function countProducts(code: string, of = suite.tenant): Promise<number> {
  return (await of.asOwner('GET', `/products?code=${code}`)).body.data.length;
}

/** Calls `work` with the tenant as a route handler receives it. */
async function inTenant<Result>(work: (tenant: Tenant) => Promise<Result>): Promise<Result> {
  const { platform, tenants } = suite.app.services;
  const record = await findTenantRecord(platform, suite.tenant.id);
  if (record === undefined) throw new Error('The tenant does not exist.');
  return tenants.withTenantDb(record.id, (db) =>
    work({ id: record.id, name: record.name, limits: limitsOf(record), db }),
  );
}

const storedRows = (key: string) =>
  inTenant(({ db }) =>
    db.query.selectFrom('idempotency_keys').selectAll().where('idempotency_key', '=', key).execute(),
  );

describe('repeated creations', () => {
  const creations: readonly [name: string, (key: string) => Promise<Answer>][] = [
    ['a product', (key) => asOwner('/products', key, productNamed(key))],
    ['a policy', (key) => asOwner('/policies', key, { product_id: data.productId, code: key, name: 'Yearly' })],
    ['a license', (key) => asOwner('/licenses', key, { policy_id: data.policyId })],
    ['a notification', (key) => asOwner('/notifications', key, { title: key, body: 'A text.' })],
    ['a license, by an admin', (key) => asAdmin('/licenses', key, { policy_id: data.policyId })],
    [
      'an activation',
      (key) => asApplication(`/licenses/${data.licenseKey}/activations`, key, { fingerprint: 'machine-of-the-key' }),
    ],
  ];

  test.each(creations)('a repetition of %s returns the first result with its own request id', async (_name, create) => {
    const key = newId();
    const first = await create(key);
    const second = await create(key);
    expect([first.status, isReplay(first)]).toEqual([201, false]);
    expect([second.status, isReplay(second)]).toEqual([201, true]);
    expect(second.body.data).toEqual(first.body.data);
    expect(second.body.meta.request_id).toBe(second.headers['x-request-id']);
    expect(second.body.meta.request_id).not.toBe(first.body.meta.request_id);
  });

  test('a repetition keeps status 200 of an activation that already existed', async () => {
    const path = `/licenses/${data.licenseKey}/activations`;
    const [first, second] = [
      await asApplication(path, 'held', { fingerprint: data.fingerprint }),
      await asApplication(path, 'held', { fingerprint: data.fingerprint }),
    ];
    expect([first.status, second.status, isReplay(second)]).toEqual([200, 200, true]);
  });

  test('a repetition returns the original state even after the resource was deleted', async () => {
    const key = newId();
    const { id } = (await asOwner('/products', key, productNamed(key))).body.data;
    expect((await suite.tenant.asOwner('DELETE', `/products/${id}`)).status).toBe(200);
    const replay = await asOwner('/products', key, productNamed(key));
    expect([replay.status, replay.body.data.id, isReplay(replay)]).toEqual([201, id, true]);
    expect(await countProducts(key)).toBe(0);
  });

  test.each([
    ['user', asOwner],
    ['admin', asAdmin],
  ])('an API key created by the %s is neither replayed nor stored', async (surface, post) => {
    const key = newId();
    const name = `Deploy by ${surface}`;
    const first = await post('/api-keys', key, { name });
    const second = await post('/api-keys', key, { name });
    expect(first.body.data.key).toMatch(/^vx_[0-9a-f]{64}$/);
    expect(second.body.data).toEqual({ ...first.body.data, key: null });
    expect([second.status, isReplay(second), second.headers['cache-control']]).toEqual([201, true, 'no-store']);
    const [row] = await storedRows(key);
    expect(row?.response_data_json).toContain('"key":null');
    const { body } = await suite.tenant.asOwner('GET', '/api-keys?limit=100');
    expect(body.data.filter((listed: { name: string }) => listed.name === name)).toHaveLength(1);
  });

  test('a repetition with the fields in another order is the same request', async () => {
    const key = newId();
    const metadata = { a: 1, b: [{ c: 1, d: 2 }] };
    const first = await asOwner('/products', key, { code: key, name: 'Editor', metadata });
    const reordered = { b: [{ d: 2, c: 1 }], a: 1 };
    const second = await asOwner('/products', key, { metadata: reordered, name: 'Editor', code: key });
    expect([second.status, isReplay(second), second.body.data.id]).toEqual([201, true, first.body.data.id]);
  });

  test('a large request is replayed, and a different request of the same length is refused', async () => {
    const product = { ...productNamed('long'), description: 'é'.repeat(1900) };
    const first = await asOwner('/products', 'long-body', product);
    expect(first.status).toBe(201);
    const second = await asOwner('/products', 'long-body', product);
    expect([second.status, isReplay(second), second.body.data]).toEqual([201, true, first.body.data]);
    const other = await asOwner('/products', 'long-body', { ...product, description: 'e'.repeat(1900) });
    expect(outcomeOf(other)).toEqual([422, 'IDEMPOTENCY.KEY_REUSED']);
  });

  test('20 concurrent requests with one key create one API key and show it once', async () => {
    const name = 'Requested concurrently';
    const create = () => asOwner('/api-keys', 'parallel', { name });
    const made = (await Promise.all(Array.from({ length: 20 }, create))).filter(({ status }) => status === 201);
    expect(made.filter(({ body }) => body.data.key !== null)).toHaveLength(1);
    const { body } = await suite.tenant.asOwner('GET', '/api-keys?limit=100');
    expect(body.data.filter((listed: { name: string }) => listed.name === name)).toHaveLength(1);
  });
});

describe('idempotency keys', () => {
  test('a key is refused with another body or another resource in the path', async () => {
    const key = newId();
    await asOwner('/products', key, productNamed(key));
    const other = await asOwner('/products', key, { ...productNamed(key), name: 'Other' });
    expect(outcomeOf(other)).toEqual([422, 'IDEMPOTENCY.KEY_REUSED']);
    const { key: otherLicense } = await newLicense(suite.tenant);
    const activate = (licenseKey: string) =>
      asApplication(`/licenses/${licenseKey}/activations`, key, { fingerprint: 'machine-of-the-key' });
    expect((await activate(data.licenseKey)).status).toBeLessThan(300);
    expect(outcomeOf(await activate(otherLicense))).toEqual([422, 'IDEMPOTENCY.KEY_REUSED']);
  });

  test('a key is independent on every route, surface and tenant', async () => {
    const key = newId();
    const other = await suite.newTenant();
    const answers = [
      await asOwner('/products', key, productNamed(key)),
      await asOwner('/products', key, productNamed(key), other),
      await asOwner('/licenses', key, { policy_id: data.policyId }),
      await asAdmin('/licenses', key, { policy_id: data.policyId }),
    ];
    expect(answers.map((answer) => [answer.status, isReplay(answer)])).toEqual(answers.map(() => [201, false]));
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(4);
    expect([await countProducts(key), await countProducts(key, other)]).toEqual([1, 1]);
  });

  test('a key can be reused for a corrected request after a failure', async () => {
    const key = newId();
    const refused = await asOwner('/products', key, productNamed(data.code));
    expect(outcomeOf(refused)).toEqual([409, 'PRODUCT.CODE_TAKEN']);
    expect(outcomeOf(await asOwner('/products', key, { name: 'Editor' }))).toEqual([422, 'VALIDATION.FAILED']);
    expect(await storedRows(key)).toEqual([]);
    const corrected = await asOwner('/products', key, productNamed(key));
    expect([corrected.status, isReplay(corrected)]).toEqual([201, false]);
    const cidrs = { name: 'Deploy', allowed_cidrs: ['nowhere'] };
    expect((await asOwner('/api-keys', key, cidrs)).status).toBe(422);
    expect((await asOwner('/api-keys', key, { name: 'Deploy' })).status).toBe(201);
  });

  test('a key is remembered for 24 hours and then starts a new request', async () => {
    const key = newId();
    const license = () => asOwner('/licenses', key, { policy_id: data.policyId });
    const first = await license();
    clock.advance(24 * hourMs - 1000);
    expect((await license()).body.data.id).toBe(first.body.data.id);
    clock.advance(2000);
    const later = await asOwner('/licenses', key, { policy_id: data.policyId, holder: { name: 'Ada' } });
    expect([later.status, isReplay(later)]).toEqual([201, false]);
    expect(later.body.data.id).not.toBe(first.body.data.id);
    expect(await storedRows(key)).toHaveLength(1);
  });

  test.each([
    ['that is empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['with non-ASCII characters', 'schlüssel'],
    ['sent twice', ['a', 'b']],
  ])('a key %s is refused and nothing is created', async (_name, value) => {
    const code = newId();
    const headers = { ...suite.tenant.owner.auth, 'idempotency-key': value as string };
    const payload = productNamed(code);
    const answer = await suite.app.request({ method: 'POST', url: '/api/v1/tenant/products', headers, payload });
    expect(outcomeOf(answer)).toEqual([400, 'REQUEST.MALFORMED']);
    expect(await countProducts(code)).toBe(0);
  });

  test.each(['k', 'k'.repeat(255), '!#$%&\'*+-.^_`|~(),/:;<=>?@[]{}"\\'])('a key may be %j', async (key) => {
    const payload = productNamed(newId());
    expect((await asOwner('/products', key, payload)).status).toBe(201);
    expect(isReplay(await asOwner('/products', key, payload))).toBe(true);
  });
});

describe('interrupted processes', () => {
  const route = 'POST /api/v1/tenant/products';
  const crash = new Error('the process crashed');

  /** Creates a product as the route does; `before` and `after` run before and after the change and may throw. */
  function attempt(
    key: string,
    { before = async () => {}, after = async () => {}, keyring = suite.app.services.keyring } = {},
  ) {
    return inTenant((requestTenant) =>
      createOnce(
        { ...suite.app.services, keyring },
        requestTenant,
        { route, key, input: { params: {}, body: productNamed(key) } },
        {
          secretFields: [],
          answer: (row: ProductsTable) => ({ status: 201, data: presentProduct(row) }),
          async create(given) {
            await before();
            const row = await createProduct(suite.app.services, given, systemActor, productNamed(key));
            await after();
            return row;
          },
        },
      ),
    );
  }

  const crashes = () => Promise.reject(crash);

  /** Leaves a reserved, unreleased attempt, as a crashed process does. */
  async function leaveRunning(key: string): Promise<void> {
    await asOwner('/products', key, productNamed(key));
    await inTenant(async ({ db }) => {
      await db.transaction(async (tx: TenantTransaction) => {
        const outcome = { response_status: null, response_data_json: null };
        await tx.updateTable('idempotency_keys').set(outcome).where('idempotency_key', '=', key).execute();
        await tx.deleteFrom('products').where('code', '=', key).execute();
      });
    });
  }

  test('after a crash between the change and its response, a repetition replays the stored response', async () => {
    const key = newId();
    await expect(attempt(key, { after: crashes })).rejects.toBe(crash);
    const repeated = await attempt(key);
    expect([repeated.status, repeated.replayed]).toEqual([201, true]);
    expect(await countProducts(key)).toBe(1);
    const overHttp = await asOwner('/products', key, productNamed(key));
    expect([overHttp.status, isReplay(overHttp), await countProducts(key)]).toEqual([201, true, 1]);
  });

  test('a stored request is still recognised after the application key was rotated', async () => {
    const key = newId();
    await attempt(key);
    const rotated = createKeyring('another-application-key-9876543210-zyxwvu', [String(suite.app.site.env['APP_KEY'])]);
    expect(await attempt(key, { keyring: rotated })).toMatchObject({ status: 201, replayed: true });
  });

  test('a crash before the change blocks its key until the lease ends', async () => {
    const key = newId();
    await leaveRunning(key);
    const blocked = await asOwner('/products', key, productNamed(key));
    expect(outcomeOf(blocked)).toEqual([409, 'IDEMPOTENCY.IN_PROGRESS']);
    expect(blocked.headers['retry-after']).toBe('1');
    clock.advance(61_000);
    const answers = await Promise.all(Array.from({ length: 20 }, () => asOwner('/products', key, productNamed(key))));
    const made = answers.filter(({ status }) => status === 201);
    expect(made.filter((answer) => !isReplay(answer))).toHaveLength(1);
    expect(await countProducts(key)).toBe(1);
  });

  test('an attempt that outlives its lease changes nothing once another attempt took the key', async () => {
    const key = newId();
    let second: Answer | undefined;
    const slow = attempt(key, {
      before: async () => {
        clock.advance(61_000);
        second = await asOwner('/products', key, productNamed(key));
        // Frees the product code, so that only the lost key can stop the slow attempt.
        await suite.tenant.asOwner('DELETE', `/products/${second.body.data.id}`);
      },
    });
    await expect(slow).rejects.toMatchObject({ code: 'IDEMPOTENCY.IN_PROGRESS' });
    expect([second?.status, await countProducts(key)]).toEqual([201, 0]);
    expect(isReplay(await asOwner('/products', key, productNamed(key)))).toBe(true);
  });
});
