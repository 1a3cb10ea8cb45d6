import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { claimDue } from '../../src/jobs/claim.ts';
import { enqueueJob, writeWakeUps } from '../../src/jobs/queries.ts';
import { useAdmin } from '../support/accounts.ts';
import { inMs, jobRow, recordedJob, runnerOf } from './job-rows.ts';

// The timers advance by 100 ms and then stand still, so the time that a busy machine needs does not count.
const promptMs = 100;

const suite = useAdmin();

beforeEach(() => {
  const toFake = ['Date', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const;
  vi.useFakeTimers({ toFake: [...toFake], now: Date.now() });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Starts a runner of one job of a new tenant, which waits until its first poll has found nothing. */
async function startIdleRunner() {
  const { id } = await suite.newTenant();
  const begun = Promise.withResolvers<void>();
  const job = recordedJob(() => {
    begun.resolve();
    return Promise.resolve(null);
  });
  const runner = runnerOf(suite.app, [job]);
  onTestFinished(() => runner.stop());
  runner.start();
  await runner.runDue();
  const { platform, clock } = suite.app.services;
  const wake = (dueAt: string) => writeWakeUps(platform, [{ subjectId: id, kind: job.kind, dueAt }], clock.now());
  return { tenantId: id, kind: job.kind, platform, clock, begun: begun.promise, wake };
}

const setStatus = (id: string, status: string) => suite.asAdmin('PATCH', `/tenants/${id}`, { status });

test('work that another process has written starts within 100 ms', async () => {
  const { tenantId, kind, platform, clock, begun } = await startIdleRunner();
  const at = clock.now();
  await platform.transaction((tx) => enqueueJob(tx, { subjectId: tenantId, kind, dueAt: at }, at));
  await vi.advanceTimersByTimeAsync(promptMs);
  await begun;
});

test('work that was written long before starts within 100 ms after it is due', async () => {
  const { begun, wake } = await startIdleRunner();
  await wake(inMs(3_600_000));
  vi.setSystemTime(Date.now() + 3_600_000);
  await vi.advanceTimersByTimeAsync(promptMs);
  await begun;
});

test('work that is due in less than a second is written at once, and starts within 100 ms after it is due', async () => {
  const { tenantId, kind, platform, begun } = await startIdleRunner();
  suite.app.services.wakeUps.scheduleAfterCommit(tenantId, kind, inMs(300));
  const rows = platform.query.selectFrom('jobs').select('kind').where('kind', '=', kind);
  await expect.poll(() => rows.execute()).toHaveLength(1);
  vi.setSystemTime(Date.now() + 300);
  await vi.advanceTimersByTimeAsync(promptMs);
  await begun;
});

test('work of a dead process starts within 100 ms after the end of its lease', async () => {
  const { kind, platform, clock, begun, wake } = await startIdleRunner();
  await wake(clock.now());
  const lease = { leaseEndsAt: inMs(30_000), processAgeMs: 30_000 };
  const { claims } = await claimDue(platform, { ...lease, kinds: [kind], limit: 1, now: clock.now() });
  expect(claims).toHaveLength(1);
  vi.setSystemTime(Date.now() + 30_000);
  await vi.advanceTimersByTimeAsync(promptMs);
  await begun;
});

test('work of a suspended tenant starts within 100 ms after the tenant is active again', async () => {
  const { tenantId, kind, clock, begun, wake } = await startIdleRunner();
  expect((await setStatus(tenantId, 'suspended')).status).toBe(200);
  await wake(clock.now());
  await vi.advanceTimersByTimeAsync(promptMs);
  await expect.poll(async () => (await jobRow(suite.app, tenantId, kind)).status).toBe('parked');
  expect((await setStatus(tenantId, 'active')).status).toBe(200);
  await vi.advanceTimersByTimeAsync(promptMs);
  await begun;
});
