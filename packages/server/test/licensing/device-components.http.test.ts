import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import type { TenantDb } from '../../src/db/database.ts';
import { removeSeal, seal } from '../../src/db/seal.ts';
import { useTenant } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';
import { badFields, created, eventsOf, newLicense, newPolicy, newProduct } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useTenant();

type Components = Readonly<Record<string, string>>;
const sealId = '0'.repeat(32);
const device = { board: 'b1', cpu: 'c1', disk: 'd1', mac: 'm1', os: 'o1' };
const changed = { ...device, disk: 'd2' };
const sameSeries = { ...device, board: 'b2', disk: 'd3', mac: 'm2' };

/** The fingerprint of components as the documentation defines it. */
const fingerprintOf = (components: Components) => {
  const lines = Object.entries(components).map(([name, value]) => `${name}=${value}`);
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
};
const ask = (key: string, action: string, body: object) =>
  suite.tenant.asApplication(`/licenses/${key}/${action}`, body);
const activate = (key: string, body: object) => ask(key, 'activations', body);
const validate = async (key: string, body: object) => (await ask(key, 'validate', body)).body.data;
const forgiving = (fingerprint_matching: string, policy: object = {}) =>
  newLicense(suite.tenant, { fingerprint_matching, require_activation: true, max_activations: 1, ...policy });
const outcome = ({ status, body }: Answer) => [status, body.error?.code ?? body.data.id];
const detailsOf = async (id: string) =>
  (await suite.tenant.asOwner('GET', `/activations/${id}?include=details`)).body.data;

