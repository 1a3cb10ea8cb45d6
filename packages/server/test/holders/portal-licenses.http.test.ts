import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { useTenant } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';
import {
  created,
  defineEntitlements,
  eventsOf,
  newLicense,
  newPolicy,
  newProduct,
} from '../support/licensing-catalog.ts';
import { askPortal, logInHolder, openPortal } from './portal-data.ts';

const clock = useClock();
const suite = useTenant();
let handle: string;
let people = 0;

beforeAll(async () => {
  handle = await openPortal(suite.tenant);
});

const outcome = ({ status, body }: Answer) => [status, body.error?.code];

/** Creates a license of a new holder and logs the holder in. */
async function newHolder(policy: object = {}, fields: object = {}) {
  const email = `holder-${++people}@example.com`;
  const license = await newLicense(suite.tenant, policy, { holder: { name: 'Ada', email }, ...fields });
  const token = await logInHolder(suite.app, suite.tenant, handle, license.id);
  const ask = (method: 'GET' | 'POST', path: string, payload?: object) =>
    askPortal(suite.app, handle, method, path, { token, ...(payload && { payload }) });
  const here = `/licenses/${license.id}`;
  return { email, license, ask, here, read: async () => (await ask('GET', here)).body.data };
}

const activate = async (key: string, fingerprint: string, name = 'Laptop') =>
  created(await suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint, name, platform: 'linux' }));

async function mailsAbout(licenseId: string, type: string): Promise<string[]> {
  const { services } = suite.app;
  const rows = await services.tenants.withTenantDb(suite.tenant.id, ({ query }) =>
    query.selectFrom('holder_mails').selectAll().where('license_id', '=', licenseId).execute(),
  );
  return rows.flatMap((row) => (row.type === type ? [services.keyring.open(row.sealed_values ?? '')] : []));
}

