import { describe, expect, test } from 'vitest';
import { newPolicy } from '../../server/test/support/licensing-catalog.ts';
import { LicensingClient, verifyCertificate } from '../src/index.ts';
import { issuer, losingFirstResponse, useLiveService } from './support/live-service.ts';

const service = useLiveService();
const licenseKey = async (policy?: object, fields?: object) => (await service.license(policy, fields)).key;

describe('validate', () => {
  test('a valid license has a valid verdict in camelCase, with the metadata as they were stored', async () => {
    const metadata = { order_id: 7, nested: { seat_count: 1 } };
    const key = await licenseKey({ max_activations: 3 }, { metadata });
    const verdict = await service.client().validate(key);
    expect(verdict).toMatchObject({ valid: true, code: 'LICENSE.VALID', nonce: null, activation: null });
    expect(verdict.license).toMatchObject({ key, maxActivations: 3, activationsCount: 0, metadata });
    expect(verdict.entitlements[0]).toMatchObject({ code: 'export', hasAccess: true, resetsAt: null });
  });

  test.each(['no-such-key', '', '.', '..', 'a/b?c#d', '🔑', '\ud800', 'x'.repeat(5000), '%2e%2e'])(
    'the key %j of no license has a negative verdict',
    async (key) => {
      expect(await service.client().validate(key)).toMatchObject({
        valid: false,
        code: 'LICENSE.NOT_FOUND',
        license: null,
      });
    },
  );

  test('a key with characters that mean something in a URL is found', async () => {
    const key = "A1._~!$&'()*+,;=:@-";
    await licenseKey({}, { key });
    expect(await service.client().validate(key)).toMatchObject({ valid: true, license: { key } });
  });

  test('the conditions decide', async () => {
    const key = await licenseKey({ maintenance_days: 1 });
    expect(await service.client().validate(key, { entitlements: ['print'] })).toMatchObject({
      code: 'ENTITLEMENT.NOT_GRANTED',
    });
    expect(await service.client().validate(key, { product: 'other' })).toMatchObject({
      code: 'LICENSE.PRODUCT_MISMATCH',
    });
    const versionReleasedAt = new Date(Date.now() + 3 * 86_400_000);
    expect(await service.client().validate(key, { versionReleasedAt })).toMatchObject({
      code: 'LICENSE.MAINTENANCE_EXPIRED',
    });
  });
});

describe('activations', () => {
  test('a device is activated once, renews its lease, and frees its seat', async () => {
    const key = await licenseKey({ max_activations: 1, lease_seconds: 600 });
    const activation = await service.client().activate(key, {
      fingerprint: 'device',
      name: 'Laptop',
      metadata: { os_name: 'x' },
    });
    expect(activation).toMatchObject({ fingerprint: 'device', name: 'Laptop', metadata: { os_name: 'x' } });
    expect(await service.client().activate(key, { fingerprint: 'device' })).toMatchObject({ id: activation.id });
    expect(await service.client().heartbeat(key, activation.id)).toMatchObject({ id: activation.id, status: 'active' });
    expect(await service.client().deactivate(key, activation.id)).toEqual({ deleted: true, id: activation.id });
    await expect(service.client().heartbeat(key, activation.id)).rejects.toMatchObject({ status: 404 });
  });

  test('an activation above the limit is an error with the request id of the service', async () => {
    const key = await licenseKey({ max_activations: 1 });
    await service.client().activate(key, { fingerprint: 'first' });
    const failure = service.client().activate(key, { fingerprint: 'second' });
    await expect(failure).rejects.toMatchObject({
      name: 'LicensingError',
      code: 'ACTIVATION.LIMIT_REACHED',
      status: 422,
      requestId: expect.stringMatching(/^[\w.-]+$/),
    });
  });

  test('an invalid request names every invalid field', async () => {
    const key = await licenseKey();
    await expect(service.client().activate(key, { fingerprint: '', name: '' })).rejects.toMatchObject({
      code: 'VALIDATION.FAILED',
      details: [{ field: 'fingerprint' }, { field: 'name' }],
    });
  });
});

