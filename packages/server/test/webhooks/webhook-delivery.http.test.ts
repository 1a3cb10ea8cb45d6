import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { deliverDue } from '../../src/features/webhooks/delivery/delivery-job.ts';
import { DeliveryTraffic } from '../../src/features/webhooks/delivery/traffic.ts';
import { createKeyring, type Keyring } from '../../src/lib/keyring.ts';
import type { TestTenant } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { eventsOf } from '../support/licensing-catalog.ts';
import { webhookFixtures } from '../support/webhook-fixtures.ts';
import { deliver, loopbackWebhooks, type Received, useReceiver } from '../support/webhook-receiver.ts';

const clock = useClock();
const suite = useApp(loopbackWebhooks);
const receiver = useReceiver();
const secondMs = 1000;
const hourMs = 3_600_000;

const { freshTenant, newEndpoint, happen, deliveriesOf } = webhookFixtures(suite, receiver);

const readDelivery = async (tenant: TestTenant, id: string) =>
  (await tenant.asOwner('GET', `/webhook-deliveries/${id}`)).body.data;

const endpointOf = async (tenant: TestTenant, id: string) => (await tenant.asOwner('GET', `/webhooks/${id}`)).body.data;

function isVerified(secret: string, { headers, body }: Received): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

/** Runs the schedules of all pending deliveries to their end. */
async function exhaust(tenant: TestTenant): Promise<void> {
  for (;;) {
    const next = await deliver(suite.app, tenant);
    if (next === null) return;
    clock.set(next.replace(/(\.\d{3})\d{3}Z/, '$1Z'));
    clock.advance(1);
  }
}