describe('the licenses of a holder', () => {
  test('a license says what it permits, and shows its key only on request', async () => {
    await defineEntitlements(suite.tenant, { renders: 'metered', export: 'boolean', hidden: 'boolean' });
    const product = await newProduct(suite.tenant, { renewal_url: 'https://shop.example.com/renew?id={license_id}' });
    const { license, here, ask, read } = await newHolder(
      {
        product_id: product.id,
        duration_days: 365,
        grace_days: 7,
        max_activations: 2,
        max_deactivations: 3,
        require_activation: true,
        entitlements: [
          { code: 'renders', limit: 100, reset: 'month' },
          { code: 'export', value: true },
          { code: 'hidden', value: false },
        ],
      },
      { entitlements: [{ code: 'renders', limit: 500 }], order_number: `ORDER-${newId()}` },
    );
    await activate(license.key, 'one');
    expect(await read()).toMatchObject({
      id: license.id,
      product: { code: product.code, name: 'Editor' },
      status: 'active',
      works: true,
      expires_at: license.expires_at,
      grace_ends_at: expect.stringMatching(/^2027-11-27/),
      seats: { used: 1, maximum: 2 },
      devices_to_release: 0,
      deactivations_left: 3,
      key_hint: `…${license.key.slice(-4)}`,
      order_number: license.order_number,
      renewal_url: `https://shop.example.com/renew?id=${license.id}`,
      permissions: { release_devices: true, replace_key: false, offline_activation: true },
      terms: {
        duration_days: 365,
        requires_activation: true,
        entitlements: [
          { code: 'renders', name: 'renders', limit: 500, reset: 'month' },
          { code: 'export', value: true },
        ],
      },
    });
    expect((await ask('GET', here)).text).not.toContain(license.key);
    const shown = await ask('GET', `${here}/key`);
    expect([shown.body.data.key, shown.headers['cache-control']]).toEqual([license.key, 'no-store']);
  });

  test('a term that begins with the first activation, and the tolerated devices, are those of the verdict', async () => {
    const terms = {
      duration_months: 12,
      ends_with_month: true,
      expiry_basis: 'first_activation',
      max_activations: 2,
      activation_overage_percent: 50,
    };
    const { license, read } = await newHolder(terms);
    const seats = { maximum: 2, admitted: 3 };
    const length = { duration_days: null, duration_months: 12, ends_with_month: true };
    const pending_term = { begins_with: 'first_activation', ...length };
    expect(await read()).toMatchObject({ expires_at: null, pending_term, seats: { used: 0, ...seats } });
    await activate(license.key, 'first');
    const begun = await read();
    expect(begun).toMatchObject({ pending_term: null, seats: { used: 1, ...seats } });
    expect(begun.expires_at).not.toBeNull();
  });

  test('ids of licenses and devices of other holders are not found, like unknown ids', async () => {
    const [one, other] = [await newHolder(), await newHolder()];
    const device = await activate(other.license.key, 'other');
    const own = await activate(one.license.key, 'own');
    const requests = (licenseId: string, deviceId: string) =>
      [
        ['GET', `/licenses/${licenseId}`],
        ['GET', `/licenses/${licenseId}/key`],
        ['GET', `/licenses/${licenseId}/devices`],
        ['POST', `/licenses/${licenseId}/replace-key`],
        ['POST', `/licenses/${licenseId}/devices/${deviceId}/release`],
        ['POST', `/licenses/${licenseId}/offline-activations`, { request: '{}' }],
      ] as const;
    const answersFor = async (licenseId: string, deviceId: string) =>
      Promise.all(
        requests(licenseId, deviceId).map(async ([method, path, payload]) => {
          const { status, body } = await one.ask(method, path, payload ?? (method === 'POST' ? {} : undefined));
          return [status, body.error];
        }),
      );
    const unknown = await answersFor(newId(), newId());
    expect(await answersFor(other.license.id, device.id)).toEqual(unknown);
    expect(unknown.map(([status]) => status)).toEqual(Array(6).fill(404));
    // The own license with the device of somebody else.
    const foreign = await one.ask('POST', `${one.here}/devices/${device.id}/release`, {});
    expect(outcome(foreign)).toEqual([404, 'ACTIVATION.NOT_FOUND']);
    expect((await one.ask('GET', `${one.here}/devices`)).body.data.map(({ id }: { id: string }) => id)).toEqual([
      own.id,
    ]);
    expect((await other.read()).seats.used).toBe(1);
  });

  test('a license that is deleted, and one without an address, is not listed for any holder', async () => {
    const { license, ask, here } = await newHolder();
    const nameless = await newLicense(suite.tenant, {}, { holder: { name: 'Ada' } });
    const link = await suite.tenant.asOwner('POST', `/licenses/${nameless.id}/portal-link`, {});
    expect(outcome(link)).toEqual([409, 'LICENSE.HOLDER_EMAIL_MISSING']);
    await suite.tenant.asOwner('DELETE', `/licenses/${license.id}`);
    expect(outcome(await ask('GET', here))).toEqual([404, 'LICENSE.NOT_FOUND']);
  });
});

