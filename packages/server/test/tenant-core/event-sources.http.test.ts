import { describe, expect, test } from 'vitest';
import { issueApiKey } from '../../src/features/accounts/api-keys/service.ts';
import { completeTenantAudit } from '../../src/features/tenant-core/audit-outbox/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { systemActor } from '../../src/tenancy/system-actor.ts';
import type { TenantPool } from '../../src/tenancy/tenant-pool.ts';
import { inMs, runTenantJobs } from '../jobs/job-rows.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { type Answer, useApp, useClock } from '../support/harness.ts';
import { created, defineEntitlements, newLicense, newPolicy } from '../support/licensing-catalog.ts';
import { webhookFixtures } from '../support/webhook-fixtures.ts';
import { loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';

const clock = useClock();
const suite = useApp(loopbackWebhooks);
const receiver = useReceiver();
const { newEndpoint } = webhookFixtures(suite, receiver);
const dayMs = 86_400_000;

/** One surface to the resources of a tenant. */
type Send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) => Promise<Answer>;

interface Scene {
  readonly tenant: TestTenant;
  readonly admin: Account;
  readonly send: Send;
  /** What arrived since the last call, as the bodies say. */
  told(): Promise<Told[]>;
}

interface Told {
  readonly type: string;
  readonly request_id: string | null;
  readonly tenant_id: string;
  // biome-ignore lint/suspicious/noExplicitAny: the resource of any type of event; the assertions say what it must be.
  readonly data: any;
}

const surfaces = ['tenant', 'admin'] as const;

async function setScene(surface: (typeof surfaces)[number] = 'tenant'): Promise<Scene> {
  const admin = await createAdmin(suite.app);
  const tenant = await createTenant(suite.app, admin);
  const { path } = await newEndpoint(tenant);
  const asAdmin: Send = (method, path, payload) =>
    suite.app.request({
      method,
      url: `/api/v1/admin/tenants/${tenant.id}${path}`,
      headers: admin.auth,
      ...(payload && { payload }),
    });
  let seen = 0;
  return {
    tenant,
    admin,
    send: surface === 'admin' ? asAdmin : tenant.asOwner,
    async told() {
      await runTenantJobs(suite.app);
      const all = receiver.at(path);
      const fresh = all.slice(seen).map(({ body }) => JSON.parse(body));
      seen = all.length;
      return fresh;
    },
  };
}

const shared = new Map<(typeof surfaces)[number], Scene>();

/** A scene that other tests used before, whose events were all told. Not for tests that move the clock by days. */
async function sameScene(surface: (typeof surfaces)[number] = 'tenant'): Promise<Scene> {
  const scene = shared.get(surface) ?? (await setScene(surface));
  shared.set(surface, scene);
  await scene.told();
  return scene;
}

const requestIdOf = ({ headers }: Answer) => String(headers['x-request-id']);

/** An action on a license, and what it tells. */
const licenseActions: readonly {
  readonly type: string;
  readonly action: string;
  readonly before?: string;
  act(send: Send, id: string): Promise<Answer>;
  /** True when doing it once more changes nothing. */
  readonly isRepeatable?: boolean;
}[] = [
  {
    type: 'license.updated',
    action: 'an edit',
    act: (send, id) => send('PUT', `/licenses/${id}`, { metadata: { a: 1 } }),
    isRepeatable: true,
  },
  {
    type: 'license.updated',
    action: 'a new key',
    act: (send, id) => send('POST', `/licenses/${id}/rotate-key`),
  },
  {
    type: 'license.suspended',
    action: 'a suspension',
    act: (send, id) => send('POST', `/licenses/${id}/suspend`),
    isRepeatable: true,
  },
  {
    type: 'license.reinstated',
    action: 'a reinstatement',
    before: 'suspend',
    act: (send, id) => send('POST', `/licenses/${id}/reinstate`),
    isRepeatable: true,
  },
  {
    type: 'license.revoked',
    action: 'a revocation',
    act: (send, id) => send('POST', `/licenses/${id}/revoke`),
    isRepeatable: true,
  },
  {
    type: 'license.renewed',
    action: 'a renewal',
    act: (send, id) => send('POST', `/licenses/${id}/renew`),
  },
];

