import { beforeAll, describe, expect, test } from 'vitest';
import { ValidationTimes } from '../../src/features/licensing/licenses/validation-times.ts';
import { createTenant, type TestTenant, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created, defineEntitlements, eventsOf, newLicense } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useTenant();
let stranger: TestTenant;

beforeAll(async () => {
  stranger = await createTenant(suite.app, suite.admin, 'Other');
});

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const validate = (key: string, body?: object) => suite.tenant.asApplication(`/licenses/${key}/validate`, body);
const activate = (key: string, fingerprint: string) =>
  suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint });

interface License {
  readonly id: string;
  readonly key: string;
  readonly policy_id: string;
}

interface VerdictCase {
  readonly code: string;
  readonly valid: boolean;
  readonly policy?: object;
  readonly license?: () => object;
  readonly prepare?: (license: License) => Promise<unknown>;
  readonly question?: object;
}

const act = (action: string) => (license: License) => suite.tenant.asOwner('POST', `/licenses/${license.id}/${action}`);
const expired = () => ({ starts_at: inDays(-9), expires_at: inDays(-1) });
const activated = async (license: License) => {
  for (const fingerprint of ['a', 'b', 'c']) await activate(license.key, fingerprint);
};

const verdicts: readonly VerdictCase[] = [
  { code: 'LICENSE.REVOKED', valid: false, prepare: act('revoke') },
  { code: 'LICENSE.SUSPENDED', valid: false, prepare: act('suspend') },
  { code: 'LICENSE.NOT_STARTED', valid: false, license: () => ({ starts_at: inDays(1) }) },
  { code: 'LICENSE.EXPIRED', valid: false, license: expired },
  { code: 'LICENSE.PRODUCT_MISMATCH', valid: false, question: { product: 'another' } },
  {
    code: 'LICENSE.MAINTENANCE_EXPIRED',
    valid: false,
    license: () => ({ maintenance_expires_at: '2026-01-01T00:00:00Z' }),
    question: { version_released_at: '2026-01-01T02:00:00.000001+02:00' },
  },
  { code: 'ACTIVATION.FINGERPRINT_REQUIRED', valid: false, policy: { require_activation: true } },
  { code: 'ACTIVATION.NOT_FOUND', valid: false, policy: { require_activation: true }, question: { fingerprint: 'a' } },
  {
    code: 'ACTIVATION.LEASE_EXPIRED',
    valid: false,
    policy: { require_activation: true, lease_seconds: 5 },
    prepare: async (license) => {
      await activate(license.key, 'a');
      clock.advance(5001);
    },
    question: { fingerprint: 'a' },
  },
  {
    code: 'ACTIVATION.LIMIT_EXCEEDED',
    valid: false,
    policy: { require_activation: true, max_activations: 3 },
    prepare: async (license) => {
      await activated(license);
      await suite.tenant.asOwner('PUT', `/licenses/${license.id}`, { max_activations: 2 });
    },
    question: { fingerprint: 'a' },
  },
  { code: 'ENTITLEMENT.NOT_GRANTED', valid: false, question: { entitlements: ['print'] } },
  { code: 'LICENSE.EXPIRED', valid: true, policy: { expiry_strategy: 'allow' }, license: expired },
  { code: 'LICENSE.IN_GRACE', valid: true, policy: { grace_days: 2 }, license: expired },
  {
    code: 'ACTIVATION.LIMIT_EXCEEDED',
    valid: true,
    policy: { require_activation: true, max_activations: 2, activation_overage_percent: 50 },
    prepare: activated,
    question: { fingerprint: 'c' },
  },
  {
    code: 'LICENSE.VALID',
    valid: true,
    license: () => ({ maintenance_expires_at: '2026-01-01T00:00:00Z' }),
    question: { version_released_at: '2026-01-01T02:00:00+02:00' },
  },
];

