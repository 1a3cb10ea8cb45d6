import { describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { runTenantJobs } from '../jobs/job-rows.ts';
import { bothSurfaces, createTenant, useTenant } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';
import { created, eventsOf, newLicense } from '../support/licensing-catalog.ts';
import { webhookFixtures } from '../support/webhook-fixtures.ts';
import { loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';

// What devices asked about a license and were told; the refusals of devices; devices that the vendor activates.

const clock = useClock();
const suite = useTenant({ ...loopbackWebhooks, ADMIN_TOKEN_TTL_HOURS: '8760' });
const receiver = useReceiver();
const { newEndpoint } = webhookFixtures(suite, receiver);
const dayMs = 86_400_000;

const ask = (key: string, action: 'validate' | 'activations', body: object) =>
  suite.tenant.asApplication(`/licenses/${key}/${action}`, body);

async function checksOf(id: string, query = '') {
  await suite.app.services.deviceHistory.flush();
  const { status, body } = await suite.tenant.asOwner('GET', `/licenses/${id}/checks${query}`);
  expect(status).toBe(200);
  return body.data;
}

const brief = ({ kind, fingerprint, code, is_allowed, count }: Record<string, unknown>) => [
  kind,
  fingerprint,
  code,
  is_allowed,
  count,
];

describe('the checks of a license', () => {
  test('equal checks of a device are one row with their first and last time, the newest version and their number', async () => {
    const { id, key } = await newLicense(suite.tenant, { require_activation: true, max_activations: 1 });
    await ask(key, 'activations', { fingerprint: 'one', app_version: '1.0' });
    clock.advance(1000);
    await ask(key, 'activations', { fingerprint: 'two', app_version: '2.0' });
    clock.advance(1000);
    await ask(key, 'validate', { fingerprint: 'two', app_version: '2.1' });
    clock.advance(1000);
    await ask(key, 'validate', { fingerprint: 'two' });
    clock.advance(1000);
    for (let times = 0; times < 3; times += 1) await ask(key, 'validate', { fingerprint: 'one' });
    clock.advance(1000);
    await ask(key, 'validate', {});
    const rows = await checksOf(id);
    expect(rows.map(brief)).toEqual([
      ['validation', null, 'ACTIVATION.FINGERPRINT_REQUIRED', false, 1],
      ['validation', 'one', 'LICENSE.VALID', true, 3],
      ['validation', 'two', 'ACTIVATION.NOT_FOUND', false, 2],
      ['activation', 'two', 'ACTIVATION.LIMIT_REACHED', false, 1],
      ['activation', 'one', 'ACTIVATION.CREATED', true, 1],
    ]);
    expect(rows[2]).toMatchObject({ app_version: '2.1', address: expect.any(String) });
    expect(Date.parse(rows[2].last_at) - Date.parse(rows[2].first_at)).toBe(1000);
    clock.advance(1000);
    await ask(key, 'validate', { fingerprint: 'two', app_version: '3.0' });
    const [again] = await checksOf(id);
    expect(again).toMatchObject({ count: 3, app_version: '3.0', first_at: rows[2].first_at });
    const refused = await checksOf(id, '?is_allowed=false&limit=2');
    expect(refused.map(({ fingerprint }: { fingerprint: string | null }) => fingerprint)).toEqual(['two', null]);
  });

  test('a license keeps its 100 newest checks, however many devices ask', async () => {
    const { id, key } = await newLicense(suite.tenant);
    for (let number = 0; number < 130; number += 1) {
      clock.advance(10);
      await ask(key, 'validate', { fingerprint: `device-${number}` });
      if (number === 60) await suite.app.services.deviceHistory.flush();
    }
    const rows = await checksOf(id);
    expect([rows.length, rows[0].fingerprint, rows[99].fingerprint]).toEqual([100, 'device-129', 'device-30']);
  });

  test('a validation by the vendor and an unknown key are not recorded as checks', async () => {
    const { id } = await newLicense(suite.tenant);
    await suite.tenant.asOwner('POST', `/licenses/${id}/validate`, { fingerprint: 'mine' });
    await ask('unknown-key', 'validate', {});
    expect(await checksOf(id)).toEqual([]);
  });

  test('checks that are written late, in parts or after a failure are counted once', async () => {
    const { id, key } = await newLicense(suite.tenant);
    const { deviceHistory, tenants } = suite.app.services;
    await Promise.all([
      ...Array.from({ length: 20 }, () => ask(key, 'validate', { fingerprint: 'one' })),
      deviceHistory.flush(),
    ]);
    await Promise.all([deviceHistory.flush(), deviceHistory.flush()]);
    expect((await checksOf(id)).map(brief)).toEqual([['validation', 'one', 'LICENSE.VALID', true, 20]]);
    const ended = await tenants.withTenantDb(suite.tenant.id, (db) =>
      db.query.selectFrom('license_checks').select('count').where('license_id', '=', id).execute(),
    );
    expect(ended.map(({ count }) => Number(count))).toEqual([20]);
  });

  test('the checks of another tenant, and of a license that does not exist, are a 404', async () => {
    const stranger = await createTenant(suite.app, suite.admin, 'Stranger');
    const { id } = await newLicense(suite.tenant);
    for (const answer of [
      await stranger.asOwner('GET', `/licenses/${id}/checks`),
      await suite.tenant.asOwner('GET', `/licenses/${newId()}/checks`),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([404, 'LICENSE.NOT_FOUND']);
    }
  });
});

describe('a device that is refused because all devices are in use', () => {
  const refusedSince = async (id: string) =>
    (await suite.tenant.asOwner('GET', `/licenses/${id}?include=details`)).body.data.refused_since;

  test('the license says since when, until a device is activated again', async () => {
    const { id, key } = await newLicense(suite.tenant, { max_activations: 1 });
    const { body } = await ask(key, 'activations', { fingerprint: 'one' });
    expect(await refusedSince(id)).toBeNull();
    clock.advance(1000);
    await ask(key, 'activations', { fingerprint: 'two' });
    const since = await refusedSince(id);
    expect(since).not.toBeNull();
    clock.advance(dayMs);
    await ask(key, 'activations', { fingerprint: 'two' });
    expect(await refusedSince(id)).toBe(since);
    await suite.tenant.asOwner('DELETE', `/activations/${body.data.id}`);
    expect((await ask(key, 'activations', { fingerprint: 'two' })).status).toBe(201);
    expect(await refusedSince(id)).toBeNull();
    await ask(key, 'activations', { fingerprint: 'three' });
    expect((await refusedSince(id)) > since).toBe(true);
  });

  test('the event is sent once per license and day, however many devices are refused at once', async () => {
    const { path } = await newEndpoint(suite.tenant, { events: ['activation.limit_reached'] });
    const received = async () => {
      await runTenantJobs(suite.app);
      return receiver.at(path).map(({ body }) => JSON.parse(body));
    };
    const { id, key } = await newLicense(
      suite.tenant,
      { max_activations: 1 },
      { holder: { email: 'ada@example.com' } },
    );
    await ask(key, 'activations', { fingerprint: 'one' });
    const device = { fingerprint: 'two', name: 'Desk', platform: 'linux' };
    await Promise.all(Array.from({ length: 8 }, () => ask(key, 'activations', device)));
    expect((await received()).map(({ type, data }) => ({ type, data }))).toEqual([
      {
        type: 'activation.limit_reached',
        data: {
          ...device,
          license_id: id,
          hostname: null,
          ip: expect.any(String),
          activations_count: 1,
          max_activations: 1,
        },
      },
    ]);
    clock.advance(dayMs);
    await ask(key, 'activations', { fingerprint: 'two' });
    await ask(key, 'activations', { fingerprint: 'three' });
    expect(await received()).toHaveLength(2);
  });
});

describe.each(bothSurfaces(suite))('devices that the vendor activates through the $surface surface', (surface) => {
  const { prefix, auth, suffix } = surface;
  const post = (path: string, payload: object, headers: object = {}): Promise<Answer> =>
    suite.app.request({ method: 'POST', url: prefix() + path, headers: { ...auth(), ...headers }, payload });

  test('the vendor activates a device, which then gets an offline certificate and counts as a seat', async () => {
    const { id } = await newLicense(suite.tenant, { require_activation: true, max_activations: 1 });
    const before = await post(`/licenses/${id}/certificate`, { fingerprint: 'offline' });
    expect([before.status, before.body.error.code]).toEqual([422, 'ACTIVATION.NOT_FOUND']);
    const device = { fingerprint: 'offline', name: 'Cash desk', platform: 'windows' };
    const activation = created(await post(`/licenses/${id}/activations`, device));
    expect(activation).toMatchObject({ ...device, license_id: id, status: 'active', ip: null });
    expect((await post(`/licenses/${id}/activations`, device)).status).toBe(200);
    expect((await post(`/licenses/${id}/certificate`, { fingerprint: 'offline' })).status).toBe(200);
    expect(await eventsOf(suite.tenant, activation.id)).toEqual([`ACTIVATION.CREATED${suffix}`]);
    const refused = await post(`/licenses/${id}/activations`, { fingerprint: 'second' });
    expect([refused.status, refused.body.error.code]).toEqual([422, 'ACTIVATION.LIMIT_REACHED']);
  });

  test('a repetition with the same key activates one device', async () => {
    const { id } = await newLicense(suite.tenant, { max_activations: 5 });
    const headers = { 'idempotency-key': newId() };
    const first = await post(`/licenses/${id}/activations`, { fingerprint: 'one' }, headers);
    const again = await post(`/licenses/${id}/activations`, { fingerprint: 'one' }, headers);
    expect([again.status, again.body.data]).toEqual([first.status, first.body.data]);
    const other = await post(`/licenses/${id}/activations`, { fingerprint: 'two' }, headers);
    expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY.KEY_REUSED']);
  });

  test('a license that is not usable or does not exist is refused', async () => {
    const { id } = await newLicense(suite.tenant);
    await suite.tenant.asOwner('POST', `/licenses/${id}/suspend`);
    const suspended = await post(`/licenses/${id}/activations`, { fingerprint: 'one' });
    expect([suspended.status, suspended.body.error.code]).toEqual([422, 'LICENSE.SUSPENDED']);
    const unknown = await post(`/licenses/${newId()}/activations`, { fingerprint: 'one' });
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'LICENSE.NOT_FOUND']);
    const empty = await post(`/licenses/${id}/activations`, { name: 'x' });
    expect(empty.status).toBe(422);
  });
});

const fortnight = { duration_days: 14, duration_months: null, ends_with_month: false };

test.for([
  { basis: 'creation', term: null },
  { basis: 'first_validation', term: { begins_with: 'first_validation', ...fortnight } },
  { basis: 'first_activation', term: { begins_with: 'first_activation', ...fortnight } },
])('the details of a license name the term that begins later: $basis', async ({ basis, term }) => {
  const { id, key } = await newLicense(suite.tenant, { duration_days: 14, expiry_basis: basis });
  const pendingTerm = async () =>
    (await suite.tenant.asOwner('GET', `/licenses/${id}?include=details`)).body.data.pending_term;
  expect(await pendingTerm()).toEqual(term);
  await ask(key, 'activations', { fingerprint: 'one' });
  await ask(key, 'validate', {});
  expect(await pendingTerm()).toBeNull();
});
