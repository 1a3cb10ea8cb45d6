import { createLocalJWKSet, jwtVerify } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { bothSurfaces, createTenant, type TestTenant, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { badFields, created, defineEntitlements, newLicense } from '../support/licensing-catalog.ts';

// What the page of a license needs: its verdict, its certificate, its effective entitlements and limits.

useClock();
const suite = useTenant();
let stranger: TestTenant;

beforeAll(async () => {
  stranger = await createTenant(suite.app, suite.admin, 'Other');
});

/** Removes what differs between any two validations. */
function comparable({ checked_at: _at, proof, license, ...rest }: Record<string, unknown>) {
  return { ...rest, isSigned: proof !== undefined, license: { ...(license as object), last_validated_at: null } };
}

async function validationsCounted(): Promise<number> {
  const { text } = await suite.app.request({ method: 'GET', url: '/metrics' });
  return Number(/validations_total\{code="LICENSE.VALID"\} (\d+)/.exec(text)?.[1] ?? 0);
}

describe.each(bothSurfaces(suite))('through the $surface surface', ({ prefix, auth }) => {
  const send = (method: 'GET' | 'POST', path: string, payload?: object) =>
    suite.app.request({ method, url: `${prefix()}/licenses${path}`, headers: auth(), ...(payload && { payload }) });

  test('a validation by id has the verdict of the Integration API, valid or not', async () => {
    const license = await newLicense(suite.tenant, { require_activation: true, max_activations: 1 });
    await suite.tenant.asApplication(`/licenses/${license.key}/activations`, { fingerprint: 'a' });
    const questions = [
      {},
      { fingerprint: 'a', nonce: 'n-1' },
      { fingerprint: 'b' },
      { fingerprint: 'a', entitlements: ['absent'] },
      { fingerprint: 'a', product: 'another' },
      { fingerprint: 'a', version_released_at: '2026-01-01T00:00:00Z' },
      { fingerprint: 'a', proof: true, nonce: 'n'.repeat(16) },
    ];
    for (const question of questions) {
      const own = await send('POST', `/${license.id}/validate`, question);
      const application = await suite.tenant.asApplication(`/licenses/${license.key}/validate`, question);
      expect(own.status, own.text).toBe(200);
      expect(comparable(own.body.data)).toEqual(comparable(application.body.data));
    }
    await suite.tenant.asOwner('POST', `/licenses/${license.id}/revoke`);
    const verdict = (await send('POST', `/${license.id}/validate`)).body.data;
    expect(verdict).toMatchObject({ valid: false, code: 'LICENSE.REVOKED', license: { id: license.id } });
  });

  test.for(['validate', 'certificate'])(
    'a %s by id changes nothing: it neither counts nor starts the term',
    async (action) => {
      const license = await newLicense(suite.tenant, { expiry_basis: 'first_validation', duration_days: 1 });
      const counted = await validationsCounted();
      const answer = await send('POST', `/${license.id}/${action}`);
      const untouched = { expires_at: null, last_validated_at: null };
      expect(answer.status, answer.text).toBe(200);
      if (action === 'validate') expect(answer.body.data).toMatchObject({ valid: true, license: untouched });
      expect((await send('GET', `/${license.id}`)).body.data).toMatchObject({
        ...untouched,
        updated_at: license.updated_at,
      });
      expect(await validationsCounted()).toBe(counted);
      const { body } = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${license.id}`);
      expect(body.data).toMatchObject([{ event: 'LICENSE.CREATED' }]);
      const started = await suite.tenant.asApplication(`/licenses/${license.key}/validate`);
      const { expires_at, last_validated_at } = started.body.data.license;
      expect(Date.parse(expires_at) - Date.parse(last_validated_at)).toBe(86_400_000);
      await send('POST', `/${license.id}/${action}`);
      expect((await send('GET', `/${license.id}`)).body.data).toMatchObject({ expires_at, last_validated_at });
    },
  );

  test('a certificate by id is signed for the license, and refused with the code of a negative verdict', async () => {
    const license = await newLicense(suite.tenant, { offline_ttl_seconds_max: 3600 });
    const answer = await send('POST', `/${license.id}/certificate`, { fingerprint: 'a', ttl_seconds: 60 });
    expect(answer.status, answer.text).toBe(200);
    const keys = await suite.app.request({ method: 'GET', url: `/api/v1/tenants/${suite.tenant.id}/jwks.json` });
    const { payload } = await jwtVerify(answer.body.data.certificate, createLocalJWKSet(keys.body), {
      currentDate: new Date(),
    });
    expect(payload).toMatchObject({ sub: license.id, aud: suite.tenant.id, fingerprint: 'a' });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
    await suite.tenant.asOwner('POST', `/licenses/${license.id}/suspend`);
    const refused = await send('POST', `/${license.id}/certificate`);
    expect([refused.status, refused.body.error.code]).toEqual([422, 'LICENSE.SUSPENDED']);
  });

  test('the effective entitlements name origin, limit and use, and what withholds them', async () => {
    await defineEntitlements(suite.tenant, { export: 'boolean', calls: 'metered', seats: 'value' });
    const grants = [{ code: 'export' }, { code: 'calls', limit: 10, reset: 'month' }, { code: 'seats', value: 3 }];
    const overrides = [
      { code: 'calls', limit: 20 },
      { code: 'seats', value: false },
    ];
    const { id, key } = await newLicense(suite.tenant, { entitlements: grants }, { entitlements: overrides });
    await suite.tenant.asApplication(`/licenses/${key}/usage`, { events: [{ entitlement: 'calls', quantity: 4 }] });
    const read = async () => (await send('GET', `/${id}/entitlements`)).body.data.entitlements;
    expect(await read()).toMatchObject([
      { code: 'export', source: 'policy', has_access: true, usage: null },
      {
        code: 'calls',
        source: 'license',
        limit: 20,
        usage: 4,
        remaining: 16,
        resets_at: '2026-12-01T00:00:00.000000Z',
      },
      { code: 'seats', source: 'license', has_access: false, reason: 'ENTITLEMENT.NOT_GRANTED' },
    ]);
    const asked = await suite.tenant.asApplication(`/licenses/${key}/entitlements/check`);
    expect(await read()).toEqual(asked.body.data.entitlements);
    await suite.tenant.asOwner('POST', `/licenses/${id}/suspend`);
    expect((await read())[1]).toMatchObject({ has_access: false, usage: 4, reason: 'LICENSE.SUSPENDED' });
  });

  test('a license and its list name the product, the policy and the effective limit of devices', async () => {
    const license = await newLicense(suite.tenant, { name: 'Team', max_activations: 3 });
    const details = {
      product_name: 'Editor',
      policy_name: 'Team',
      max_activations: null,
      activations_limit: 3,
      activations_admitted: 3,
      pending_term: null,
      refused_since: null,
    };
    expect((await send('GET', `/${license.id}?include=details`)).body.data).toEqual({ ...license, ...details });
    await suite.tenant.asOwner('PUT', `/licenses/${license.id}`, { max_activations: 5 });
    const { body } = await send('GET', `?key=${license.key}&include=details`);
    expect(body.data).toMatchObject([
      { ...details, max_activations: 5, activations_limit: 5, activations_admitted: 5 },
    ]);
    const unlimited = await newLicense(suite.tenant);
    expect((await send('GET', `/${unlimited.id}?include=details`)).body.data.activations_limit).toBeNull();
  });

  test('a missing, deleted or foreign license is a 404 for its verdict, certificate and entitlements', async () => {
    const deleted = await newLicense(suite.tenant);
    await suite.tenant.asOwner('DELETE', `/licenses/${deleted.id}`);
    for (const { id } of [deleted, await newLicense(stranger), suite.tenant]) {
      for (const [method, action] of [
        ['POST', 'validate'],
        ['POST', 'certificate'],
        ['GET', 'entitlements'],
      ] as const) {
        const answer = await send(method, `/${id}/${action}`);
        expect([action, answer.status, answer.body.error.code]).toEqual([action, 404, 'LICENSE.NOT_FOUND']);
      }
    }
  });

  test('a signed verdict without a nonce is refused', async () => {
    const { id } = await newLicense(suite.tenant);
    const answer = await send('POST', `/${id}/validate`, { proof: true });
    expect([answer.status, badFields(answer)]).toEqual([422, ['nonce']]);
  });

  test('activations name the key and the holder of their license', async () => {
    const holder = { name: 'Ada Lovelace', email: 'ada@example.com', reference: 'c-1' };
    const { key } = await newLicense(suite.tenant, {}, { holder });
    const made = created(await suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'named' }));
    const url = `${prefix()}/activations?license_id=${made.license_id}&include=details`;
    const { body } = await suite.app.request({ method: 'GET', url, headers: auth() });
    expect(body.data).toEqual([{ ...made, components: [], license: { key, holder } }]);
    const one = await suite.tenant.asOwner('GET', `/activations/${made.id}?include=details`);
    expect(one.body.data).toEqual(body.data[0]);
  });
});
