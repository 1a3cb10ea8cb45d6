import { describe, expect, test } from 'vitest';
import { insertRows } from '../../src/db/insert-rows.ts';
import { deliveryTrim } from '../../src/features/webhooks/delivery/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { useApp, useClock } from '../support/harness.ts';
import { eventsOf } from '../support/licensing-catalog.ts';
import { webhookFixtures } from '../support/webhook-fixtures.ts';
import { deliver, loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';

const clock = useClock();
const suite = useApp(loopbackWebhooks);
const receiver = useReceiver();
const { freshTenant, newEndpoint, happen, deliveriesOf } = webhookFixtures(suite, receiver);
const hourMs = 3_600_000;

test('the health of each endpoint has its own deliveries of the last day, its streak and its last delivery', async () => {
  const tenant = await freshTenant();
  const failing = await newEndpoint(tenant);
  const working = await newEndpoint(tenant);
  const idle = await newEndpoint(tenant, { events: ['license.expired'] });
  receiver.answer(failing.path, 500);
  const health = async () => {
    const { data } = (await tenant.asOwner('GET', '/webhooks?include=details')).body;
    return new Map(data.map((one: { id: string; health: unknown }) => [one.id, one.health]));
  };
  await happen(tenant, 2);
  await deliver(suite.app, tenant);
  const first = await health();
  const [lastWorking] = await deliveriesOf(tenant, working.id);
  const { id, event_type, created_at } = lastWorking;
  const noStreak = { failed_deliveries: 0, failing_since: null, disabled_from: null };
  const healthy = { is_failing: false, retrying_deliveries: 0 };
  expect(first.get(working.id)).toEqual({
    ...noStreak,
    ...healthy,
    last_delivery: { id, event_type, status: 'succeeded', created_at },
    last_24_hours: { pending: 0, succeeded: 2, failed: 0 },
  });
  expect(first.get(failing.id)).toMatchObject({
    ...noStreak,
    is_failing: true,
    retrying_deliveries: 2,
    last_24_hours: { pending: 2, succeeded: 0, failed: 0 },
  });
  const nothing = { pending: 0, succeeded: 0, failed: 0 };
  expect(first.get(idle.id)).toEqual({ ...noStreak, ...healthy, last_delivery: null, last_24_hours: nothing });

  // The schedule of eight attempts ends after about 28 hours.
  for (let hour = 0; hour < 48; hour += 1) {
    clock.advance(hourMs);
    await deliver(suite.app, tenant);
  }
  const { data } = (await tenant.asOwner('GET', `/webhooks/${failing.id}?include=details`)).body;
  expect(data.health).toMatchObject({
    failed_deliveries: 2,
    last_delivery: { status: 'failed' },
    last_24_hours: nothing,
  });
  const day = Date.parse(data.health.disabled_from) - Date.parse(data.health.failing_since);
  expect(day).toBe(24 * hourMs);
  expect(data.status).toBe('enabled');
});

test('the list of deliveries has the last attempt of each', async () => {
  const tenant = await freshTenant();
  const { id, path } = await newEndpoint(tenant);
  receiver.answer(path, 503);
  await happen(tenant);
  await deliver(suite.app, tenant);
  clock.advance(hourMs);
  receiver.answer(path, () => ({ status: 202, body: 'thanks' }));
  await deliver(suite.app, tenant);
  await tenant.asOwner('POST', `/webhooks/${id}/test`);
  const [waiting, delivered] = await deliveriesOf(tenant, id);
  expect(waiting.last_attempt).toBeNull();
  const { attempts } = (await tenant.asOwner('GET', `/webhook-deliveries/${delivered.id}`)).body.data;
  expect(attempts.map((one: { response_status: number }) => one.response_status)).toEqual([503, 202]);
  const { at, duration_ms } = attempts[1];
  expect(delivered.last_attempt).toEqual({ at, duration_ms, response_status: 202, error: null });
});

test('the counts of an endpoint end at 1,000', async () => {
  const tenant = await freshTenant();
  const { id } = await newEndpoint(tenant);
  await happen(tenant);
  await suite.app.services.tenants.withTenantDb(tenant.id, (db) =>
    db.transaction(async (tx) => {
      const event = await tx.selectFrom('events').selectAll().executeTakeFirstOrThrow();
      const delivery = await tx.selectFrom('webhook_deliveries').selectAll().executeTakeFirstOrThrow();
      const events = Array.from({ length: 1001 }, () => ({ ...event, id: newId() }));
      await insertRows(tx, 'events', events);
      const failed = { ...delivery, status: 'failed', claimable_at: null, next_attempt_at: null } as const;
      const deliveries = events.map((one) => ({ ...failed, id: newId(), event_id: one.id }));
      await insertRows(tx, 'webhook_deliveries', deliveries);
    }),
  );
  const { health } = (await tenant.asOwner('GET', `/webhooks/${id}?include=details`)).body.data;
  expect(health.last_24_hours).toEqual({ pending: 1, succeeded: 0, failed: 1000 });
});

describe('recovery', () => {
  test('recovery counts failed and missed events, and then sends each of them once', async () => {
    const tenant = await freshTenant();
    const since = new Date(Date.now() - 1).toISOString();
    const first = await newEndpoint(tenant);
    receiver.answer(first.path, 410);
    await happen(tenant, 2);
    await deliver(suite.app, tenant);
    // The only endpoint is disabled; events are kept because an endpoint exists.
    await happen(tenant, 3);
    clock.advance(hourMs);
    const until = new Date().toISOString();
    clock.advance(1);
    await happen(tenant, 1);
    const late = await newEndpoint(tenant, { events: ['entitlement.limit_reached'] });
    clock.advance(1);
    receiver.answer(first.path, 200);
    const recover = (id: string, body: object) => tenant.asOwner('POST', `/webhooks/${id}/recover`, body);
    const refused = await recover(first.id, { since });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'WEBHOOK.DISABLED']);
    await tenant.asOwner('PUT', `/webhooks/${first.id}`, { status: 'enabled' });
    // The missed events include the `webhook.disabled` event of the endpoint itself.
    expect((await recover(first.id, { since, dry_run: true })).body.data).toEqual({ count: 7 });
    expect((await recover(first.id, { since, until, dry_run: true })).body.data).toEqual({ count: 6 });
    expect((await recover(late.id, { since })).body.data).toEqual({ count: 6 });
    expect((await recover(late.id, { since })).body.data).toEqual({ count: 0 });
    expect((await recover(first.id, { since, until })).body.data).toEqual({ count: 6 });
    await deliver(suite.app, tenant);
    expect(receiver.at(late.path)).toHaveLength(6);
    expect((await recover(first.id, { since })).body.data).toEqual({ count: 1 });
    await deliver(suite.app, tenant);
    expect((await recover(first.id, { since })).body.data).toEqual({ count: 0 });
    const ids = receiver.at(first.path).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(7);
    expect(await eventsOf(tenant, late.id)).toEqual(['WEBHOOK.RECOVERED', 'WEBHOOK.CREATED']);
  });

  test('the recovery of webhook events works in batches', async () => {
    const tenant = await freshTenant();
    await newEndpoint(tenant, { events: ['license.created'] });
    const since = new Date(Date.now() - 1).toISOString();
    await happen(tenant, 1100);
    const late = await newEndpoint(tenant);
    clock.advance(1);
    const recovered = await tenant.asOwner('POST', `/webhooks/${late.id}/recover`, { since });
    expect(recovered.body.data).toEqual({ count: 1100 });
  });

  test.each([
    [{ since: '2026-11-20T12:00:00Z', until: '2026-11-20T12:00:00Z' }, 'until'],
    [{ since: '2100-01-01T00:00:00Z' }, 'since'],
  ])('recovery refuses the empty range %j', async (body, field) => {
    const tenant = await freshTenant();
    const { id } = await newEndpoint(tenant);
    const refused = await tenant.asOwner('POST', `/webhooks/${id}/recover`, body);
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, field]);
  });
});

