import { expect, test } from 'vitest';
import { insertRows } from '../../src/db/insert-rows.ts';
import { newId } from '../../src/lib/ids.ts';
import { useApp, useClock } from '../support/harness.ts';
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
  expect(first.get(working.id)).toEqual({
    ...noStreak,
    last_delivery: { id, event_type, status: 'succeeded', created_at },
    last_24_hours: { pending: 0, succeeded: 2, failed: 0 },
  });
  expect(first.get(failing.id)).toMatchObject({ ...noStreak, last_24_hours: { pending: 2, succeeded: 0, failed: 0 } });
  const nothing = { pending: 0, succeeded: 0, failed: 0 };
  expect(first.get(idle.id)).toEqual({ ...noStreak, last_delivery: null, last_24_hours: nothing });

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