async function changesOf(id: string) {
  const { body } = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${id}&limit=100`);
  return body.data
    .filter((record: { event: string }) => record.event === 'ACTIVATION.COMPONENTS_CHANGED')
    .map(({ changes }: { changes: object[] }) => changes)
    .reverse();
}

describe('a device that sends its components', () => {
  test.for([
    ['exact', changed, false],
    ['exact', device, true],
    ['most', device, true],
    ['most', changed, true],
    ['most', sameSeries, false],
    ['most', { cpu: 'c1', os: 'o1' }, false],
    ['most', { ...device, tpm: 't1', gpu: 'g1' }, true],
    ['any', sameSeries, true],
    ['any', { board: 'x', cpu: 'x', disk: 'x', mac: 'x', os: 'x' }, false],
  ] as const)('on a policy with %s, a device that sends %j is the same: %s', async ([matching, sent, isSame]) => {
    const { key } = await forgiving(matching);
    const { id } = created(await activate(key, { components: device }));
    expect((await validate(key, { components: sent })).code).toBe(isSame ? 'LICENSE.VALID' : 'ACTIVATION.NOT_FOUND');
    const again = await activate(key, { components: sent });
    expect(outcome(again)).toEqual(isSame ? [200, id] : [422, 'ACTIVATION.LIMIT_REACHED']);
    expect((await activate(key, { components: sent })).status).toBe(again.status);
  });

  test('without a fingerprint, it has that of its components in its activation, its history and its proof', async () => {
    const license = await forgiving('exact');
    const fingerprint = fingerprintOf(device);
    expect(created(await activate(license.key, { components: device })).fingerprint).toBe(fingerprint);
    const verdict = await validate(license.key, { components: device, proof: true, nonce: 'n'.repeat(16) });
    expect([verdict.valid, verdict.activation.fingerprint]).toEqual([true, fingerprint]);
    expect(decodeJwt(verdict.proof)['fingerprint']).toBe(fingerprint);
    expect((await validate(license.key, { fingerprint })).valid).toBe(true);
    await suite.app.services.deviceHistory.flush();
    const checks = (await suite.tenant.asOwner('GET', `/licenses/${license.id}/checks`)).body.data;
    expect(new Set(checks.map((check: { fingerprint: string }) => check.fingerprint))).toEqual(new Set([fingerprint]));
  });

  test('a device with a changed fingerprint and the same components is the same', async () => {
    const { key } = await forgiving('most');
    const { id } = created(await activate(key, { fingerprint: 'installed once', components: device }));
    const verdict = await validate(key, { fingerprint: 'installed twice', components: device });
    expect([verdict.code, verdict.activation]).toMatchObject(['LICENSE.VALID', { id, fingerprint: 'installed twice' }]);
    expect((await validate(key, { fingerprint: 'installed twice' })).valid).toBe(true);
    expect((await validate(key, { fingerprint: 'installed once' })).code).toBe('ACTIVATION.NOT_FOUND');
    expect(await changesOf(id)).toEqual([[{ field: 'fingerprint', old: 'installed once', new: 'installed twice' }]]);
  });

  test('a certificate has the fingerprint that the changed device computes, and lasts as long as its lease', async () => {
    const { key, id } = await forgiving('most', { lease_seconds: 600 });
    created(await activate(key, { components: device }));
    const byVendor = await suite.tenant.asOwner('POST', `/licenses/${id}/certificate`, { components: changed });
    const issued = await ask(key, 'certificate', { components: changed });
    for (const { body } of [byVendor, issued]) {
      const { fingerprint, exp = 0, iat = 0 } = decodeJwt(body.data.certificate);
      expect([fingerprint, exp - iat]).toEqual([fingerprintOf(changed), 600]);
    }
    expect((await validate(key, { fingerprint: fingerprintOf(changed) })).valid).toBe(true);
    const refused = await ask(key, 'certificate', { components: sameSeries });
    expect(outcome(refused)).toEqual([422, 'ACTIVATION.NOT_FOUND']);
  });

  test('a validation by the vendor recognises a changed device and changes nothing', async () => {
    const { key, id } = await forgiving('most');
    const activation = created(await activate(key, { components: device }));
    const tried = await suite.tenant.asOwner('POST', `/licenses/${id}/validate`, { components: changed });
    expect(tried.body.data).toMatchObject({ valid: true, activation: { id: activation.id } });
    expect(tried.body.data.activation.fingerprint).toBe(fingerprintOf(device));
    expect(await eventsOf(suite.tenant, activation.id)).toEqual(['ACTIVATION.CREATED']);
  });

  test('a denied validation stores nothing about a changed device', async () => {
    const { key, id } = await forgiving('most');
    const activation = created(await activate(key, { components: device }));
    await suite.tenant.asOwner('POST', `/licenses/${id}/suspend`);
    expect((await validate(key, { components: changed })).code).toBe('LICENSE.SUSPENDED');
    expect((await detailsOf(activation.id)).fingerprint).toBe(fingerprintOf(device));
  });

  test('a changed device is valid while its tenant is moved, and the first validation afterwards stores it', async () => {
    const { key } = await forgiving('most');
    const { id } = created(await activate(key, { components: device }));
    const inDatabase = (work: (db: TenantDb) => Promise<unknown>) =>
      suite.app.services.tenants.withTenantDb(suite.tenant.id, work);
    await inDatabase((db) => seal(db, sealId, 5000));
    const during = await validate(key, { components: changed });
    await inDatabase((db) => removeSeal(db, sealId, async () => undefined));
    expect(during).toMatchObject({ valid: true, activation: { id, fingerprint: fingerprintOf(device) } });
    const afterwards = await validate(key, { components: changed });
    expect(afterwards).toMatchObject({ valid: true, activation: { id, fingerprint: fingerprintOf(changed) } });
  });

  test('a device that loses one component after another stays the same, and its audit log shows each', async () => {
    const { key } = await forgiving('most');
    const { id } = created(await activate(key, { components: device }));
    const parts: Record<string, string> = { ...device };
    for (const name of ['disk', 'mac', 'board', 'cpu', 'os']) {
      clock.advance(60_000);
      parts[name] = 'next';
      expect(outcome(await activate(key, { components: parts }))).toEqual([200, id]);
    }
    for (const name of ['disk', 'mac', 'board']) {
      clock.advance(60_000);
      delete parts[name];
      expect((await validate(key, { components: parts })).activation.id).toBe(id);
    }
    const names = (await changesOf(id)).map((changes: { field: string; new: string }[]) =>
      changes.filter(({ field }) => field !== 'fingerprint').map((change) => `${change.field} ${change.new}`),
    );
    expect(names).toEqual([
      ...['disk', 'mac', 'board', 'cpu', 'os'].map((name) => [`components.${name} changed`]),
      ...['disk', 'mac', 'board'].map((name) => [`components.${name} missing`]),
    ]);
    expect(await detailsOf(id)).toMatchObject({ components: ['cpu', 'os'], fingerprint: fingerprintOf(parts) });
    expect((await validate(key, { components: { ...sameSeries, ...parts } })).code).toBe('ACTIVATION.NOT_FOUND');
  });

  test('a device that gets new parts over the years is known by them when its fingerprint changes at last', async () => {
    const { key } = await forgiving('most');
    const { id } = created(await activate(key, { fingerprint: 'first system', components: device }));
    const parts: Record<string, string> = { ...device };
    for (const name of ['disk', 'mac', 'board', 'disk']) {
      parts[name] = `${parts[name]} and later`;
      expect((await validate(key, { fingerprint: 'first system', components: parts })).activation.id).toBe(id);
    }
    expect((await changesOf(id)).length).toBe(4);
    await validate(key, { fingerprint: 'first system', components: parts });
    expect((await changesOf(id)).length).toBe(4);
    expect((await validate(key, { fingerprint: 'second system', components: parts })).activation.id).toBe(id);
    expect((await validate(key, { fingerprint: 'third system', components: device })).valid).toBe(false);
  });

  test('of several devices the most similar one is recognised, and marked in the list of devices', async () => {
    const { key } = await forgiving('most', { max_activations: 3 });
    const other = created(await activate(key, { components: { ...changed, mac: 'm2' } }));
    const own = created(await activate(key, { components: { ...device, mac: 'm3', board: 'b3' } }));
    expect(own.id).not.toBe(other.id);
    const asking = { components: { ...device, mac: 'm3', board: 'b3', os: 'o2' } };
    const { activations } = (await ask(key, 'activations/list', asking)).body.data;
    const marks = activations.map(({ id, is_this_device }: typeof own) => [id, is_this_device]);
    expect(marks).toEqual([
      [own.id, true],
      [other.id, false],
    ]);
    expect((await validate(key, asking)).activation.id).toBe(own.id);
    const exact = (await ask(key, 'activations/list', asking)).body.data.activations;
    expect(exact.map((one: typeof own) => one.is_this_device)).toEqual([true, false]);
  });

  test('a released device and one whose lease has ended are not recognised by their components', async () => {
    const { key } = await forgiving('most', { lease_seconds: 60 });
    const first = created(await activate(key, { components: device }));
    clock.advance(61_000);
    expect((await validate(key, { components: changed })).code).toBe('ACTIVATION.NOT_FOUND');
    const second = created(await activate(key, { components: changed }));
    expect(second.id).not.toBe(first.id);
    await ask(key, `activations/${second.id}/deactivate`, {});
    expect((await validate(key, { components: device })).code).not.toBe('LICENSE.VALID');
    expect(created(await activate(key, { components: { ...changed, os: 'o2' } })).id).not.toBe(second.id);
  });

  test('activating again stores the components of a device that had none, and those of an exact policy', async () => {
    const { key, policy_id } = await forgiving('exact');
    const { id } = created(await activate(key, { fingerprint: 'device' }));
    expect((await detailsOf(id)).components).toEqual([]);
    expect(outcome(await activate(key, { fingerprint: 'device', components: device }))).toEqual([200, id]);
    expect((await detailsOf(id)).components).toEqual(['board', 'cpu', 'disk', 'mac', 'os']);
    await suite.tenant.asOwner('PUT', `/policies/${policy_id}`, { fingerprint_matching: 'most' });
    expect((await validate(key, { fingerprint: 'other', components: changed })).valid).toBe(true);
  });

  test('the trial of a device takes its components, and the device keeps its seat with another disk', async () => {
    const product = await newProduct(suite.tenant);
    const terms = { duration_days: 14, max_activations: 1, require_activation: true, fingerprint_matching: 'most' };
    const policy = await newPolicy(suite.tenant, { product_id: product.id, ...terms });
    await suite.tenant.asOwner('PUT', `/products/${product.id}`, { trial_policy_id: policy.id });
    const start = (body: object) => suite.tenant.asApplication('/trials', { product: product.code, ...body });
    const { license_key: key, activation } = created(await start({ components: device }));
    expect(activation.fingerprint).toBe(fingerprintOf(device));
    expect((await start({ components: device })).body.data.license_key).toBe(key);
    expect((await validate(key, { components: changed })).activation.id).toBe(activation.id);
    expect((await start({ components: device })).body.data).toMatchObject({
      license_key: key,
      activation: { id: activation.id },
    });
    const nameless = await start({});
    expect([nameless.status, badFields(nameless)]).toEqual([422, ['fingerprint']]);
  });

  test('a webhook and a verdict have no components of a device', async () => {
    const { key } = await forgiving('most');
    const activation = created(await activate(key, { components: device }));
    const verdict = await validate(key, { components: device });
    for (const shown of [activation, verdict.activation]) expect(shown).not.toHaveProperty('components');
  });
});

describe('the components of a request', () => {
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`part${index}`, 'x']));
  test.for<[string, unknown, string]>([
    ['no component', {}, 'components'],
    ['17 components', many, 'components'],
    ['a name with a capital letter', { Disk: 'd1' }, 'components.Disk'],
    ['a name of 33 characters', { [`d${'i'.repeat(32)}`]: 'd1' }, `components.d${'i'.repeat(32)}`],
    ['an empty value', { disk: '' }, 'components.disk'],
    ['a value of 129 characters', { disk: 'd'.repeat(129) }, 'components.disk'],
    ['a value with a line feed', { disk: 'd1\nmac=m1' }, 'components.disk'],
    ['a value that is a number', { disk: 7 }, 'components.disk'],
    ['a list', ['disk'], 'components'],
  ])('with %s the request is refused, and the error names the field', async ([, components, field]) => {
    const { key } = await newLicense(suite.tenant);
    for (const action of ['activations', 'validate', 'certificate', 'activations/list']) {
      const refused = await ask(key, action, { fingerprint: 'device', components });
      expect([action, refused.status, ...badFields(refused)]).toEqual([action, 422, field]);
    }
  });

  test('16 components with the longest names and values are stored', async () => {
    const { key } = await forgiving('most');
    const names = Array.from({ length: 16 }, (_, index) => `${'p'.repeat(30)}${String(index).padStart(2, '0')}`);
    const components = Object.fromEntries(names.map((name) => [name, 'v'.repeat(128)]));
    const { id } = created(await activate(key, { components }));
    expect((await detailsOf(id)).components).toEqual(names);
  });
});