describe('devices', () => {
  test('devices above a lowered limit can be released without limit, and these releases do not count', async () => {
    const { license, ask, here, read } = await newHolder({
      max_activations: 2,
      activation_overage_percent: 50,
      max_deactivations: 1,
      require_activation: true,
    });
    const ids: string[] = [];
    for (const name of ['one', 'two', 'three']) ids.push((await activate(license.key, name)).id);
    const release = async () => {
      const answer = outcome(await ask('POST', `${here}/devices/${ids.at(-1)}/release`, {}));
      if (answer[0] === 200) ids.pop();
      return answer;
    };
    const verdict = async () =>
      (await suite.tenant.asApplication(`/licenses/${license.key}/validate`, { fingerprint: 'one' })).body.data;
    // Within the overage, a release counts as usual.
    expect(await read()).toMatchObject({ seats: { used: 3, maximum: 2 }, devices_to_release: 0 });
    expect(await release()).toEqual([200, undefined]);
    expect(await release()).toEqual([422, 'ACTIVATION.DEACTIVATION_LIMIT_REACHED']);
    ids.push((await activate(license.key, 'three')).id);
    await suite.tenant.asOwner('PUT', `/licenses/${license.id}`, { max_activations: 1 });
    expect(await read()).toMatchObject({
      seats: { used: 3, maximum: 1 },
      deactivations_left: 0,
      devices_to_release: 2,
    });
    expect(await verdict()).toMatchObject({
      valid: false,
      code: 'ACTIVATION.LIMIT_EXCEEDED',
      detail: expect.stringMatching('Release a device'),
    });
    for (const excess of [1, 0]) {
      expect(await release()).toEqual([200, undefined]);
      expect((await read()).devices_to_release).toBe(excess);
    }
    expect(await verdict()).toMatchObject({ valid: true, code: 'LICENSE.VALID' });
    expect(await release()).toEqual([422, 'ACTIVATION.DEACTIVATION_LIMIT_REACHED']);
  });

  test('a release frees the seat, counts once against the limit, is audited as the holder and mailed', async () => {
    const { license, ask, here, read } = await newHolder({
      max_activations: 2,
      max_deactivations: 1,
      lease_seconds: 3600,
    });
    const [one, two] = [await activate(license.key, 'one', "Ada's laptop"), await activate(license.key, 'two')];
    const { data } = (await ask('GET', `${here}/devices`)).body;
    expect(data[1]).toEqual({
      id: one.id,
      name: "Ada's laptop",
      platform: 'linux',
      last_seen_at: one.created_at,
      lease_expires_at: one.lease_expires_at,
      created_at: one.created_at,
    });
    const release = (id: string) => ask('POST', `${here}/devices/${id}/release`, {});
    const released = { released: true, deactivations_left: 0 };
    const answers = await Promise.all([release(one.id), release(one.id), release(one.id)]);
    for (const answer of answers) expect([answer.status, answer.body.data]).toEqual([200, released]);
    expect(await read()).toMatchObject({ seats: { used: 1 }, deactivations_left: 0 });
    expect(outcome(await release(two.id))).toEqual([422, 'ACTIVATION.DEACTIVATION_LIMIT_REACHED']);
    const audit = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${one.id}&actor_type=holder`);
    expect(audit.body.data).toMatchObject([{ event: 'ACTIVATION.DEACTIVATED', actor_type: 'holder' }]);
    const mails = await mailsAbout(license.id, 'portal.device_released');
    expect(mails.map((values) => JSON.parse(values))).toEqual([{ device_name: "Ada's laptop" }]);
    clock.advance(3_600_001);
    expect((await read()).seats.used).toBe(0);
  });
});

describe('the key', () => {
  test('a holder replaces the key if the policy permits it; the old one is unknown at once', async () => {
    const { license, ask, here, read } = await newHolder({ holder_may_replace_key: true });
    expect((await read()).permissions.replace_key).toBe(true);
    const { key } = (await ask('POST', `${here}/replace-key`, {})).body.data;
    expect(key).not.toBe(license.key);
    const validate = async (value: string) =>
      (await suite.tenant.asApplication(`/licenses/${value}/validate`, {})).body.data.code;
    expect([await validate(license.key), await validate(key)]).toEqual(['LICENSE.NOT_FOUND', 'LICENSE.VALID']);
    const record = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${license.id}&event=LICENSE.KEY_ROTATED`);
    expect(record.body.data).toMatchObject([{ actor_type: 'holder' }]);
    await suite.tenant.asOwner('POST', `/licenses/${license.id}/revoke`, {});
    expect(outcome(await ask('POST', `${here}/replace-key`, {}))).toEqual([409, 'LICENSE.TRANSITION_INVALID']);
  });

  test('what the policy or the tenant does not permit is refused and changes nothing', async () => {
    const { license, ask, here } = await newHolder();
    const device = await activate(license.key, 'one');
    expect(outcome(await ask('POST', `${here}/replace-key`, {}))).toEqual([403, 'PORTAL.NOT_PERMITTED']);
    const nothing = { release_devices: false, replace_key: false, offline_activation: false };
    await suite.tenant.asOwner('PUT', '/portal', { permissions: nothing });
    for (const [path, payload] of [
      [`${here}/devices/${device.id}/release`, {}],
      [`${here}/replace-key`, {}],
      [`${here}/offline-activations`, { request: '{}' }],
    ] as const) {
      expect(outcome(await ask('POST', path, payload)), path).toEqual([403, 'PORTAL.NOT_PERMITTED']);
    }
    expect((await ask('GET', here)).body.data.permissions).toEqual(nothing);
    expect(await eventsOf(suite.tenant, license.id)).not.toContain('LICENSE.KEY_ROTATED');
    await suite.tenant.asOwner('PUT', '/portal', {
      permissions: { release_devices: true, replace_key: true, offline_activation: true },
    });
  });
});