describe('retention', () => {
  test('retention deletes old deliveries, events and deleted endpoints, and keeps pending and newer ones', async () => {
    const tenant = await freshTenant();
    const ended = await newEndpoint(tenant);
    const waiting = await newEndpoint(tenant);
    receiver.answer(waiting.path, 500);
    await happen(tenant, 600);
    await deliver(suite.app, tenant, { maxRunMs: 60_000 });
    await tenant.asOwner('DELETE', `/webhooks/${ended.id}`);
    clock.advance(1);
    const before = suite.app.services.clock.now();
    clock.advance(1);
    await happen(tenant);
    const trimmed = await suite.app.services.tenants.withTenantDb(tenant.id, async (db) => {
      const hasMore = [];
      const trim = deliveryTrim(before);
      for (let batch = 0; batch < 4; batch += 1) hasMore.push(await trim(db));
      const endpoints = await db.query.selectFrom('webhook_endpoints').select('id').execute();
      const events = await db.query.selectFrom('events').select('id').execute();
      return { hasMore, endpoints, events: events.length };
    });
    expect(trimmed).toEqual({ hasMore: [true, true, true, false], endpoints: [{ id: waiting.id }], events: 601 });
    expect(await deliveriesOf(tenant, ended.id)).toEqual([]);
    await tenant.asOwner('DELETE', `/webhooks/${waiting.id}`);
    await deliver(suite.app, tenant);
    clock.advance(1);
    const left = await suite.app.services.tenants.withTenantDb(tenant.id, async (db) => {
      const trim = deliveryTrim(suite.app.services.clock.now());
      while (await trim(db));
      return await db.query.selectFrom('webhook_attempts').select('id').execute();
    });
    expect(left).toEqual([]);
    expect((await tenant.asOwner('GET', '/webhook-deliveries')).body.data).toEqual([]);
  });
});