describe('verdicts', () => {
  test.each(verdicts)(
    'a verdict has the code $code with valid: $valid',
    async ({ code, valid, policy, license, prepare, question }) => {
      const issued = await newLicense(suite.tenant, policy, license?.());
      await prepare?.(issued);
      const { status, body } = await validate(issued.key, { nonce: 'n-1', ...question });
      expect(status).toBe(200);
      expect(body.data).toMatchObject({ valid, code, nonce: 'n-1', detail: expect.stringMatching(/\.$/) });
      expect(body.data.license).toMatchObject({ id: issued.id, policy_id: issued.policy_id });
    },
  );

  test.each(['unknown', 'with%20space', 'x'.repeat(300), '%F0%9F%94%91', '%00', 'a%0Ab', '%0A', '%7F'])(
    'the verdict on the unknown key %s is LICENSE.NOT_FOUND',
    async (key) => {
      const { status, body } = await validate(key);
      expect(status).toBe(200);
      expect(body.data).toMatchObject({
        valid: false,
        code: 'LICENSE.NOT_FOUND',
        nonce: null,
        license: null,
        activation: null,
        entitlements: [],
      });
    },
  );

  test.each<[string, (key: string) => string]>([
    ['in lower case', (key) => key.toLowerCase()],
    ['without dashes', (key) => key.replaceAll('-', '')],
    ['with spaces around it', (key) => `  ${key} `],
    ['with a line end', (key) => `${key}\r\n`],
    ['with other dashes', (key) => key.replaceAll('-', '\u2013')],
  ])('every operation finds a generated key %s', async (_how, asTyped) => {
    const issued = await newLicense(suite.tenant, { key_prefix: 'PASTE' });
    const path = `/licenses/${encodeURIComponent(asTyped(issued.key))}`;
    const ask = (action: string, body: object) => suite.tenant.asApplication(`${path}/${action}`, body);
    for (const _again of [1, 2]) {
      const { data } = (await ask('validate', {})).body;
      expect([data.code, data.license.key]).toEqual(['LICENSE.VALID', issued.key]);
    }
    const { id } = created(await ask('activations', { fingerprint: 'a' }));
    for (const [action, body] of [
      [`activations/${id}/heartbeat`, {}],
      [`activations/${id}/deactivate`, {}],
      ['entitlements/check', {}],
      ['certificate', {}],
    ] as const) {
      expect([action, (await ask(action, body)).status]).toEqual([action, 200]);
    }
    // An unknown entitlement is a refusal of the event, not of the key.
    expect((await ask('usage', { events: [{ entitlement: 'x', quantity: 1 }] })).status).not.toBe(404);
  });

  test('a key that the vendor chose is found only as it is, apart from white space around it', async () => {
    const issued = await newLicense(suite.tenant, {}, { key: 'Own-Key.1' });
    const codeOf = async (key: string) => (await validate(encodeURIComponent(key))).body.data.code;
    for (const key of [issued.key, ` ${issued.key}\n`]) expect(await codeOf(key)).toBe('LICENSE.VALID');
    for (const key of ['own-key.1', 'OwnKey.1', 'Own-Key .1']) expect(await codeOf(key)).toBe('LICENSE.NOT_FOUND');
  });

  test('a key that the vendor chose precedes a generated key that it spells differently, also after a verdict', async () => {
    const issued = await newLicense(suite.tenant);
    const other = issued.key.toLowerCase();
    const idOf = async () => (await validate(other)).body.data.license.id;
    for (const _again of [1, 2]) expect(await idOf()).toBe(issued.id);
    const chosen = await newLicense(suite.tenant, {}, { key: other });
    for (const _again of [1, 2]) expect(await idOf()).toBe(chosen.id);
    expect((await validate(issued.key)).body.data.license.id).toBe(issued.id);
  });

  test('a validation needs no body, and the verdict contains the license and the activation', async () => {
    await defineEntitlements(suite.tenant, { seats: 'metered' });
    const issued = await newLicense(
      suite.tenant,
      { entitlements: [{ code: 'seats', limit: 3 }] },
      { metadata: { tier: 1 } },
    );
    const activation = created(await activate(issued.key, 'device'));
    const bare = await validate(issued.key);
    expect(bare.body.data).toMatchObject({ valid: true, code: 'LICENSE.VALID', nonce: null, activation: null });
    const full = await validate(issued.key, { fingerprint: 'device' });
    expect(full.body.data.activation).toEqual(activation);
    expect((await suite.tenant.asOwner('GET', `/licenses/${issued.id}`)).body.data).toEqual(full.body.data.license);
    expect(full.body.data.license).toMatchObject({
      activations_count: 1,
      last_validated_at: full.body.data.checked_at,
    });
    expect(full.body.data.entitlements).toEqual([
      {
        code: 'seats',
        type: 'metered',
        has_access: true,
        value: null,
        limit: 3,
        usage: 0,
        remaining: 3,
        overage: 'deny',
        resets_at: null,
        expires_at: null,
        source: 'policy',
        reason: null,
      },
    ]);
  });

  test.each([
    { ofPolicy: 2, own: null, effective: 2 },
    { ofPolicy: 2, own: 5, effective: 5 },
    { ofPolicy: null, own: 5, effective: 5 },
    { ofPolicy: null, own: null, effective: null },
  ])(
    'max_activations in a verdict is $effective when the policy has $ofPolicy and the license has $own',
    async ({ ofPolicy, own, effective }) => {
      const issued = await newLicense(suite.tenant, { max_activations: ofPolicy }, { max_activations: own });
      const limits = [(await validate(issued.key)).body.data.license.max_activations];
      await suite.tenant.asOwner('POST', `/licenses/${issued.id}/suspend`);
      const denied = (await validate(issued.key)).body.data;
      expect([...limits, denied.license.max_activations]).toEqual([effective, effective]);
      expect(denied.valid).toBe(false);
      expect((await suite.tenant.asOwner('GET', `/licenses/${issued.id}`)).body.data.max_activations).toBe(own);
    },
  );

  test('a validation accepts the product by id and by code', async () => {
    const issued = await newLicense(suite.tenant);
    const product = (await suite.tenant.asOwner('GET', `/products/${issued.product_id}`)).body.data;
    for (const name of [product.id, product.code]) {
      expect((await validate(issued.key, { product: name })).body.data.valid).toBe(true);
    }
  });

  test('a verdict uses an entitlement override until it expires', async () => {
    await defineEntitlements(suite.tenant, { seats: 'metered' });
    const override = { code: 'seats', limit: 9, expires_at: inDays(1) };
    const issued = await newLicense(
      suite.tenant,
      { entitlements: [{ code: 'seats', limit: 3 }] },
      { entitlements: [override] },
    );
    const seats = async () => (await validate(issued.key, { entitlements: ['seats'] })).body.data.entitlements[0];
    expect(await seats()).toMatchObject({ limit: 9, source: 'license', has_access: true });
    clock.advance(dayMs);
    expect(await seats()).toMatchObject({ limit: 3, source: 'policy', has_access: true });
  });

  test('a verdict contains metered counters, and stays valid when one is at its limit', async () => {
    await defineEntitlements(suite.tenant, { calls: 'metered', export: 'boolean' });
    const calls = { code: 'calls', limit: 2, reset: 'day' };
    const issued = await newLicense(suite.tenant, { entitlements: [calls, { code: 'export' }] });
    const report = async () => {
      const events = [{ entitlement: 'calls', quantity: 1 }];
      const answer = await suite.tenant.asApplication(`/licenses/${issued.key}/usage`, { events });
      return answer.body.data.results[0].status;
    };
    const check = async (entitlements?: string[]) => {
      const { valid, code, entitlements: checks } = (await validate(issued.key, { entitlements })).body.data;
      return { valid, code, ...checks.find((one: { code: string }) => one.code === 'calls') };
    };
    expect(await report()).toBe('accepted');
    expect(await check()).toMatchObject({ valid: true, usage: 1, remaining: 1, has_access: true, reason: null });
    expect([await report(), await report()]).toEqual(['accepted', 'refused']);
    const atLimit = { usage: 2, remaining: 0, has_access: false, reason: 'ENTITLEMENT.LIMIT_REACHED' };
    for (const requested of [undefined, ['calls'], ['export', 'calls']]) {
      const checked = await check(requested);
      expect(checked).toMatchObject({ ...atLimit, valid: true });
      expect(Date.parse(checked.resets_at)).toBe(Math.ceil(Date.now() / dayMs) * dayMs);
    }
    clock.advance(dayMs);
    expect(await check(['calls'])).toMatchObject({ valid: true, usage: 0, remaining: 2, has_access: true });
    expect((await validate(issued.key, { entitlements: ['calls', 'print'] })).body.data).toMatchObject({
      valid: false,
      code: 'ENTITLEMENT.NOT_GRANTED',
      entitlements: [{ usage: 0 }, { code: 'print', type: null, usage: null }],
    });
    await suite.tenant.asOwner('POST', `/licenses/${issued.id}/suspend`);
    expect((await validate(issued.key)).body.data.entitlements[0]).toMatchObject({
      code: 'calls',
      has_access: false,
      reason: 'LICENSE.SUSPENDED',
      usage: 0,
      limit: 2,
    });
  });
});