describe.each(surfaces)('through the surface of the %s', (surface) => {
  test.each(licenseActions)(
    '$action of a license is told once, as the answer shows it, under its request id',
    async ({ type, before, act, isRepeatable }) => {
      const { tenant, send, told } = await sameScene(surface);
      const { id } = await newLicense(tenant, { duration_days: 30 });
      if (before !== undefined) await tenant.asOwner('POST', `/licenses/${id}/${before}`);
      await told();
      const answer = await act(send, id);
      const events = await told();
      expect(events).toMatchObject([{ type, tenant_id: tenant.id, request_id: requestIdOf(answer) }]);
      expect(events[0]?.data).toEqual(answer.body.data);
      expect(answer.body.data.id).toBe(id);
      if (isRepeatable) {
        expect((await act(send, id)).status).toBe(200);
        expect(await told()).toEqual([]);
      }
    },
  );

  test('a license is told of when it is made and when it is deleted, as it was', async () => {
    const { tenant, send, told } = await sameScene(surface);
    const policy = await newPolicy(tenant);
    const made = await send('POST', '/licenses', { policy_id: policy.id, holder: { name: 'Ada' } });
    const [creation, ...more] = await told();
    expect(more).toEqual([]);
    expect(creation).toMatchObject({ type: 'license.created', request_id: requestIdOf(made), data: created(made) });
    const { id } = created(made);
    const deleted = await send('DELETE', `/licenses/${id}`);
    const events = await told();
    expect(events).toMatchObject([{ type: 'license.deleted', request_id: requestIdOf(deleted) }]);
    expect(events[0]?.data).toEqual(created(made));
    await send('DELETE', `/licenses/${id}`);
    expect(await told()).toEqual([]);
  });

  test('an API key is told of when it is made and when it is revoked, never with the key', async () => {
    const { send, told } = await sameScene(surface);
    const made = await send('POST', '/api-keys', { name: 'Build' });
    const { key, ...shown } = created(made);
    const creation = await told();
    expect(creation).toMatchObject([{ type: 'api_key.created', request_id: requestIdOf(made), data: shown }]);
    expect(JSON.stringify(creation)).not.toContain(key);
    const revoked = await send('DELETE', `/api-keys/${shown.id}`);
    expect(await told()).toMatchObject([
      { type: 'api_key.revoked', request_id: requestIdOf(revoked), data: { ...shown, status: 'revoked' } },
    ]);
    await send('DELETE', `/api-keys/${shown.id}`);
    expect(await told()).toEqual([]);
  });

  test.each([
    { partial: '', rows: 3 },
    { partial: '?partial=true', rows: 2000 },
  ])('every license of an import$partial is told of', async ({ partial, rows }) => {
    const { tenant, told } = await sameScene(surface);
    const policy = await newPolicy(tenant);
    const url = surface === 'admin' ? `/api/v1/admin/tenants/${tenant.id}` : '/api/v1/tenant';
    const auth = surface === 'admin' ? (await createAdmin(suite.app)).auth : tenant.owner.auth;
    const answer = await suite.app.request({
      method: 'POST',
      url: `${url}/licenses/import${partial}`,
      headers: { ...auth, 'content-type': 'application/x-ndjson' },
      payload: Array.from({ length: rows }, () => JSON.stringify({ policy_id: policy.id })).join('\n'),
    });
    expect(answer.body.data).toMatchObject({ created: rows });
    const events = await told();
    expect(new Set(events.map(({ type, request_id }) => `${type} ${request_id}`))).toEqual(
      new Set([`license.created ${requestIdOf(answer)}`]),
    );
    expect(new Set(events.map(({ data }) => data.id)).size).toBe(rows);
    const listed = (await tenant.asOwner('GET', '/licenses?limit=1')).body.data[0];
    expect(events.find(({ data }) => data.id === listed.id)?.data).toEqual(listed);
  });
});