describe('deliveries', () => {
  test('a delivery is a signed message of the Standard Webhooks and is recorded with its response', async () => {
    const tenant = await freshTenant();
    const { path, id, secret } = await newEndpoint(tenant);
    receiver.answer(path, () => ({ status: 201, body: 'thanks' }));
    const tested = await tenant.asOwner('POST', `/webhooks/${id}/test`);
    expect(tested.body.data).toMatchObject({
      webhook_id: id,
      event_type: 'webhook.test',
      status: 'pending',
      attempts: [],
    });
    expect(await deliver(suite.app, tenant)).toBeNull();
    const [received, ...more] = receiver.at(path);
    if (received === undefined) throw new Error('Nothing arrived.');
    expect(more).toEqual([]);
    expect(isVerified(secret, received)).toBe(true);
    expect(received.headers['webhook-id']).toBe(tested.body.data.event_id);
    expect(JSON.parse(received.body)).toEqual({
      id: tested.body.data.event_id,
      type: 'webhook.test',
      occurred_at: tested.body.data.created_at,
      tenant_id: tenant.id,
      request_id: tested.headers['x-request-id'],
      api_version: '1',
      data: { webhook_id: id },
    });
    const delivery = await readDelivery(tenant, tested.body.data.id);
    expect(delivery).toMatchObject({ status: 'succeeded', next_attempt_at: null, failure_reason: null });
    expect(delivery.request_body).toBe(received.body);
    const sent = ['content-type', 'webhook-id', 'webhook-timestamp'] as const;
    expect(delivery.attempts).toEqual([
      {
        at: expect.stringMatching(/\.\d{6}Z$/),
        trigger: 'schedule',
        request_headers: Object.fromEntries(sent.map((name) => [name, received.headers[name]])),
        response_status: 201,
        duration_ms: expect.any(Number),
        error: null,
        response_body: 'thanks',
      },
    ]);
  });

  test('a failing delivery is retried on schedule with the same id and body until its attempts are exhausted', async () => {
    const tenant = await freshTenant();
    const { path, id } = await newEndpoint(tenant);
    receiver.answer(path, 500);
    await happen(tenant);
    const waitsMs: number[] = [];
    for (;;) {
      const next = await deliver(suite.app, tenant);
      if (next === null) break;
      // A delivery that is not due is not sent.
      expect(await deliver(suite.app, tenant)).toBe(next);
      const waitMs = Date.parse(next) - Date.now();
      waitsMs.push(waitMs);
      clock.advance(waitMs + 1);
    }
    expect(waitsMs).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 36_000].map((seconds) => seconds * secondMs));
    const requests = receiver.at(path);
    expect(requests).toHaveLength(8);
    expect(new Set(requests.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(8);
    const [summary] = await deliveriesOf(tenant, id);
    expect(summary).toMatchObject({ status: 'failed', failure_reason: 'attempts_exhausted', next_attempt_at: null });
    const { attempts } = await readDelivery(tenant, summary.id);
    expect(attempts.map((attempt: { error: string }) => attempt.error)).toEqual(Array(8).fill('status_500'));
  });

  test('a retry waits as long as Retry-After requires, up to twice the scheduled wait', async () => {
    const tenant = await freshTenant();
    const { path } = await newEndpoint(tenant);
    receiver.answer(path, () => ({ status: 429, headers: { 'retry-after': '8' } }));
    await happen(tenant);
    const next = await deliver(suite.app, tenant);
    expect(Date.parse(next ?? '') - Date.now()).toBe(8 * secondMs);
  });

  test('a delivery has two signatures for 24 h after a rotation of the secret', async () => {
    const tenant = await freshTenant();
    const { path, id, secret } = await newEndpoint(tenant, { events: ['entitlement.limit_reached'] });
    const rotated = await tenant.asOwner('POST', `/webhooks/${id}/rotate-secret`);
    expect(rotated.headers['cache-control']).toBe('no-store');
    const secrets = [secret, rotated.body.data.secret as string];
    await happen(tenant);
    await deliver(suite.app, tenant);
    // The clock has microseconds, which only real time advances.
    clock.advance(24 * hourMs + 1);
    await happen(tenant);
    await deliver(suite.app, tenant);
    const [during, later] = receiver.at(path);
    if (during === undefined || later === undefined) throw new Error('Two deliveries were expected.');
    // The library of the standard refuses messages older than five minutes.
    clock.advance(-24 * hourMs - 1);
    expect(secrets.map((one) => isVerified(one, during))).toEqual([true, true]);
    clock.advance(24 * hourMs + 1);
    expect(secrets.map((one) => isVerified(one, later))).toEqual([false, true]);
  });

  test('a pending delivery fails with a reason if its endpoint is disabled or deleted', async () => {
    const tenant = await freshTenant();
    const disabled = await newEndpoint(tenant);
    const deleted = await newEndpoint(tenant);
    await happen(tenant, 2);
    await tenant.asOwner('PUT', `/webhooks/${disabled.id}`, { status: 'disabled' });
    await tenant.asOwner('DELETE', `/webhooks/${deleted.id}`);
    expect(await deliver(suite.app, tenant)).toBeNull();
    for (const [endpoint, reason] of [
      [disabled, 'endpoint_disabled'],
      [deleted, 'endpoint_deleted'],
    ] as const) {
      const deliveries = await deliveriesOf(tenant, endpoint.id);
      expect(deliveries).toHaveLength(2);
      for (const one of deliveries) expect(one).toMatchObject({ status: 'failed', failure_reason: reason });
      expect(receiver.at(endpoint.path)).toEqual([]);
    }
  });

  test('a manual attempt is made immediately, and the schedule continues where it was', async () => {
    const tenant = await freshTenant();
    const { path, id } = await newEndpoint(tenant);
    receiver.answer(path, 503);
    await happen(tenant);
    const planned = await deliver(suite.app, tenant);
    const [{ id: deliveryId }] = await deliveriesOf(tenant, id);
    expect((await tenant.asOwner('POST', `/webhook-deliveries/${deliveryId}/resend`)).status).toBe(200);
    expect(await deliver(suite.app, tenant)).toBe(planned);
    receiver.answer(path, 200);
    await Promise.all([1, 2, 3].map(() => tenant.asOwner('POST', `/webhook-deliveries/${deliveryId}/resend`)));
    expect(await deliver(suite.app, tenant)).toBeNull();
    const { status, attempts } = await readDelivery(tenant, deliveryId);
    expect(status).toBe('succeeded');
    const triggers = attempts.map((attempt: { trigger: string; error: string }) => [attempt.trigger, attempt.error]);
    expect(triggers).toEqual([
      ['schedule', 'status_503'],
      ['manual', 'status_503'],
      ['manual', null],
    ]);
    expect(await eventsOf(tenant, deliveryId)).toEqual(['WEBHOOK_DELIVERY.RESENT', 'WEBHOOK_DELIVERY.RESENT']);
  });
});

