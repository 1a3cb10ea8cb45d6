import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { type Answer, useApp, useClock } from '../support/harness.ts';
import { badFields, created, eventsOf, newLicense } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useApp();
let admin: Account;
let tenant: TestTenant;

beforeAll(async () => {
  admin = await createAdmin(suite.app);
  tenant = await createTenant(suite.app, admin);
});

const activate = (key: string, fingerprint: string, fields: object = {}) =>
  tenant.asApplication(`/licenses/${key}/activations`, { fingerprint, ...fields });
const onActivation = (key: string, id: string, action: 'heartbeat' | 'deactivate') =>
  tenant.asApplication(`/licenses/${key}/activations/${id}/${action}`);
const problem = (answer: Answer) => [answer.status, answer.body.error?.code];

describe('activating', () => {
  test('makes an activation once, and answers the same one again', async () => {
    const license = await newLicense(tenant, { max_activations: 1 });
    const fields = { name: 'Desk', hostname: 'desk.local', platform: 'linux', metadata: { room: 7 } };
    const first = await activate(license.key, 'device', fields);
    expect(first.status).toBe(201);
    expect(first.body.data).toMatchObject({
      ...fields,
      license_id: license.id,
      fingerprint: 'device',
      status: 'active',
      lease_expires_at: null,
      ip: expect.any(String),
    });
    const again = await activate(license.key, 'device', { name: 'Other' });
    expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    const { id } = first.body.data;
    expect((await tenant.asOwner('GET', `/activations/${id}`)).body.data).toEqual(first.body.data);
    expect((await tenant.asOwner('GET', `/licenses/${license.id}`)).body.data.activations_count).toBe(1);
    expect(await eventsOf(tenant, id)).toEqual(['ACTIVATION.CREATED']);
    const listed = await suite.app.request({
      method: 'GET',
      url: `/api/v1/admin/tenants/${tenant.id}/activations?license_id=${license.id}&status=active`,
      headers: admin.auth,
    });
    expect(listed.body.data).toEqual([first.body.data]);
  });

  test.each([
    { limit: 5, overage: 0, requests: 40, admitted: 5 },
    { limit: 2, overage: 50, requests: 12, admitted: 3 },
    { limit: 0, overage: 0, requests: 3, admitted: 0 },
    { limit: 1, overage: null, requests: 6, admitted: 6 },
  ])('of $requests at once with limit $limit and overage $overage %, exactly $admitted are let in', async (row) => {
    const policy = { max_activations: row.limit, activation_overage_percent: row.overage };
    const { key, id } = await newLicense(tenant, policy);
    const answers = await Promise.all(
      Array.from({ length: row.requests }, (_, index) => activate(key, `device-${index}`)),
    );
    const refused = answers.filter((answer) => answer.status !== 201);
    expect(answers.length - refused.length).toBe(row.admitted);
    for (const answer of refused) expect(problem(answer)).toEqual([422, 'ACTIVATION.LIMIT_REACHED']);
    expect((await tenant.asOwner('GET', `/licenses/${id}`)).body.data.activations_count).toBe(row.admitted);
  });

  test('of one device at once makes one activation', async () => {
    const { key } = await newLicense(tenant, { max_activations: 5 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => activate(key, 'device')));
    expect(answers.map((answer) => answer.status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
    expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1);
  });

  test('is refused with the code of the verdict while the license is not usable', async () => {
    const { key, id } = await newLicense(tenant, { duration_days: 1, grace_days: 1 });
    const dayMs = 86_400_000;
    await tenant.asOwner('POST', `/licenses/${id}/suspend`);
    expect(problem(await activate(key, 'a'))).toEqual([422, 'LICENSE.SUSPENDED']);
    await tenant.asOwner('POST', `/licenses/${id}/reinstate`);
    clock.advance(1.5 * dayMs);
    expect((await activate(key, 'a')).status).toBe(201);
    clock.advance(dayMs);
    expect(problem(await activate(key, 'b'))).toEqual([422, 'LICENSE.EXPIRED']);
    await tenant.asOwner('POST', `/licenses/${id}/revoke`);
    expect(problem(await activate(key, 'b'))).toEqual([422, 'LICENSE.REVOKED']);
    const future = await newLicense(tenant, {}, { starts_at: new Date(Date.now() + dayMs).toISOString() });
    expect(problem(await activate(future.key, 'a'))).toEqual([422, 'LICENSE.NOT_STARTED']);
  });

  test('an unknown key is a 404, whatever it looks like', async () => {
    for (const key of ['unknown', '%20', '..%2f..', 'x'.repeat(300), "a'--", '%F0%9F%94%91']) {
      expect([key, ...problem(await activate(key, 'a'))]).toEqual([key, 404, 'LICENSE.NOT_FOUND']);
    }
  });

  test.each([
    [{}, ['fingerprint']],
    [{ fingerprint: '' }, ['fingerprint']],
    [{ fingerprint: 'x'.repeat(256), status: 'active' }, ['fingerprint', 'status']],
    [{ fingerprint: 'a', name: 5, metadata: [] }, ['metadata', 'name']],
    [{ fingerprint: 'a\u0000b' }, ['fingerprint']],
  ])('refuses the body %j', async (body, fields) => {
    const { key } = await newLicense(tenant);
    const refused = await tenant.asApplication(`/licenses/${key}/activations`, body);
    expect([refused.status, badFields(refused)]).toEqual([422, fields]);
  });

  test('begins the term of a license once, on the basis first_activation', async () => {
    const license = await newLicense(tenant, { duration_days: 30, expiry_basis: 'first_activation' });
    expect(license.expires_at).toBeNull();
    const first = created(await activate(license.key, 'a'));
    const expiryOf = async () => (await tenant.asOwner('GET', `/licenses/${license.id}`)).body.data.expires_at;
    const expires = await expiryOf();
    expect(Date.parse(expires) - Date.parse(first.created_at)).toBe(30 * 86_400_000);
    clock.advance(1000);
    await activate(license.key, 'b');
    expect(await expiryOf()).toBe(expires);
    await tenant.asOwner('PUT', `/licenses/${license.id}`, { expires_at: null });
    await activate(license.key, 'c');
    expect(await expiryOf()).toBeNull();
    expect(await eventsOf(tenant, license.id)).toEqual(['LICENSE.UPDATED', 'LICENSE.TERM_STARTED', 'LICENSE.CREATED']);
  });
});

describe('leases', () => {
  test('are renewed by heartbeats, end to the millisecond, and free the seat then', async () => {
    const { key, id: licenseId } = await newLicense(tenant, { max_activations: 1, lease_seconds: 60 });
    const { id, lease_expires_at } = created(await activate(key, 'a'));
    clock.advance(59_000);
    const beat = await onActivation(key, id, 'heartbeat');
    expect(beat.status).toBe(200);
    expect(beat.body.data.lease_expires_at > lease_expires_at).toBe(true);
    clock.advance(59_999);
    expect(problem(await activate(key, 'b'))).toEqual([422, 'ACTIVATION.LIMIT_REACHED']);
    clock.advance(2);
    expect(problem(await onActivation(key, id, 'heartbeat'))).toEqual([404, 'ACTIVATION.NOT_FOUND']);
    expect((await tenant.asOwner('GET', `/licenses/${licenseId}`)).body.data.activations_count).toBe(0);
    expect(
      (await tenant.asOwner('GET', `/activations?license_id=${licenseId}&status=expired`)).body.data,
    ).toMatchObject([{ id, status: 'expired' }]);
    created(await activate(key, 'b'));
    expect(problem(await activate(key, 'a'))).toEqual([422, 'ACTIVATION.LIMIT_REACHED']);
    clock.advance(61_000);
    const back = created(await activate(key, 'a'));
    expect(back.id).not.toBe(id);
    expect((await tenant.asOwner('GET', `/activations/${id}`)).body.data.status).toBe('expired');
  });
});

describe('deactivating', () => {
  test('by the device counts against max_deactivations, repeated it does not', async () => {
    const { key, id: licenseId } = await newLicense(tenant, { max_activations: 1, max_deactivations: 1 });
    const { id } = created(await activate(key, 'a'));
    for (let time = 0; time < 2; time += 1) {
      const answer = await onActivation(key, id, 'deactivate');
      expect([answer.status, answer.body.data]).toEqual([200, { deleted: true, id }]);
    }
    expect(await eventsOf(tenant, id)).toEqual(['ACTIVATION.DEACTIVATED', 'ACTIVATION.CREATED']);
    const second = created(await activate(key, 'a'));
    expect(second.id).not.toBe(id);
    expect(problem(await onActivation(key, second.id, 'deactivate'))).toEqual([
      422,
      'ACTIVATION.DEACTIVATION_LIMIT_REACHED',
    ]);
    const license = (await tenant.asOwner('GET', `/licenses/${licenseId}`)).body.data;
    expect(license).toMatchObject({ deactivations_count: 1, activations_count: 1 });
  });

  test('by the vendor is always allowed, counts nothing, and is audited once', async () => {
    const { key, id: licenseId } = await newLicense(tenant, { max_deactivations: 0 });
    const { id } = created(await activate(key, 'a'));
    for (let time = 0; time < 2; time += 1) {
      expect((await tenant.asOwner('DELETE', `/activations/${id}`)).body.data).toEqual({ deleted: true, id });
    }
    expect(await eventsOf(tenant, id)).toEqual(['ACTIVATION.DEACTIVATED', 'ACTIVATION.CREATED']);
    expect((await tenant.asOwner('GET', `/activations/${id}`)).body.data.status).toBe('deactivated');
    const license = (await tenant.asOwner('GET', `/licenses/${licenseId}`)).body.data;
    expect(license).toMatchObject({ deactivations_count: 0, activations_count: 0 });
    expect(problem(await onActivation(key, id, 'heartbeat'))).toEqual([404, 'ACTIVATION.NOT_FOUND']);
  });

  test('an activation of another license, or of none, is a 404', async () => {
    const one = await newLicense(tenant);
    const other = await newLicense(tenant);
    const { id } = created(await activate(one.key, 'a'));
    for (const action of ['heartbeat', 'deactivate'] as const) {
      expect(problem(await onActivation(other.key, id, action))).toEqual([404, 'ACTIVATION.NOT_FOUND']);
      expect(problem(await onActivation(one.key, newId(), action))).toEqual([404, 'ACTIVATION.NOT_FOUND']);
      expect((await onActivation(one.key, 'no-uuid', action)).status).toBe(404);
    }
    expect((await tenant.asOwner('DELETE', `/activations/${newId()}`)).status).toBe(404);
  });
});
