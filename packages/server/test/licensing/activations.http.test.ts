import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { useTenant } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';
import { created, eventsOf, newLicense } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useTenant();

const activate = (key: string, fingerprint: string, fields: object = {}) =>
  suite.tenant.asApplication(`/licenses/${key}/activations`, { fingerprint, ...fields });
const onActivation = (key: string, id: string, action: 'heartbeat' | 'deactivate') =>
  suite.tenant.asApplication(`/licenses/${key}/activations/${id}/${action}`);
const problem = (answer: Answer) => [answer.status, answer.body.error?.code];

describe('activations', () => {
  test('activating a fingerprint again returns the existing activation unchanged', async () => {
    const license = await newLicense(suite.tenant, { max_activations: 1 });
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
    expect((await suite.tenant.asOwner('GET', `/activations/${id}`)).body.data).toEqual(first.body.data);
    expect((await suite.tenant.asOwner('GET', `/licenses/${license.id}`)).body.data.activations_count).toBe(1);
    expect(await eventsOf(suite.tenant, id)).toEqual(['ACTIVATION.CREATED']);
    const listed = await suite.asAdmin(
      'GET',
      `/tenants/${suite.tenant.id}/activations?license_id=${license.id}&status=active`,
    );
    expect(listed.body.data).toEqual([first.body.data]);
  });

  test.each([
    { limit: 2, overage: 50, requests: 12, admitted: 3 },
    { limit: 0, overage: 0, requests: 3, admitted: 0 },
    { limit: 1, overage: null, requests: 6, admitted: 6 },
  ])('$requests concurrent activations, limit $limit, overage $overage %: exactly $admitted succeed', async (row) => {
    const policy = { max_activations: row.limit, activation_overage_percent: row.overage };
    const { key, id } = await newLicense(suite.tenant, policy);
    const answers = await Promise.all(
      Array.from({ length: row.requests }, (_, index) => activate(key, `device-${index}`)),
    );
    const refused = answers.filter((answer) => answer.status !== 201);
    expect(answers.length - refused.length).toBe(row.admitted);
    for (const answer of refused) expect(problem(answer)).toEqual([422, 'ACTIVATION.LIMIT_REACHED']);
    expect((await suite.tenant.asOwner('GET', `/licenses/${id}`)).body.data.activations_count).toBe(row.admitted);
  });

  test.for([
    ['no holder', undefined, 0],
    ['a holder', { email: 'holder@example.com' }, 1],
  ] as const)('a refusal with an Idempotency-Key stays a refusal, for a license with %s', async ([, holder, mails]) => {
    const { key, id } = await newLicense(suite.tenant, { max_activations: 0 }, { ...(holder && { holder }) });
    const idempotencyKey = newId();
    const request = () =>
      suite.app.request({
        method: 'POST',
        url: `/api/v1/integration/licenses/${key}/activations`,
        headers: { 'x-api-key': suite.tenant.apiKey, 'idempotency-key': idempotencyKey },
        payload: { fingerprint: 'device' },
      });
    for (let times = 0; times < 2; times += 1) {
      expect(problem(await request())).toEqual([422, 'ACTIVATION.LIMIT_REACHED']);
    }
    const queued = await suite.tenant.asOwner('GET', `/mails?license_id=${id}&type=activation.limit_reached`);
    expect(queued.body.data).toHaveLength(mails);
  });

  test('concurrent requests of one device create one activation', async () => {
    const { key } = await newLicense(suite.tenant, { max_activations: 5 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => activate(key, 'device')));
    expect(answers.map((answer) => answer.status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
    expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1);
  });

  test('activating an unusable license is refused with the code of the verdict', async () => {
    const { key, id } = await newLicense(suite.tenant, { duration_days: 1, grace_days: 1 });
    const dayMs = 86_400_000;
    await suite.tenant.asOwner('POST', `/licenses/${id}/suspend`);
    expect(problem(await activate(key, 'a'))).toEqual([422, 'LICENSE.SUSPENDED']);
    await suite.tenant.asOwner('POST', `/licenses/${id}/reinstate`);
    clock.advance(1.5 * dayMs);
    expect((await activate(key, 'a')).status).toBe(201);
    clock.advance(dayMs);
    expect(problem(await activate(key, 'b'))).toEqual([422, 'LICENSE.EXPIRED']);
    await suite.tenant.asOwner('POST', `/licenses/${id}/revoke`);
    expect(problem(await activate(key, 'b'))).toEqual([422, 'LICENSE.REVOKED']);
    const future = await newLicense(suite.tenant, {}, { starts_at: new Date(Date.now() + dayMs).toISOString() });
    expect(problem(await activate(future.key, 'a'))).toEqual([422, 'LICENSE.NOT_STARTED']);
  });

  test('activating with any unknown or malformed key is a 404', async () => {
    for (const key of ['unknown', '%20', '%00', '%0A', '..%2f..', 'x'.repeat(300), "a'--", '%F0%9F%94%91']) {
      expect([key, ...problem(await activate(key, 'a'))]).toEqual([key, 404, 'LICENSE.NOT_FOUND']);
    }
  });

  test('the first activation starts the term once, on the basis first_activation', async () => {
    const license = await newLicense(suite.tenant, { duration_days: 30, expiry_basis: 'first_activation' });
    expect(license.expires_at).toBeNull();
    const first = created(await activate(license.key, 'a'));
    const expiryOf = async () => (await suite.tenant.asOwner('GET', `/licenses/${license.id}`)).body.data.expires_at;
    const expires = await expiryOf();
    expect(Date.parse(expires) - Date.parse(first.created_at)).toBe(30 * 86_400_000);
    clock.advance(1000);
    await activate(license.key, 'b');
    expect(await expiryOf()).toBe(expires);
    await suite.tenant.asOwner('PUT', `/licenses/${license.id}`, { expires_at: null });
    await activate(license.key, 'c');
    expect(await expiryOf()).toBeNull();
    expect(await eventsOf(suite.tenant, license.id)).toEqual([
      'LICENSE.UPDATED',
      'LICENSE.TERM_STARTED',
      'LICENSE.CREATED',
    ]);
  });
});

describe('leases', () => {
  test('a heartbeat renews a lease, and the seat is free exactly when the lease ends', async () => {
    const { key, id: licenseId } = await newLicense(suite.tenant, { max_activations: 1, lease_seconds: 60 });
    const { id, lease_expires_at } = created(await activate(key, 'a'));
    clock.advance(59_000);
    const beat = await onActivation(key, id, 'heartbeat');
    expect(beat.status).toBe(200);
    expect(beat.body.data.lease_expires_at > lease_expires_at).toBe(true);
    clock.advance(59_999);
    expect(problem(await activate(key, 'b'))).toEqual([422, 'ACTIVATION.LIMIT_REACHED']);
    clock.advance(2);
    expect(problem(await onActivation(key, id, 'heartbeat'))).toEqual([404, 'ACTIVATION.NOT_FOUND']);
    expect((await suite.tenant.asOwner('GET', `/licenses/${licenseId}`)).body.data.activations_count).toBe(0);
    expect(
      (await suite.tenant.asOwner('GET', `/activations?license_id=${licenseId}&status=expired`)).body.data,
    ).toMatchObject([{ id, status: 'expired' }]);
    created(await activate(key, 'b'));
    expect(problem(await activate(key, 'a'))).toEqual([422, 'ACTIVATION.LIMIT_REACHED']);
    clock.advance(61_000);
    const back = created(await activate(key, 'a'));
    expect(back.id).not.toBe(id);
    expect((await suite.tenant.asOwner('GET', `/activations/${id}`)).body.data.status).toBe('expired');
  });
});

describe('deactivations', () => {
  test('a self-service deactivation counts once against max_deactivations, even when repeated', async () => {
    const { key, id: licenseId } = await newLicense(suite.tenant, { max_activations: 1, max_deactivations: 1 });
    const { id } = created(await activate(key, 'a'));
    for (let time = 0; time < 2; time += 1) {
      const answer = await onActivation(key, id, 'deactivate');
      expect([answer.status, answer.body.data]).toEqual([200, { deleted: true, id }]);
    }
    expect(await eventsOf(suite.tenant, id)).toEqual(['ACTIVATION.DEACTIVATED', 'ACTIVATION.CREATED']);
    const second = created(await activate(key, 'a'));
    expect(second.id).not.toBe(id);
    expect(problem(await onActivation(key, second.id, 'deactivate'))).toEqual([
      422,
      'ACTIVATION.DEACTIVATION_LIMIT_REACHED',
    ]);
    const license = (await suite.tenant.asOwner('GET', `/licenses/${licenseId}`)).body.data;
    expect(license).toMatchObject({ deactivations_count: 1, activations_count: 1 });
  });

  test('a deactivation by the vendor is always allowed, is not counted, and is audited once', async () => {
    const { key, id: licenseId } = await newLicense(suite.tenant, { max_deactivations: 0 });
    const { id } = created(await activate(key, 'a'));
    for (let time = 0; time < 2; time += 1) {
      expect((await suite.tenant.asOwner('DELETE', `/activations/${id}`)).body.data).toEqual({ deleted: true, id });
    }
    expect(await eventsOf(suite.tenant, id)).toEqual(['ACTIVATION.DEACTIVATED', 'ACTIVATION.CREATED']);
    expect((await suite.tenant.asOwner('GET', `/activations/${id}`)).body.data.status).toBe('deactivated');
    const license = (await suite.tenant.asOwner('GET', `/licenses/${licenseId}`)).body.data;
    expect(license).toMatchObject({ deactivations_count: 0, activations_count: 0 });
    expect(problem(await onActivation(key, id, 'heartbeat'))).toEqual([404, 'ACTIVATION.NOT_FOUND']);
  });
});

/** Returns the claims of a JWS. */
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

test('a fingerprint is the same device in each Unicode spelling, everywhere; what is signed keeps the spelling', async () => {
  const { asApplication, asOwner } = suite.tenant;
  const [composed, decomposed] = ['Büro-é', 'Büro-é'.normalize('NFD')];
  const license = await newLicense(suite.tenant, { max_activations: 1, require_activation: true, lease_seconds: 60 });
  const first = created(await activate(license.key, decomposed));
  expect(first.fingerprint).toBe(composed);
  for (const fingerprint of [composed, decomposed]) {
    const again = await activate(license.key, fingerprint);
    expect([again.status, again.body.data.id]).toEqual([200, first.id]);
    const asked = { fingerprint, proof: true, nonce: 'n'.repeat(16) };
    for (const path of [`/licenses/${license.key}/validate`, `/licenses/${license.key}/certificate`]) {
      const body = path.endsWith('validate') ? asked : { fingerprint };
      const answer = await asApplication(path, body);
      expect([answer.status, answer.body.data.activation?.id ?? first.id]).toEqual([200, first.id]);
      expect(claimsOf(answer.body.data.proof ?? answer.body.data.certificate).fingerprint).toBe(fingerprint);
    }
    const { body } = await asApplication(`/licenses/${license.key}/activations/list`, { fingerprint });
    expect(body.data.activations).toMatchObject([{ id: first.id, is_this_device: true }]);
    const vendor = await asOwner('POST', `/licenses/${license.id}/activations`, { fingerprint });
    expect([vendor.status, vendor.body.data.id]).toEqual([200, first.id]);
    for (const filter of ['fingerprint', 'q']) {
      const listed = await asOwner('GET', `/activations?${filter}=${encodeURIComponent(fingerprint)}`);
      expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([first.id]);
    }
  }
  await suite.app.services.deviceHistory.flush();
  const checks = (await asOwner('GET', `/licenses/${license.id}/checks`)).body.data;
  expect(new Set(checks.map(({ fingerprint }: { fingerprint: string }) => fingerprint))).toEqual(new Set([composed]));
  // The verdict finds a lease that has ended as well, before and after it is closed.
  clock.advance(61_000);
  for (let time = 0; time < 2; time += 1) {
    const { body } = await asApplication(`/licenses/${license.key}/validate`, { fingerprint: decomposed });
    expect(body.data.code).toBe('ACTIVATION.LEASE_EXPIRED');
    await runTenantJobs(suite.app);
  }
});