describe('endpoints', () => {
  test('an endpoint that responds with 410 is disabled with a notification and receives nothing until it is enabled', async () => {
    const tenant = await freshTenant();
    const gone = await newEndpoint(tenant);
    const watcher = await newEndpoint(tenant, { events: ['webhook.disabled'] });
    receiver.answer(gone.path, 410);
    await happen(tenant, 3);
    await deliver(suite.app, tenant, { concurrency: 1 });
    expect(await endpointOf(tenant, gone.id)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    expect(await eventsOf(tenant, gone.id)).toEqual(['WEBHOOK.DISABLED', 'WEBHOOK.CREATED']);
    const failed = await deliveriesOf(tenant, gone.id);
    expect(failed.map((one: { failure_reason: string }) => one.failure_reason)).toEqual(
      Array(3).fill('endpoint_disabled'),
    );
    const [reported] = receiver.at(watcher.path).map(({ body }) => JSON.parse(body));
    expect(reported).toMatchObject({ type: 'webhook.disabled', data: { id: gone.id, disabled_reason: 'gone' } });
    const { health: _health, previous_secret_expires_at: _expiry, ...state } = await endpointOf(tenant, gone.id);
    expect(reported.data).toEqual(state);
    const notices = await suite.app.services.tenants.withTenantDb(tenant.id, (db) =>
      db.query.selectFrom('notifications').selectAll().execute(),
    );
    expect(notices).toMatchObject([{ type: 'webhook.disabled', severity: 'critical' }]);
    expect(notices[0]?.body).not.toContain(gone.path);

    const before = receiver.at(gone.path).length;
    await happen(tenant);
    await deliver(suite.app, tenant);
    expect(receiver.at(gone.path)).toHaveLength(before);
    for (const action of [`/webhooks/${gone.id}/test`, `/webhook-deliveries/${failed[0].id}/resend`]) {
      const refused = await tenant.asOwner('POST', action);
      expect([refused.status, refused.body.error.code]).toEqual([409, 'WEBHOOK.DISABLED']);
    }
    receiver.answer(gone.path, 200);
    const enabled = await tenant.asOwner('PUT', `/webhooks/${gone.id}`, { status: 'enabled' });
    expect(enabled.body.data).toMatchObject({ status: 'enabled', disabled_reason: null });
    await happen(tenant);
    await deliver(suite.app, tenant);
    expect(receiver.at(gone.path)).toHaveLength(before + 1);
  });

  test('an endpoint is disabled by ten failed deliveries in a row over a day, and not by twelve at the same time', async () => {
    const tenant = await freshTenant();
    const { path, id } = await newEndpoint(tenant);
    receiver.answer(path, 500);
    await happen(tenant, 12);
    await exhaust(tenant);
    expect(await endpointOf(tenant, id)).toMatchObject({ status: 'enabled' });
    await happen(tenant);
    await exhaust(tenant);
    expect(await endpointOf(tenant, id)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
  });

  test('an endpoint is not disabled if a delivery succeeded in between', async () => {
    const tenant = await freshTenant();
    const { path, id } = await newEndpoint(tenant);
    receiver.answer(path, 500);
    await happen(tenant, 12);
    await exhaust(tenant);
    receiver.answer(path, 200);
    await happen(tenant);
    await deliver(suite.app, tenant);
    receiver.answer(path, 500);
    await happen(tenant);
    await exhaust(tenant);
    expect(await endpointOf(tenant, id)).toMatchObject({ status: 'enabled' });
  });

  test('an endpoint that hangs delays no other endpoint, whose results are recorded meanwhile', async () => {
    const tenant = await freshTenant();
    const hanging = await newEndpoint(tenant);
    const quick = await newEndpoint(tenant);
    const release = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    receiver.answer(hanging.path, async () => {
      arrived.resolve();
      await release.promise;
      return { status: 200 };
    });
    await happen(tenant, 150);
    const run = deliver(suite.app, tenant, { concurrency: 4, limit: 20, maxRunMs: 60_000 });
    await arrived.promise;
    const succeeded = async (webhookId: string) =>
      (await tenant.asOwner('GET', `/webhook-deliveries?webhook_id=${webhookId}&status=succeeded&limit=100`)).body.data;
    await expect.poll(async () => (await succeeded(quick.id)).length).toBe(100);
    expect(await succeeded(hanging.id)).toEqual([]);
    expect(receiver.at(hanging.path).length).toBeLessThanOrEqual(4);
    release.resolve();
    expect(await run).toBeNull();
    expect([receiver.at(quick.path).length, receiver.at(hanging.path).length]).toEqual([150, 150]);
  });
});

describe('workers', () => {
  test('concurrent workers together send every delivery exactly once', async () => {
    const tenant = await freshTenant();
    const { path } = await newEndpoint(tenant);
    await happen(tenant, 120);
    await Promise.all([1, 2, 3].map(() => deliver(suite.app, tenant, { concurrency: 5, limit: 10 })));
    await deliver(suite.app, tenant);
    const ids = receiver.at(path).map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(120);
    expect(new Set(ids).size).toBe(120);
  });

  test('a worker that is slower than its lease loses it: another worker sends again, and one outcome is recorded', async () => {
    const tenant = await freshTenant();
    const { path, id } = await newEndpoint(tenant);
    const release = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    receiver.answer(path, async () => {
      arrived.resolve();
      await release.promise;
      return { status: 500 };
    });
    await happen(tenant);
    const stop = new AbortController();
    const slow = deliver(suite.app, tenant, { signal: stop.signal });
    await arrived.promise;
    stop.abort();
    const [{ id: deliveryId }] = await deliveriesOf(tenant, id);
    // During the lease no other worker sends the delivery, and a manual resend changes nothing.
    expect((await tenant.asOwner('POST', `/webhook-deliveries/${deliveryId}/resend`)).status).toBe(200);
    await deliver(suite.app, tenant);
    expect(receiver.at(path)).toHaveLength(1);
    clock.advance(30 * secondMs + 1);
    receiver.answer(path, 200);
    // Another process does not know the active requests of this one.
    const elsewhere = { ...suite.app, services: { ...suite.app.services, webhookTraffic: new DeliveryTraffic() } };
    expect(await deliver(elsewhere, tenant)).toBeNull();
    release.resolve();
    expect(await slow).toBeNull();
    const { status, attempts } = await readDelivery(tenant, deliveryId);
    expect(status).toBe('succeeded');
    expect(attempts).toHaveLength(2);
  });

  test('a worker that is stopped releases a hanging delivery, and it is sent again later', async () => {
    const tenant = await freshTenant();
    const { path, id } = await newEndpoint(tenant);
    const arrived = Promise.withResolvers<void>();
    receiver.answer(path, () => {
      arrived.resolve();
      return new Promise(() => undefined);
    });
    await happen(tenant);
    const stop = new AbortController();
    const run = deliver(suite.app, tenant, { signal: stop.signal, stopAfterMs: 1 });
    await arrived.promise;
    stop.abort();
    const next = await run;
    expect(Date.parse(next ?? '')).toBeLessThanOrEqual(Date.now());
    receiver.answer(path, 200);
    clock.advance(1);
    expect(await deliver(suite.app, tenant)).toBeNull();
    const [{ id: deliveryId }] = await deliveriesOf(tenant, id);
    const { status, attempts } = await readDelivery(tenant, deliveryId);
    expect([status, attempts.length]).toEqual(['succeeded', 1]);
  });

  test('a worker with the previous application key encrypts secrets and headers under the new one, and a worker without it sends nothing', async () => {
    const tenant = await freshTenant();
    const { path, id, secret } = await newEndpoint(tenant, { headers: [{ name: 'X-Key', value: 'own' }] });
    const newKey = 'another-application-key-0123456789ab';
    const work = (keyring: Keyring) =>
      suite.app.services.tenants.withTenantDb(tenant.id, async (db) => {
        await deliverDue({ ...suite.app.services, keyring }, { id: tenant.id, withDb: (send) => send(db) });
        return await db.query.selectFrom('webhook_endpoints').selectAll().executeTakeFirstOrThrow();
      });
    await happen(tenant);
    await work(createKeyring(newKey));
    const [{ id: unsent }] = await deliveriesOf(tenant, id);
    expect((await readDelivery(tenant, unsent)).attempts).toMatchObject([{ error: 'secret_unreadable' }]);
    expect(receiver.at(path)).toEqual([]);
    const both = createKeyring(newKey, [suite.app.config.appKey ?? '']);
    await happen(tenant);
    const { sealed_secrets, sealed_headers } = await work(both);
    for (const sealed of [sealed_secrets, sealed_headers]) expect(sealed.startsWith(both.fingerprint)).toBe(true);
    await happen(tenant);
    await work(createKeyring(newKey));
    const received = receiver.at(path);
    expect(received.map((one) => isVerified(secret, one))).toEqual([true, true]);
    expect(received.map(({ headers }) => headers['x-key'])).toEqual(['own', 'own']);
  });
});