describe('offline activation', () => {
  const requestFor = (product: string, fields: object = {}) =>
    JSON.stringify({ format: 'licensing-offline-request-v1', product, fingerprint: 'offline-machine', ...fields });

  test('a request file takes a seat and returns a certificate of the device; repeating it takes no other seat', async () => {
    const product = await newProduct(suite.tenant);
    const policy = {
      product_id: product.id,
      max_activations: 1,
      require_activation: true,
      offline_ttl_seconds_max: 86_400,
    };
    const { license, ask, here, read } = await newHolder(policy);
    const send = (request: string) => ask('POST', `${here}/offline-activations`, { request });
    const request = requestFor(product.code, { name: 'Lab', hostname: 'lab-7', platform: 'linux', extra: 1 });
    const first = await send(`\uFEFF${request}\n`);
    expect(first, first.text).toMatchObject({ status: 200 });
    const { file, file_name, device } = first.body.data;
    expect([file_name, device.name]).toEqual([`${product.code}-certificate.json`, 'Lab']);
    const content = JSON.parse(file);
    expect(content).toMatchObject({
      format: 'licensing-offline-certificate-v1',
      product: product.code,
      license_key: license.key,
    });
    const claims = JSON.parse(Buffer.from(content.certificate.split('.')[1], 'base64url').toString());
    expect(claims).toMatchObject({ sub: license.id, aud: suite.tenant.id, fingerprint: 'offline-machine' });
    expect((await send(request)).body.data.device.id).toBe(device.id);
    expect((await read()).seats).toEqual({ used: 1, maximum: 1, admitted: 1 });
    expect(outcome(await send(request.replace('offline-machine', 'other-machine')))).toEqual([
      422,
      'ACTIVATION.LIMIT_REACHED',
    ]);
  });

  test('a request file of a device with other parts keeps its seat, and the certificate names its new fingerprint', async () => {
    const product = await newProduct(suite.tenant);
    const policy = {
      product_id: product.id,
      max_activations: 1,
      require_activation: true,
      fingerprint_matching: 'most',
    };
    const { ask, here } = await newHolder(policy);
    const send = async (fields: object) => {
      const { body } = await ask('POST', `${here}/offline-activations`, { request: requestFor(product.code, fields) });
      const claims = decodeJwt(JSON.parse(body.data.file).certificate);
      return [body.data.device.id, claims['fingerprint']];
    };
    const components = { board: 'b1', cpu: 'c1', disk: 'd1' };
    const [id] = await send({ components });
    const changed = { fingerprint: 'new', components: { ...components, disk: 'd2' } };
    expect(await send(changed)).toEqual([id, 'new']);
    const invalid = requestFor(product.code, { components: { Disk: 'd1' } });
    const refused = await ask('POST', `${here}/offline-activations`, { request: invalid });
    expect(outcome(refused)).toEqual([422, 'OFFLINE_REQUEST.INVALID']);
  });

  test('a file that is not a request, or one of another product, gets an error that says so, and takes no seat', async () => {
    const { ask, here, read } = await newHolder();
    const other = await newProduct(suite.tenant);
    const { code } = (await read()).product;
    const send = (request: string) => ask('POST', `${here}/offline-activations`, { request });
    for (const text of [
      'no',
      '{}',
      '[]',
      'null',
      '{"format":"licensing-offline-request-v2"}',
      requestFor(code, { fingerprint: '' }),
      requestFor(code, { fingerprint: 'a\nb' }),
    ]) {
      expect(outcome(await send(text)), text).toEqual([422, 'OFFLINE_REQUEST.INVALID']);
    }
    const certificate = await send('{"format":"licensing-offline-certificate-v1"}');
    expect(certificate.body.error.message).toContain('certificate file');
    const wrong = await send(requestFor(other.code));
    expect(outcome(wrong)).toEqual([422, 'OFFLINE_REQUEST.OTHER_PRODUCT']);
    expect(wrong.body.error.message).toContain(other.code);
    expect((await read()).seats.used).toBe(0);
    const policy = await newPolicy(suite.tenant, { product_id: other.id });
    expect(policy.holder_may_replace_key).toBe(false);
  });
});