test('the event of an API key whose process died before it was copied is written once, however many copy it', async () => {
  const { tenant, told } = await sameScene();
  const { services } = suite.app;
  const unreachable = { withTenantDb: () => Promise.reject(new Error('died')) } as unknown as TenantPool;
  const actor = { ...systemActor, requestId: 'request-of-the-key' };
  const { row, key } = await issueApiKey({ ...services, tenants: unreachable }, tenant, actor, { name: 'Build' });
  suite.app.secrets.note(key);
  expect(await told()).toEqual([]);
  await Promise.all(Array.from({ length: 5 }, () => completeTenantAudit(services, tenant.id)));
  expect(await told()).toMatchObject([
    { type: 'api_key.created', request_id: 'request-of-the-key', data: { id: row.id, status: 'active' } },
  ]);
  await completeTenantAudit(services, tenant.id);
  expect(await told()).toEqual([]);
});

describe('devices', () => {
  test('are told of when they are activated and when they leave, once', async () => {
    const { tenant, told } = await sameScene();
    const { id: licenseId, key } = await newLicense(tenant);
    await told();
    const body = { fingerprint: 'a' };
    const activated = await tenant.asApplication(`/licenses/${key}/activations`, body);
    await tenant.asApplication(`/licenses/${key}/activations`, body);
    const { id } = created(activated);
    expect(await told()).toMatchObject([
      { type: 'activation.created', request_id: requestIdOf(activated), data: created(activated) },
    ]);
    const leave = () => tenant.asApplication(`/licenses/${key}/activations/${id}/deactivate`);
    const left = await leave();
    await leave();
    const gone = { id, license_id: licenseId, status: 'deactivated' };
    expect(await told()).toMatchObject([{ type: 'activation.deactivated', request_id: requestIdOf(left), data: gone }]);
    const second = created(await tenant.asApplication(`/licenses/${key}/activations`, body));
    const removed = await tenant.asOwner('DELETE', `/activations/${second.id}`);
    await tenant.asOwner('DELETE', `/activations/${second.id}`);
    const events = await told();
    expect(events.map(({ type }) => type).sort()).toEqual(['activation.created', 'activation.deactivated']);
    expect(events.find(({ type }) => type === 'activation.deactivated')).toMatchObject({
      request_id: requestIdOf(removed),
      data: { id: second.id },
    });
  });

  test.each(['the background work', 'the next activation'])('whose lease ran out are told of by %s', async (by) => {
    const { tenant, told } = await setScene();
    const { key } = await newLicense(tenant, { lease_seconds: 60 });
    const activate = () => tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'a' });
    const first = created(await activate());
    await told();
    // The clock counts microseconds within its standing millisecond.
    clock.advance(60_001);
    if (by === 'the next activation') await activate();
    // The first run closes the lease, and notes that there is something to send.
    const events = [...(await told()), ...(await told())];
    const expired = events.filter(({ type }) => type === 'activation.expired');
    expect(expired).toMatchObject([{ request_id: null, data: { id: first.id, status: 'expired' } }]);
    expect(await told()).toEqual([]);
  });

  test('that begin the term of a license are told of with the license', async () => {
    const { tenant, told } = await setScene();
    const terms = { duration_days: 30, expiry_basis: 'first_activation' };
    const { id, key } = await newLicense(tenant, terms);
    await told();
    await tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'a' });
    const events = await told();
    expect(events.map(({ type }) => type).sort()).toEqual(['activation.created', 'license.updated']);
    expect(events.find(({ type }) => type === 'license.updated')?.data).toMatchObject({
      id,
      expires_at: expect.any(String),
    });
  });
});

test('a limit that was reached is told of once per period', async () => {
  const { tenant, told } = await sameScene();
  await defineEntitlements(tenant, { exports: 'metered' });
  const { id, key } = await newLicense(tenant, {
    entitlements: [{ code: 'exports', limit: 2, reset: 'month', overage: 'deny' }],
  });
  await told();
  const use = (quantity: number) =>
    tenant.asApplication(`/licenses/${key}/usage`, { events: [{ entitlement: 'exports', quantity }] });
  await use(1);
  expect(await told()).toEqual([]);
  const reaching = await use(1);
  await use(1);
  const [event, ...more] = await told();
  expect(more).toEqual([]);
  expect(event).toMatchObject({ type: 'entitlement.limit_reached', request_id: requestIdOf(reaching) });
  const resets_at = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1));
  expect(event?.data).toEqual({
    license_id: id,
    entitlement: 'exports',
    limit: 2,
    usage: 2,
    resets_at: resets_at.toISOString().replace('Z', '000Z'),
  });
});

