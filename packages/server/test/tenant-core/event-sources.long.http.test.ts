import { describe, expect, test } from 'vitest';
import { issueApiKey } from '../../src/features/accounts/api-keys/service.ts';
import { completeTenantAudit } from '../../src/features/tenant-core/audit-outbox/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { systemActor } from '../../src/tenancy/tenant.ts';
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

/** Sends a request through one surface to a tenant's resources. */
type Send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) => Promise<Answer>;

interface EventFixture {
  readonly tenant: TestTenant;
  readonly admin: Account;
  readonly send: Send;
  /** Runs the jobs and returns the events received since the last call. */
  receivedEvents(): Promise<ReceivedEvent[]>;
}

interface ReceivedEvent {
  readonly type: string;
  readonly request_id: string | null;
  readonly tenant_id: string;
  // biome-ignore lint/suspicious/noExplicitAny: the resource depends on the event type; the assertions check its shape.
  readonly data: any;
}

const surfaces = ['tenant', 'admin'] as const;

async function newFixture(surface: (typeof surfaces)[number] = 'tenant'): Promise<EventFixture> {
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
    async receivedEvents() {
      await runTenantJobs(suite.app);
      const all = receiver.at(path);
      const fresh = all.slice(seen).map(({ body }) => JSON.parse(body));
      seen = all.length;
      return fresh;
    },
  };
}

const shared = new Map<(typeof surfaces)[number], EventFixture>();

/** Returns the fixture that tests share, without undelivered events. Tests that move the clock need `newFixture`. */
async function sharedFixture(surface: (typeof surfaces)[number] = 'tenant'): Promise<EventFixture> {
  const fixture = shared.get(surface) ?? (await newFixture(surface));
  shared.set(surface, fixture);
  await fixture.receivedEvents();
  return fixture;
}

const requestIdOf = ({ headers }: Answer) => String(headers['x-request-id']);

