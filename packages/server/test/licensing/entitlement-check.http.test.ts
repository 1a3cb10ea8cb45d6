import { beforeAll, describe, expect, test } from 'vitest';
import { createTenant, type TestTenant, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { defineEntitlements, newLicense } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useTenant();
let stranger: TestTenant;

beforeAll(async () => {
  stranger = await createTenant(suite.app, suite.admin, 'Other');
  const types = { export: 'boolean', seats: 'value', calls: 'metered', pages: 'metered', spare: 'boolean' };
  await defineEntitlements(suite.tenant, types);
});

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const check = (key: string, entitlements?: string[]) =>
  suite.tenant.asApplication(`/licenses/${key}/entitlements/check`, entitlements && { entitlements });
const use = (key: string, entitlement: string, quantity: number) =>
  suite.tenant.asApplication(`/licenses/${key}/usage`, { events: [{ entitlement, quantity }] });

const granted = [
  { code: 'export' },
  { code: 'seats', value: 5 },
  { code: 'calls', limit: 10, reset: 'month' },
  { code: 'pages', limit: 3, overage: 'allow' },
];

interface Check {
  readonly code: string;
  readonly has_access: boolean;
  readonly reason: string | null;
}

describe('entitlement checks', () => {
  test('a check without codes returns every entitlement of policy and license, with types and counters', async () => {
    const overrides = [
      { code: 'seats', value: 9 },
      { code: 'spare', expires_at: inDays(1) },
      { code: 'export', value: false },
    ];
    const license = await newLicense(suite.tenant, { entitlements: granted }, { entitlements: overrides });
    await use(license.key, 'calls', 4);
    await use(license.key, 'pages', 5);
    const answer = await check(license.key);
    expect(answer.status, answer.text).toBe(200);
    const none = { usage: null, remaining: null, overage: null, resets_at: null, expires_at: null };
    const access = { has_access: true, value: null, limit: null, ...none, reason: null };
    expect(answer.body.data.entitlements).toEqual([
      {
        ...access,
        code: 'export',
        type: 'boolean',
        value: false,
        has_access: false,
        source: 'license',
        reason: 'ENTITLEMENT.NOT_GRANTED',
      },
      { ...access, code: 'seats', type: 'value', value: 9, source: 'license' },
      {
        ...access,
        code: 'calls',
        type: 'metered',
        limit: 10,
        usage: 4,
        remaining: 6,
        overage: 'deny',
        resets_at: '2026-12-01T00:00:00.000000Z',
        source: 'policy',
      },
      {
        ...access,
        code: 'pages',
        type: 'metered',
        limit: 3,
        usage: 5,
        remaining: 0,
        overage: 'allow',
        source: 'policy',
      },
      {
        ...access,
        code: 'spare',
        type: 'boolean',
        expires_at: overrides[1]?.expires_at?.replace('Z', '000Z'),
        source: 'license',
      },
    ]);
  });

  test('a check of codes returns each code once in the requested order, with the reason for no access', async () => {
    const overrides = [{ code: 'spare', expires_at: inDays(0.5) }];
    const license = await newLicense(suite.tenant, { entitlements: granted }, { entitlements: overrides });
    await use(license.key, 'calls', 10);
    clock.advance(dayMs / 2);
    const { body } = await check(license.key, ['spare', 'unknown', 'calls', 'export', 'spare']);
    expect(body.data.entitlements.map((one: Check) => [one.code, one.has_access, one.reason])).toEqual([
      ['spare', false, 'ENTITLEMENT.EXPIRED'],
      ['unknown', false, 'ENTITLEMENT.NOT_GRANTED'],
      ['calls', false, 'ENTITLEMENT.LIMIT_REACHED'],
      ['export', true, null],
    ]);
    expect(body.data.entitlements[1]).toMatchObject({ type: null, source: null });
    expect((await check(license.key, [])).body.data.entitlements).toEqual([]);
  });

  test('a change of limit, reset and overage applies immediately and keeps the usage', async () => {
    const license = await newLicense(suite.tenant, { entitlements: granted });
    await use(license.key, 'calls', 10);
    const calls = async () => (await check(license.key, ['calls'])).body.data.entitlements[0];
    const override = (fields: object) =>
      suite.tenant.asOwner('PUT', `/licenses/${license.id}`, { entitlements: [{ code: 'calls', ...fields }] });
    await override({ limit: 12, reset: 'day' });
    expect(await calls()).toMatchObject({ has_access: true, usage: 10, remaining: 2, source: 'license' });
    await override({ limit: 5, reset: 'none', overage: 'allow' });
    expect(await calls()).toMatchObject({ has_access: true, usage: 10, remaining: 0, resets_at: null });
    await override({ limit: 15 });
    const monthly = { resets_at: '2026-12-01T00:00:00.000000Z', overage: 'deny' };
    expect(await calls()).toMatchObject({ has_access: true, usage: 10, remaining: 5, ...monthly });
    await override({ limit: null });
    expect(await calls()).toMatchObject({ has_access: true, usage: 10, limit: null, remaining: null });
    await override({ limit: 0, reset: 'week' });
    expect(await calls()).toMatchObject({ has_access: false, reason: 'ENTITLEMENT.LIMIT_REACHED', remaining: 0 });
  });

  test.each([
    ['LICENSE.SUSPENDED', {}, {}, ['suspend']],
    ['LICENSE.REVOKED', {}, {}, ['suspend', 'revoke']],
    ['LICENSE.NOT_STARTED', {}, { starts_at: '2027-06-01T00:00:00Z' }, []],
    ['LICENSE.EXPIRED', {}, { starts_at: '2026-01-01T00:00:00Z', expires_at: '2026-02-01T00:00:00Z' }, []],
  ])('a check of an unusable license gives no access: %s', async (code, policy, fields, actions) => {
    const license = await newLicense(suite.tenant, { entitlements: granted, ...policy }, fields);
    for (const action of actions) await suite.tenant.asOwner('POST', `/licenses/${license.id}/${action}`);
    const { status, body } = await check(license.key, ['export', 'calls', 'unknown']);
    expect(status).toBe(200);
    expect(body.data.entitlements).toMatchObject([
      { has_access: false, reason: code, source: 'policy' },
      { has_access: false, reason: code, limit: 10, usage: 0, remaining: 10 },
      { has_access: false, reason: 'ENTITLEMENT.NOT_GRANTED' },
    ]);
  });

  test('an expired license gives access in its grace period and under the strategy allow', async () => {
    const past = { starts_at: '2026-01-01T00:00:00Z', expires_at: inDays(-1) };
    for (const policy of [{ grace_days: 2 }, { expiry_strategy: 'allow' }]) {
      const license = await newLicense(suite.tenant, { entitlements: granted, ...policy }, past);
      expect((await check(license.key, ['export'])).body.data.entitlements[0].has_access).toBe(true);
    }
  });

  test('a check does not count as a validation, so last_validated_at does not change', async () => {
    const license = await newLicense(suite.tenant, { entitlements: granted });
    await check(license.key);
    await suite.app.services.validationTimes.flush();
    expect((await suite.tenant.asOwner('GET', `/licenses/${license.id}`)).body.data.last_validated_at).toBeNull();
  });

  test.each(['unknown', '%20', '..%2f..', 'x'.repeat(300)])('a check with the unknown key %s is a 404', async (key) => {
    const answer = await check(key);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'LICENSE.NOT_FOUND']);
  });

  test('a check of a license of another tenant, or of a deleted license, is a 404', async () => {
    const license = await newLicense(suite.tenant, { entitlements: granted });
    const foreign = await stranger.asApplication(`/licenses/${license.key}/entitlements/check`);
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'LICENSE.NOT_FOUND']);
    await suite.tenant.asOwner('DELETE', `/licenses/${license.id}`);
    expect((await check(license.key)).status).toBe(404);
  });

  test('a check requires the scope entitlements:check', async () => {
    const key = await suite.tenant.asOwner('POST', '/api-keys', { name: 'Reporter', scopes: ['usage:write'] });
    const license = await newLicense(suite.tenant, { entitlements: granted });
    const url = `/api/v1/integration/licenses/${license.key}/entitlements/check`;
    const headers = { 'x-api-key': key.body.data.key };
    const refused = await suite.app.request({ method: 'POST', url, headers });
    expect([refused.status, refused.body.error.code]).toEqual([403, 'AUTH.SCOPE_REQUIRED']);
  });
});