describe('entitlements and usage', () => {
  test('reported usage is counted once for each event', async () => {
    const key = await licenseKey();
    const events = [{ entitlement: 'renders', quantity: 3, occurredAt: new Date() }];
    const report = await service.client().reportUsage(key, events, { idempotencyKey: 'batch-1' });
    expect(report).toMatchObject({
      results: [{ index: 0, status: 'accepted' }],
      counters: [{ usage: 3, remaining: 7 }],
    });
    expect(await service.client().reportUsage(key, events, { idempotencyKey: 'batch-1' })).toEqual(report);
    const sameEvent = [{ ...events[0], entitlement: 'renders', quantity: 3, idempotencyKey: 'batch-1-0' }];
    const again = await service.client().reportUsage(key, sameEvent);
    expect(again.results).toEqual([{ index: 0, status: 'duplicate', reason: null }]);
    const { entitlements } = await service.client().checkEntitlements(key, ['renders', 'print']);
    expect(entitlements).toMatchObject([
      { code: 'renders', hasAccess: true, usage: 3 },
      { code: 'print', hasAccess: false, reason: 'ENTITLEMENT.NOT_GRANTED' },
    ]);
    expect((await service.client().checkEntitlements(key)).entitlements).toHaveLength(2);
  });
});

describe('a response that is lost after the service acted', () => {
  test('leaves one activation', async () => {
    const key = await licenseKey({ max_activations: 1 });
    await service.client(losingFirstResponse()).activate(key, { fingerprint: 'device' });
    expect((await service.client().validate(key)).license?.activationsCount).toBe(1);
  });

  test('counts usage once, and the retry has the first result', async () => {
    const key = await licenseKey();
    const { results, counters } = await service
      .client(losingFirstResponse())
      .reportUsage(key, [{ entitlement: 'renders', quantity: 4 }]);
    expect(results).toMatchObject([{ status: 'accepted' }]);
    expect(counters).toMatchObject([{ usage: 4 }]);
  });
});

describe('certificates', () => {
  test('an issued certificate is valid offline, for its device and its product', async () => {
    const { key, product } = await service.license({ entitlements: [{ code: 'export' }], max_activations: 1 });
    await service.client().activate(key, { fingerprint: 'device' });
    const { certificate, expiresAt } = await service
      .client()
      .issueCertificate(key, { fingerprint: 'device', ttlSeconds: 3600 });
    const jwks = await service.client().jwks(service.tenant.id);
    const verdict = await verifyCertificate(certificate, {
      jwks,
      issuer,
      audience: service.tenant.id,
      fingerprint: 'device',
      product,
    });
    expect(verdict).toMatchObject({ valid: true, code: 'LICENSE.VALID', activation: { fingerprint: 'device' } });
    expect(verdict.license).toMatchObject({ keyHint: `…${key.slice(-4)}`, product });
    expect(verdict.entitlements).toMatchObject([{ code: 'export', hasAccess: true, reason: null }]);
    expect(verdict.claims?.exp).toBe(Date.parse(expiresAt) / 1000);
  });

  test('a license that may not be used gets no certificate', async () => {
    const policy = await newPolicy(service.tenant, { require_activation: true });
    const license = await service.tenant.asOwner('POST', '/licenses', { policy_id: policy.id });
    await expect(service.client().issueCertificate(license.body.data.key)).rejects.toMatchObject({
      code: 'ACTIVATION.FINGERPRINT_REQUIRED',
      status: 422,
    });
  });
});

test('an unknown API key is an error that does not contain the key', async () => {
  const apiKey = `vx_${'0'.repeat(64)}`;
  const failure = await new LicensingClient({ baseUrl: service.baseUrl, apiKey })
    .validate('key')
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'AUTH.INVALID_API_KEY', status: 401 });
  expect(`${JSON.stringify(failure)} ${String((failure as Error).stack)}`).not.toContain(apiKey);
});