/** The actions on a license and the event type that each publishes. */
const licenseActions: readonly {
  readonly type: string;
  readonly action: string;
  readonly before?: string;
  act(send: Send, id: string): Promise<Answer>;
  /** True if repeating the action changes nothing. */
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

describe.each(surfaces)('through the %s surface', (surface) => {
  test.each(licenseActions)(
    '$action of a license publishes one event with the data and the request id of the response',
    async ({ type, before, act, isRepeatable }) => {
      const { tenant, send, receivedEvents } = await sharedFixture(surface);
      const { id } = await newLicense(tenant, { duration_days: 30 });
      if (before !== undefined) await tenant.asOwner('POST', `/licenses/${id}/${before}`);
      await receivedEvents();
      const answer = await act(send, id);
      const events = await receivedEvents();
      expect(events).toMatchObject([{ type, tenant_id: tenant.id, request_id: requestIdOf(answer) }]);
      expect(events[0]?.data).toEqual(answer.body.data);
      expect(answer.body.data.id).toBe(id);
      if (isRepeatable) {
        expect((await act(send, id)).status).toBe(200);
        expect(await receivedEvents()).toEqual([]);
      }
    },
  );

  test('creating and deleting a license each publish one event with the license', async () => {
    const { tenant, send, receivedEvents } = await sharedFixture(surface);
    const policy = await newPolicy(tenant);
    const made = await send('POST', '/licenses', { policy_id: policy.id, holder: { name: 'Ada' } });
    const [creation, ...more] = await receivedEvents();
    expect(more).toEqual([]);
    expect(creation).toMatchObject({ type: 'license.created', request_id: requestIdOf(made), data: created(made) });
    const { id } = created(made);
    const deleted = await send('DELETE', `/licenses/${id}`);
    const events = await receivedEvents();
    expect(events).toMatchObject([{ type: 'license.deleted', request_id: requestIdOf(deleted) }]);
    expect(events[0]?.data).toEqual(created(made));
    await send('DELETE', `/licenses/${id}`);
    expect(await receivedEvents()).toEqual([]);
  });

  test('creating and revoking an API key each publish one event without the key itself', async () => {
    const { send, receivedEvents } = await sharedFixture(surface);
    const made = await send('POST', '/api-keys', { name: 'Build' });
    const { key, ...shown } = created(made);
    const creation = await receivedEvents();
    expect(creation).toMatchObject([{ type: 'api_key.created', request_id: requestIdOf(made), data: shown }]);
    expect(JSON.stringify(creation)).not.toContain(key);
    const revoked = await send('DELETE', `/api-keys/${shown.id}`);
    expect(await receivedEvents()).toMatchObject([
      { type: 'api_key.revoked', request_id: requestIdOf(revoked), data: { ...shown, status: 'revoked' } },
    ]);
    await send('DELETE', `/api-keys/${shown.id}`);
    expect(await receivedEvents()).toEqual([]);
  });

  test.each([
    { partial: '', rows: 3 },
    { partial: '?partial=true', rows: 2000 },
  ])('an import$partial publishes one event for every license', async ({ partial, rows }) => {
    const { tenant, receivedEvents } = await sharedFixture(surface);
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
    const events: ReceivedEvent[] = [];
    // On a busy machine an endpoint counts as slow, and the delivery continues in the background.
    await expect.poll(async () => events.push(...(await receivedEvents()))).toBe(rows);
    expect(new Set(events.map(({ type, request_id }) => `${type} ${request_id}`))).toEqual(
      new Set([`license.created ${requestIdOf(answer)}`]),
    );
    expect(new Set(events.map(({ data }) => data.id)).size).toBe(rows);
    const listed = (await tenant.asOwner('GET', '/licenses?limit=1')).body.data[0];
    expect(events.find(({ data }) => data.id === listed.id)?.data).toEqual(listed);
  });
});

test('after a crash the event of a new API key is recorded once, even by concurrent recoveries', async () => {
  const { tenant, receivedEvents } = await sharedFixture();
  const { services } = suite.app;
  const unreachable = { withTenantDb: () => Promise.reject(new Error('crashed')) } as unknown as TenantPool;
  const actor = { ...systemActor, requestId: 'request-of-the-key' };
  const { row, key } = await issueApiKey({ ...services, tenants: unreachable }, tenant, actor, { name: 'Build' });
  suite.app.secrets.note(key);
  expect(await receivedEvents()).toEqual([]);
  await Promise.all(Array.from({ length: 5 }, () => completeTenantAudit(services, tenant.id)));
  expect(await receivedEvents()).toMatchObject([
    { type: 'api_key.created', request_id: 'request-of-the-key', data: { id: row.id, status: 'active' } },
  ]);
  await completeTenantAudit(services, tenant.id);
  expect(await receivedEvents()).toEqual([]);
});

describe('activations', () => {
  test('activating and deactivating a device each publish one event, also when repeated', async () => {
    const { tenant, receivedEvents } = await sharedFixture();
    const { id: licenseId, key } = await newLicense(tenant);
    await receivedEvents();
    const body = { fingerprint: 'a' };
    const activated = await tenant.asApplication(`/licenses/${key}/activations`, body);
    await tenant.asApplication(`/licenses/${key}/activations`, body);
    const { id } = created(activated);
    expect(await receivedEvents()).toMatchObject([
      { type: 'activation.created', request_id: requestIdOf(activated), data: created(activated) },
    ]);
    const leave = () => tenant.asApplication(`/licenses/${key}/activations/${id}/deactivate`);
    const left = await leave();
    await leave();
    const gone = { id, license_id: licenseId, status: 'deactivated' };
    expect(await receivedEvents()).toMatchObject([
      { type: 'activation.deactivated', request_id: requestIdOf(left), data: gone },
    ]);
    const second = created(await tenant.asApplication(`/licenses/${key}/activations`, body));
    const removed = await tenant.asOwner('DELETE', `/activations/${second.id}`);
    await tenant.asOwner('DELETE', `/activations/${second.id}`);
    const events = await receivedEvents();
    expect(events.map(({ type }) => type).sort()).toEqual(['activation.created', 'activation.deactivated']);
    expect(events.find(({ type }) => type === 'activation.deactivated')).toMatchObject({
      request_id: requestIdOf(removed),
      data: { id: second.id },
    });
  });

  test.each(['the lease job', 'the next activation'])('the expiry of a lease is published once by %s', async (by) => {
    const { tenant, receivedEvents } = await newFixture();
    const { key } = await newLicense(tenant, { lease_seconds: 60 });
    const activate = () => tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'a' });
    const first = created(await activate());
    await receivedEvents();
    // The extra millisecond covers the microseconds that the stopped clock counts.
    clock.advance(60_001);
    if (by === 'the next activation') await activate();
    // The first run closes the lease and schedules the delivery.
    const events = [...(await receivedEvents()), ...(await receivedEvents())];
    const expired = events.filter(({ type }) => type === 'activation.expired');
    expect(expired).toMatchObject([{ request_id: null, data: { id: first.id, status: 'expired' } }]);
    expect(await receivedEvents()).toEqual([]);
  });

  test('an activation that starts the term of a license also publishes license.updated', async () => {
    const { tenant, receivedEvents } = await newFixture();
    const terms = { duration_days: 30, expiry_basis: 'first_activation' };
    const { id, key } = await newLicense(tenant, terms);
    await receivedEvents();
    await tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'a' });
    const events = await receivedEvents();
    expect(events.map(({ type }) => type).sort()).toEqual(['activation.created', 'license.updated']);
    expect(events.find(({ type }) => type === 'license.updated')?.data).toMatchObject({
      id,
      expires_at: expect.any(String),
    });
  });
});

