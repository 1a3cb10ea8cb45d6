import { describe, expect, test } from 'vitest';
import { deliveryTrim } from '../../src/features/webhooks/delivery/retention-service.ts';
import { useApp, useClock } from '../support/harness.ts';
import { eventsOf } from '../support/licensing-catalog.ts';
import { webhookFixtures } from '../support/webhook-fixtures.ts';
import { deliver, loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';

const clock = useClock();
const suite = useApp(loopbackWebhooks);
const receiver = useReceiver();
const hourMs = 3_600_000;

const { freshTenant, newEndpoint, happen, deliveriesOf } = webhookFixtures(suite, receiver);

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
