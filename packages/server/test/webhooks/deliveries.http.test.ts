import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createBackgroundJobs } from '../../src/background.ts';
import { transactWithEvents } from '../../src/features/tenant-core/events/outbox.ts';
import { JobWakeUps } from '../../src/jobs/wake-ups.ts';
import { newId } from '../../src/lib/ids.ts';
import { jobRow, runTenantJobs } from '../jobs/job-rows.ts';
import type { TestTenant } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { webhookFixtures } from '../support/webhook-fixtures.ts';
import { loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';

const clock = useClock();
const suite = useApp(loopbackWebhooks);
const receiver = useReceiver();
const { freshTenant, newEndpoint, happen } = webhookFixtures(suite, receiver);

/** Writes an event with some methods of the wake-ups replaced. */
async function changeIn(
  tenant: TestTenant,
  wakeUpOverrides: Partial<Pick<JobWakeUps, 'scheduleAfterCommit' | 'scheduleBeforeCommit'>>,
): Promise<void> {
  const { tenants, clock: now, wakeUps } = suite.app.services;
  const own = {
    scheduleAfterCommit: wakeUps.scheduleAfterCommit.bind(wakeUps),
    scheduleBeforeCommit: wakeUps.scheduleBeforeCommit.bind(wakeUps),
    ...wakeUpOverrides,
  };
  const services = { ...suite.app.services, wakeUps: own as unknown as JobWakeUps };
  await tenants.withTenantDb(tenant.id, (db) =>
    transactWithEvents(services, { id: tenant.id, db }, async (_tx, outbox) => {
      const data = () => ({ license_id: newId(), entitlement: 'export', limit: 5, usage: 5, resets_at: null });
      await outbox.record({ type: 'entitlement.limit_reached', data, requestId: null, at: now.now() });
    }),
  );
}

const processDies = () => undefined;

describe('a process that dies right after a commit', () => {
  test('events of a process that dies right after the commit are sent within about a minute', async () => {
    const tenant = await freshTenant();
    const { path } = await newEndpoint(tenant);
    await changeIn(tenant, { scheduleAfterCommit: processDies });
    await runTenantJobs(suite.app);
    expect(receiver.at(path)).toEqual([]);
    clock.advance(60_001);
    // The first run finds the deliveries and schedules the second one, which sends them.
    await runTenantJobs(suite.app);
    await runTenantJobs(suite.app);
    expect(receiver.at(path)).toHaveLength(1);
  });

  test('a safety row protects every event although it is rewritten only once per 30 s', async () => {
    const tenant = await freshTenant();
    const { path } = await newEndpoint(tenant);
    const dueAt = async () => Date.parse((await jobRow(suite.app, tenant.id, 'delivery-repair')).due_at ?? '');
    let written = 0;
    let last = 0;
    for (let second = 0; second < 90; second += 5) {
      await changeIn(tenant, { scheduleAfterCommit: processDies });
      const due = await dueAt();
      expect(due - Date.now()).toBeGreaterThan(30_000 - 1);
      expect(due - Date.now()).toBeLessThanOrEqual(60_000);
      if (due !== last) written += 1;
      last = due;
      clock.advance(5000);
    }
    expect(written).toBe(3);
    clock.advance(60_000);
    await runTenantJobs(suite.app);
    await runTenantJobs(suite.app);
    expect(receiver.at(path)).toHaveLength(18);
  });

  test('a safety row is rewritten if the clock was set back since', async () => {
    const tenant = await freshTenant();
    await newEndpoint(tenant);
    await changeIn(tenant, {});
    clock.advance(-3_600_000);
    await changeIn(tenant, { scheduleAfterCommit: processDies });
    const { due_at } = await jobRow(suite.app, tenant.id, 'delivery-repair');
    expect(Date.parse(due_at ?? '') - Date.now()).toBe(60_000);
    clock.advance(3_600_000);
  });

  test('a change with events fails if its safety row cannot be written', async () => {
    const tenant = await freshTenant();
    const { path } = await newEndpoint(tenant);
    const unreachable = () => Promise.reject(new Error('The platform is unavailable.'));
    await expect(changeIn(tenant, { scheduleBeforeCommit: unreachable })).rejects.toThrow(
      'The platform is unavailable.',
    );
    clock.advance(60_001);
    await runTenantJobs(suite.app);
    await runTenantJobs(suite.app);
    expect(receiver.at(path)).toEqual([]);
  });
});

test('hanging endpoints of many tenants delay neither other tenants nor other jobs', async () => {
  const hangs = Promise.withResolvers<{ status: number }>();
  onTestFinished(() => hangs.resolve({ status: 200 }));
  const { wakeUps, clock: now } = suite.app.services;
  const { runner } = createBackgroundJobs(suite.app.services);
  const hanging: { readonly tenant: TestTenant; readonly path: string }[] = [];
  for (let index = 0; index < 12; index += 1) {
    const tenant = await freshTenant();
    const { path } = await newEndpoint(tenant);
    receiver.answer(path, () => hangs.promise);
    await happen(tenant, 5);
    wakeUps.scheduleAfterCommit(tenant.id, 'deliveries', now.now());
    hanging.push({ tenant, path });
  }
  await wakeUps.flush();
  const all = runner.runDue();
  const requests = () => hanging.map(({ path }) => receiver.at(path).length);
  await expect.poll(requests).toEqual(hanging.map(() => 1));

  const healthy = await freshTenant();
  const { path } = await newEndpoint(healthy);
  await changeIn(healthy, {});
  wakeUps.scheduleAfterCommit(healthy.id, 'retention', now.now());
  await wakeUps.flush();
  void runner.runDue();
  await expect.poll(() => receiver.at(path).length).toBe(1);
  const retentionStatus = async () => (await jobRow(suite.app, healthy.id, 'retention')).status;
  await expect.poll(retentionStatus).toBe('waiting');
  // After a second their runs end and detach the requests that hang.
  await all;
  const states = await Promise.all(hanging.map(({ tenant }) => jobRow(suite.app, tenant.id, 'deliveries')));
  expect(states.map(({ status }) => status)).toEqual(hanging.map(() => 'waiting'));
  expect(suite.app.services.webhookTraffic.detachedCount).toBe(12);
  expect(requests()).toEqual(hanging.map(() => 1));

  hangs.resolve({ status: 200 });
  const arrived = async () => {
    await runTenantJobs(suite.app);
    return requests();
  };
  await expect.poll(arrived).toEqual(hanging.map(() => 5));
});

test('the snapshot reports the state of endpoints, and metrics count delivery attempts', async () => {
  const tenant = await freshTenant();
  const gone = await newEndpoint(tenant);
  const working = await newEndpoint(tenant);
  const failing = await newEndpoint(tenant);
  const deleted = await newEndpoint(tenant);
  await tenant.asOwner('DELETE', `/webhooks/${deleted.id}`);
  receiver.answer(gone.path, 410);
  receiver.answer(failing.path, 503);
  const attempts = async () => {
    const { text } = await suite.app.request({ method: 'GET', url: '/metrics' });
    const count = (result: string) =>
      Number(new RegExp(`^webhook_attempts_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    return { text, counts: ['succeeded', 'status_4xx', 'status_5xx'].map(count) };
  };
  const before = await attempts();
  for (const { id } of [gone, working, failing]) await tenant.asOwner('POST', `/webhooks/${id}/test`);
  await suite.app.services.wakeUps.flush();
  expect((await attempts()).text).toMatch(/^jobs_due\{kind="deliveries"\} [1-9]/m);
  expect((await attempts()).text).toMatch(/^jobs_due_oldest_seconds\{kind="deliveries"\} \d/m);
  await runTenantJobs(suite.app);
  const after = await attempts();
  // The other two endpoints also receive `webhook.disabled`.
  expect(after.counts.map((count, index) => count - (before.counts[index] ?? 0))).toEqual([2, 1, 2]);
  const { limits, webhooks } = (await tenant.asOwner('GET', '/dev-tools/snapshot')).body.data;
  expect(limits.webhooks).toEqual({ limit: null, used: 3 });
  expect(webhooks).toEqual({
    endpoints: { enabled: 2, disabled: 1 },
    deliveries_of_last_day: { pending: 2, succeeded: 2, failed: 1 },
    last_failures: [
      {
        delivery_id: expect.any(String),
        webhook_id: gone.id,
        event_type: 'webhook.test',
        failure_reason: 'endpoint_disabled',
        created_at: expect.any(String),
      },
    ],
  });
  clock.advance(86_400_000 + 1000);
  const later = (await tenant.asOwner('GET', '/dev-tools/snapshot')).body.data.webhooks;
  expect(later.deliveries_of_last_day).toEqual({ pending: 0, succeeded: 0, failed: 0 });
});

test('a wake-up for due work is written immediately, and one for later work with the next flush', async () => {
  const tenant = await freshTenant();
  const { platform, clock: now, logger } = suite.app.services;
  // Nothing else schedules with this one: any other wake-up would flush both.
  const wakeUps = new JobWakeUps({ platform, clock: now, logger });
  const [dueKind, laterKind] = [newId(), newId()];
  const woken = Promise.withResolvers<void>();
  wakeUps.whenDue(woken.resolve);
  wakeUps.scheduleAfterCommit(tenant.id, dueKind, now.now());
  // The test itself does not flush.
  await woken.promise;
  expect((await jobRow(suite.app, tenant.id, dueKind)).status).toBe('waiting');
  wakeUps.scheduleAfterCommit(tenant.id, laterKind, '2100-01-01T00:00:00.000000Z');
  await nextTurn();
  await expect(jobRow(suite.app, tenant.id, laterKind)).rejects.toThrow();
  await wakeUps.close();
  expect((await jobRow(suite.app, tenant.id, laterKind)).due_at).toBe('2100-01-01T00:00:00.000000Z');
});