test('reaching a usage limit publishes one event per period', async () => {
  const { tenant, receivedEvents } = await sharedFixture();
  await defineEntitlements(tenant, { exports: 'metered' });
  const { id, key } = await newLicense(tenant, {
    entitlements: [{ code: 'exports', limit: 2, reset: 'month', overage: 'deny' }],
  });
  await receivedEvents();
  const use = (quantity: number) =>
    tenant.asApplication(`/licenses/${key}/usage`, { events: [{ entitlement: 'exports', quantity }] });
  await use(1);
  expect(await receivedEvents()).toEqual([]);
  const reaching = await use(1);
  await use(1);
  const [event, ...more] = await receivedEvents();
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

describe('failed changes', () => {
  test.each<[string, (fixture: EventFixture) => Promise<Answer>]>([
    [
      'a duplicate key',
      async ({ tenant }) => {
        const { key, policy_id } = await newLicense(tenant);
        return await tenant.asOwner('POST', '/licenses', { policy_id, key });
      },
    ],
    [
      'an import with an invalid row',
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
      'an activation of a license that has not started',
      async ({ tenant }) => {
        const { key } = await newLicense(tenant, {}, { starts_at: '2099-01-01T00:00:00Z' });
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
  ])('%s is refused and publishes no event', async (_title, act) => {
    const fixture = await sharedFixture();
    const answer = await act(fixture);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    const events = await fixture.receivedEvents();
    expect(events.filter(({ request_id }) => request_id === requestIdOf(answer))).toEqual([]);
  });
});

describe('license expiry', () => {
  const licenseEnding = (tenant: TestTenant, afterMs: number) =>
    newLicense(tenant, {}, { starts_at: '2026-01-01T00:00:00Z', expires_at: inMs(afterMs) });
  const typesOf = (events: readonly ReceivedEvent[]) => events.map(({ type }) => type).sort();
  /** Runs the jobs twice: the first run records the events, the second one delivers them. */
  const eventsOfTwoRuns = async ({ receivedEvents }: EventFixture) => [
    ...(await receivedEvents()),
    ...(await receivedEvents()),
  ];

  test('the expiry of a license is published on time, once, and again for a new date', async () => {
    const fixture = await newFixture();
    const { tenant } = fixture;
    const { id } = await licenseEnding(tenant, 20 * dayMs);
    await eventsOfTwoRuns(fixture);
    clock.advance(20 * dayMs - 1);
    // Meanwhile the daily job may have published license.expiring.
    expect(typesOf(await eventsOfTwoRuns(fixture))).not.toContain('license.expired');
    clock.advance(1);
    const events = (await eventsOfTwoRuns(fixture)).filter(({ type }) => type === 'license.expired');
    expect(events).toMatchObject([{ request_id: null, data: { id, status: 'expired' } }]);
    clock.advance(dayMs);
    expect(typesOf(await eventsOfTwoRuns(fixture))).not.toContain('license.expired');
    await tenant.asOwner('PUT', `/licenses/${id}`, { expires_at: inMs(1000) });
    await eventsOfTwoRuns(fixture);
    clock.advance(1000);
    expect(typesOf(await eventsOfTwoRuns(fixture))).toContain('license.expired');
  });

  test('the approaching expiry of a license is published once for each date', async () => {
    const fixture = await newFixture();
    const { id } = await licenseEnding(fixture.tenant, 10 * dayMs);
    await eventsOfTwoRuns(fixture);
    suite.app.services.wakeUps.scheduleAfterCommit(fixture.tenant.id, 'expiring', suite.app.services.clock.now());
    const events = await eventsOfTwoRuns(fixture);
    expect(events).toMatchObject([{ type: 'license.expiring', request_id: null, data: { id, status: 'active' } }]);
    suite.app.services.wakeUps.scheduleAfterCommit(fixture.tenant.id, 'expiring', suite.app.services.clock.now());
    expect(await eventsOfTwoRuns(fixture)).toEqual([]);
  });

  test('the expiry of a suspended license is published when the license is reinstated', async () => {
    const fixture = await newFixture();
    const { id } = await licenseEnding(fixture.tenant, 1000);
    await fixture.tenant.asOwner('POST', `/licenses/${id}/suspend`);
    clock.advance(1000);
    expect(typesOf(await eventsOfTwoRuns(fixture))).toEqual(['license.created', 'license.suspended']);
    await fixture.tenant.asOwner('POST', `/licenses/${id}/reinstate`);
    expect(typesOf(await eventsOfTwoRuns(fixture))).toEqual(['license.expired', 'license.reinstated']);
  });
});