describe('a change that does not happen tells nothing:', () => {
  test.each<[string, (scene: Scene) => Promise<Answer>]>([
    [
      'a key that is taken',
      async ({ tenant }) => {
        const { key, policy_id } = await newLicense(tenant);
        return await tenant.asOwner('POST', '/licenses', { policy_id, key });
      },
    ],
    [
      'a whole import with a bad row',
      async ({ tenant }) => {
        const { key, policy_id } = await newLicense(tenant);
        return await suite.app.request({
          method: 'POST',
          url: '/api/v1/tenant/licenses/import',
          headers: { ...tenant.owner.auth, 'content-type': 'application/x-ndjson' },
          payload: [{ policy_id }, { policy_id, key }].map((row) => JSON.stringify(row)).join('\n'),
        });
      },
    ],
    [
      'a seat too many',
      async ({ tenant }) => {
        const { key } = await newLicense(tenant, { max_activations: 0 });
        return await tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: newId() });
      },
    ],
    [
      'a suspension of a revoked license',
      async ({ tenant }) => {
        const { id } = await newLicense(tenant);
        await tenant.asOwner('POST', `/licenses/${id}/revoke`);
        return await tenant.asOwner('POST', `/licenses/${id}/suspend`);
      },
    ],
  ])('%s', async (_title, act) => {
    const scene = await sameScene();
    const answer = await act(scene);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    const events = await scene.told();
    expect(events.filter(({ request_id }) => request_id === requestIdOf(answer))).toEqual([]);
  });
});

describe('the end of a license', () => {
  const licenseEnding = (tenant: TestTenant, afterMs: number) =>
    newLicense(tenant, {}, { starts_at: '2026-01-01T00:00:00Z', expires_at: inMs(afterMs) });
  const typesOf = (events: readonly Told[]) => events.map(({ type }) => type).sort();
  /** The first run finds what has happened, the second one sends what it found. */
  const toldTwice = async ({ told }: Scene) => [...(await told()), ...(await told())];

  test('is told of at its moment, once, and again for a new date', async () => {
    const scene = await setScene();
    const { tenant } = scene;
    const { id } = await licenseEnding(tenant, 20 * dayMs);
    await toldTwice(scene);
    clock.advance(20 * dayMs - 1);
    // It came into the last days meanwhile; that is told by the daily work.
    expect(typesOf(await toldTwice(scene))).not.toContain('license.expired');
    clock.advance(1);
    const events = (await toldTwice(scene)).filter(({ type }) => type === 'license.expired');
    expect(events).toMatchObject([{ request_id: null, data: { id, status: 'expired' } }]);
    clock.advance(dayMs);
    expect(typesOf(await toldTwice(scene))).not.toContain('license.expired');
    await tenant.asOwner('PUT', `/licenses/${id}`, { expires_at: inMs(1000) });
    await toldTwice(scene);
    clock.advance(1000);
    expect(typesOf(await toldTwice(scene))).toContain('license.expired');
  });

  test('that is near is told of once for each date', async () => {
    const scene = await setScene();
    const { id } = await licenseEnding(scene.tenant, 10 * dayMs);
    await toldTwice(scene);
    suite.app.services.wakeUps.scheduleAfterCommit(scene.tenant.id, 'expiring', suite.app.services.clock.now());
    const events = await toldTwice(scene);
    expect(events).toMatchObject([{ type: 'license.expiring', request_id: null, data: { id, status: 'active' } }]);
    suite.app.services.wakeUps.scheduleAfterCommit(scene.tenant.id, 'expiring', suite.app.services.clock.now());
    expect(await toldTwice(scene)).toEqual([]);
  });

  test('of a suspended license is told of when it is reinstated', async () => {
    const scene = await setScene();
    const { id } = await licenseEnding(scene.tenant, 1000);
    await scene.tenant.asOwner('POST', `/licenses/${id}/suspend`);
    clock.advance(1000);
    expect(typesOf(await toldTwice(scene))).toEqual(['license.created', 'license.suspended']);
    await scene.tenant.asOwner('POST', `/licenses/${id}/reinstate`);
    expect(typesOf(await toldTwice(scene))).toEqual(['license.expired', 'license.reinstated']);
  });
});