describe('effects of validations', () => {
  test('concurrent first validations start the term once, on the basis first_validation', async () => {
    const issued = await newLicense(suite.tenant, {
      duration_days: 30,
      expiry_basis: 'first_validation',
      require_activation: true,
    });
    expect((await validate(issued.key)).body.data).toMatchObject({ valid: false, license: { expires_at: null } });
    await activate(issued.key, 'a');
    const answers = await Promise.all(Array.from({ length: 10 }, () => validate(issued.key, { fingerprint: 'a' })));
    const expiries = new Set(answers.map((answer) => answer.body.data.license.expires_at));
    expect(expiries.size).toBe(1);
    const [expires] = expiries;
    expect(Math.round((Date.parse(expires) - Date.now()) / dayMs)).toBe(30);
    expect((await suite.tenant.asOwner('GET', `/licenses/${issued.id}`)).body.data.expires_at).toBe(expires);
    await suite.tenant.asOwner('PUT', `/licenses/${issued.id}`, { expires_at: null });
    expect((await validate(issued.key, { fingerprint: 'a' })).body.data.license.expires_at).toBeNull();
    expect(await eventsOf(suite.tenant, issued.id)).toEqual([
      'LICENSE.UPDATED',
      'LICENSE.TERM_STARTED',
      'LICENSE.CREATED',
    ]);
  });

  test('last_validated_at is visible immediately and stored after a flush; a denial does not change it', async () => {
    const issued = await newLicense(suite.tenant);
    const read = async () => (await suite.tenant.asOwner('GET', `/licenses/${issued.id}`)).body.data.last_validated_at;
    const stored = () =>
      suite.app.services.tenants.withTenantDb(suite.tenant.id, async ({ query }) => {
        const row = await query
          .selectFrom('licenses')
          .select('last_validated_at')
          .where('id', '=', issued.id)
          .executeTakeFirst();
        return row?.last_validated_at;
      });
    const { checked_at } = (await validate(issued.key)).body.data;
    expect(await read()).toBe(checked_at);
    const denied = await validate(issued.key, { product: 'another' });
    expect(denied.body.data).toMatchObject({ valid: false, license: { last_validated_at: checked_at } });
    await suite.app.services.validationTimes.flush();
    expect(await stored()).toBe(checked_at);
    clock.advance(1000);
    await validate(issued.key, { product: 'another' });
    await suite.tenant.asOwner('PUT', `/licenses/${issued.id}`, { max_activations: 3 });
    await suite.app.services.validationTimes.flush();
    expect([await read(), await stored()]).toEqual([checked_at, checked_at]);
  });

  test('among many written together, no last_validated_at is replaced by an older one', async () => {
    const { validationTimes: validations, tenants } = suite.app.services;
    const licenses = await Promise.all(Array.from({ length: 5 }, () => newLicense(suite.tenant)));
    const times = ['2026-11-20T12:00:03.000000Z', '2026-11-20T12:00:01.000000Z', '2026-11-20T12:00:02.000000Z'];
    for (const [round, at] of times.entries()) {
      for (const { id } of licenses.slice(round)) validations.record(suite.tenant, id, at);
      await validations.flush();
    }
    const ids = licenses.map(({ id }) => id);
    const stored = await tenants.withTenantDb(suite.tenant.id, ({ query }) =>
      query.selectFrom('licenses').select(['id', 'last_validated_at as at']).where('id', 'in', ids).execute(),
    );
    expect(new Set(stored.map(({ at }) => at))).toEqual(new Set(times.slice(0, 1)));
    expect(stored).toHaveLength(licenses.length);
  });

  test('last_validated_at of a tenant whose database fails is retried, and other tenants are written', async () => {
    const { services } = suite.app;
    let isDown = true;
    const validations = new ValidationTimes({
      logger: services.logger,
      withTenant: {
        withTenantDb: (tenantId, work) =>
          isDown && tenantId === suite.tenant.id
            ? Promise.reject(new Error('This database is down.'))
            : services.tenants.withTenantDb(tenantId, work),
        hasConnectionAtHand: () => true,
      },
    });
    const failing = await newLicense(suite.tenant);
    const working = await newLicense(stranger);
    const at = services.clock.now();
    validations.record(suite.tenant, failing.id, at);
    validations.record(stranger, working.id, at);
    const read = async () => [
      (await suite.tenant.asOwner('GET', `/licenses/${failing.id}`)).body.data.last_validated_at,
      (await stranger.asOwner('GET', `/licenses/${working.id}`)).body.data.last_validated_at,
    ];
    await validations.flush();
    expect(await read()).toEqual([null, at]);
    expect(validations.newest(failing.id, null)).toBe(at);
    isDown = false;
    await validations.close();
    expect(await read()).toEqual([at, at]);
  });
});

test('verdicts are counted by their code', async () => {
  const counted = async () => {
    const { text } = await suite.app.request({ method: 'GET', url: '/metrics' });
    return Number(/^validations_total\{code="LICENSE\.NOT_FOUND"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const before = await counted();
  await validate('NO-SUCH-LICENSE');
  await validate('NO-SUCH-LICENSE');
  expect(await counted()).toBe(before + 2);
});
