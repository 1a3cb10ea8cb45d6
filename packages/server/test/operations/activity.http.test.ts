import { pino } from 'pino';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createBackgroundJobs } from '../../src/background.ts';
import { TenantActivity } from '../../src/features/operations/activity/activity.ts';
import { bucketAt, dayAt, noActivity } from '../../src/features/operations/activity/counters.ts';
import { addActivity, addKeyRequests } from '../../src/features/operations/activity/write-queries.ts';
import { platformSubject } from '../../src/jobs/job.ts';
import { enqueueJob } from '../../src/jobs/queries.ts';
import { newId } from '../../src/lib/ids.ts';
import { addTenantRow } from '../accounts/people.ts';
import { runPlatformRetention } from '../jobs/job-rows.ts';
import { createSite, startApp, useApp, useClock } from '../support/harness.ts';

const clock = useClock('2026-11-20T23:59:59.000Z');
const suite = useApp();
const hourMs = 3_600_000;

const silent = pino({ level: 'silent' });
/** Returns the activity counter of another node. */
const node = () => new TenantActivity({ ...suite.app.services, logger: silent });
const pointsOf = (scope: string) =>
  suite.app.services.platform.query
    .selectFrom('activity_points')
    .selectAll()
    .where('scope', '=', scope)
    .orderBy('interval')
    .orderBy('bucket_start')
    .execute();
const verdictsOf = (tenantId: string) =>
  suite.app.services.platform.query
    .selectFrom('verdict_points')
    .select(['interval', 'bucket_start', 'code', 'validations'])
    .where('tenant_id', '=', tenantId)
    .orderBy('interval')
    .orderBy('bucket_start')
    .orderBy('code')
    .execute();
const requestsOf = (tenantId: string) =>
  suite.app.services.platform.query
    .selectFrom('api_key_requests')
    .select(['day', 'key_id', 'requests'])
    .where('tenant_id', '=', tenantId)
    .orderBy('day')
    .execute();

describe('counting', () => {
  test('an event counts for the hour and the day in which it happens, even if it is written later', async () => {
    const [activity, tenantId, keyId] = [node(), newId(), newId()];
    activity.countRequest(tenantId, keyId);
    clock.advance(2000);
    activity.countRequest(tenantId, keyId);
    activity.count(tenantId, 'validations');
    clock.advance(2 * hourMs);
    await activity.flush();
    expect(await pointsOf(tenantId)).toMatchObject([
      { interval: 'day', bucket_start: '2026-11-20T00:00:00.000000Z', integration_requests: 1, validations: 0 },
      { interval: 'day', bucket_start: '2026-11-21T00:00:00.000000Z', integration_requests: 1, validations: 1 },
      { interval: 'hour', bucket_start: '2026-11-20T23:00:00.000000Z', integration_requests: 1, validations: 0 },
      { interval: 'hour', bucket_start: '2026-11-21T00:00:00.000000Z', integration_requests: 1, validations: 1 },
    ]);
    expect(await requestsOf(tenantId)).toEqual([
      { day: '2026-11-20', key_id: keyId, requests: 1 },
      { day: '2026-11-21', key_id: keyId, requests: 1 },
    ]);
  });

  test('a validation counts for its tenant and for the code of its verdict, in the hour and the day', async () => {
    const [activity, tenantId] = [node(), newId()];
    for (const code of ['LICENSE.VALID', 'LICENSE.EXPIRED', 'LICENSE.VALID']) activity.countValidation(tenantId, code);
    await activity.flush();
    activity.countValidation(tenantId, 'LICENSE.EXPIRED');
    await activity.flush();
    const counts = { validations: 4, integration_requests: 0 };
    expect(await pointsOf(tenantId)).toMatchObject([counts, counts]);
    const nowMs = suite.app.services.clock.nowMs();
    const expected = (['day', 'hour'] as const).flatMap((interval) =>
      ['LICENSE.EXPIRED', 'LICENSE.VALID'].map((code) => {
        return { interval, bucket_start: bucketAt(interval, nowMs), code, validations: 2 };
      }),
    );
    expect(await verdictsOf(tenantId)).toEqual(expected);
  });

  test('an event after the clock was set back counts for the hour of the clock', async () => {
    const [activity, tenantId] = [node(), newId()];
    activity.count(tenantId, 'validations');
    clock.advance(-hourMs);
    activity.count(tenantId, 'validations');
    clock.advance(hourMs);
    activity.count(tenantId, 'validations');
    await activity.flush();
    const hours = (await pointsOf(tenantId)).filter(({ interval }) => interval === 'hour');
    expect(hours.map(({ validations }) => validations)).toEqual([1, 2]);
  });

  test('the counts are exact when eight nodes count and write the same tenants concurrently', async () => {
    const tenantIds = Array.from({ length: 20 }, () => newId());
    const keyId = newId();
    const nodes = Array.from({ length: 8 }, node);
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(
        nodes.map(async (activity, index) => {
          // The nodes use different orders, so that inconsistent lock orders would deadlock.
          const order = index % 2 === 0 ? tenantIds : tenantIds.toReversed();
          for (const tenantId of order) activity.countValidation(tenantId, 'LICENSE.VALID');
          activity.countRequest(tenantIds[0] ?? '', keyId);
          await activity.flush();
        }),
      );
    }
    for (const tenantId of tenantIds) {
      expect((await pointsOf(tenantId)).map(({ validations }) => validations)).toEqual([40, 40]);
      expect((await verdictsOf(tenantId)).map(({ validations }) => validations)).toEqual([40, 40]);
    }
    expect(await requestsOf(tenantIds[0] ?? '')).toMatchObject([{ key_id: keyId, requests: 40 }]);
  });

  test("the platform's point is the sum of all tenants", async () => {
    const before = (await pointsOf('platform')).at(-1)?.activations ?? 0;
    const activity = node();
    for (let tenant = 0; tenant < 1200; tenant += 1) activity.count(`tenant-${tenant}`, 'activations');
    await activity.flush();
    expect((await pointsOf('platform')).at(-1)?.activations).toBe(before + 1200);
  });

  test('events that are counted during a write are not lost', async () => {
    const [activity, tenantId] = [node(), newId()];
    activity.count(tenantId, 'errors');
    const flushed = activity.flush();
    await Promise.resolve();
    activity.count(tenantId, 'errors');
    await flushed;
    activity.count(tenantId, 'errors');
    await activity.close();
    expect((await pointsOf(tenantId)).map(({ errors }) => errors)).toEqual([3, 3]);
  });

  test('a failed write is retried together with later events, and every event counts once', async () => {
    const { query } = suite.app.services.platform;
    const [activity, tenantId, keyId] = [node(), newId(), newId()];
    await query.schema.alterTable('activity_points').renameTo('away').execute();
    await query.schema.alterTable('api_key_requests').renameTo('requests_away').execute();
    for (let time = 0; time < 3; time += 1) {
      activity.count(tenantId, 'rate_limit_rejections');
      activity.countValidation(tenantId, 'LICENSE.VALID');
      activity.countRequest(tenantId, keyId);
      await activity.flush();
      activity.count(tenantId, 'rate_limit_rejections');
    }
    await query.schema.alterTable('away').renameTo('activity_points').execute();
    await query.schema.alterTable('requests_away').renameTo('api_key_requests').execute();
    activity.count(tenantId, 'rate_limit_rejections');
    await activity.close();
    const counted = { rate_limit_rejections: 7, integration_requests: 3, validations: 3 };
    expect(await pointsOf(tenantId)).toMatchObject([counted, counted]);
    expect((await verdictsOf(tenantId)).map(({ validations }) => validations)).toEqual([3, 3]);
    expect(await requestsOf(tenantId)).toMatchObject([{ requests: 3 }]);
  });
});

test('all counted events are in the database after the service has stopped', async () => {
  const site = await createSite();
  onTestFinished(() => site.remove());
  const first = await startApp(site);
  const tenantId = newId();
  first.services.activity.count(tenantId, 'validations');
  await first.close();
  const second = await startApp(site);
  const points = second.services.platform.query.selectFrom('activity_points').select('validations');
  expect(await points.where('scope', '=', tenantId).execute()).toHaveLength(2);
  await second.close();
});

describe('retention', () => {
  let tenantId: string;
  let quietTenantId: string;
  const now = '2026-11-21T02:00:01.000Z';

  beforeAll(async () => {
    clock.set(now);
    tenantId = (await addTenantRow(suite.app, 'Refused today')).id;
    quietTenantId = (await addTenantRow(suite.app, 'Refused long ago')).id;
    const { platform } = suite.app.services;
    const nowMs = Date.parse(now);
    for (const days of [0, 6, 8, 59, 61, 1095, 1097]) {
      const atMs = nowMs - days * 24 * hourMs;
      const verdicts = new Map([['LICENSE.VALID', 1]]);
      const gathered = { tenantId, hourMs: atMs - (atMs % hourMs), verdicts, lastRejectedAtMs: 0 };
      await addActivity(platform, [{ ...gathered, counts: { ...noActivity(), validations: 1 } }]);
      await addKeyRequests(platform, [{ day: dayAt(atMs), tenantId, keyId: newId(), requests: 1 }]);
    }
    const rejected = {
      counts: noActivity(),
      verdicts: new Map(),
      hourMs: 0,
      lastRejectedAtMs: nowMs - 61 * 24 * hourMs,
    };
    await addActivity(platform, [{ tenantId: quietTenantId, ...rejected }]);
    await addActivity(platform, [{ tenantId, ...rejected, lastRejectedAtMs: nowMs }]);
  });

  test('the retention keeps hours for 60 days, days for three years and requests per key for a week', async () => {
    await runPlatformRetention(suite.app.services, 'activity-retention');
    const kept = (interval: string) =>
      pointsOf(tenantId).then((points) =>
        points.filter((point) => point.interval === interval).map((point) => point.bucket_start),
      );
    const at = (interval: 'hour' | 'day', days: number) => bucketAt(interval, Date.parse(now) - days * 24 * hourMs);
    expect(await kept('hour')).toEqual([59, 8, 6, 0].map((days) => at('hour', days)));
    expect(await kept('day')).toEqual([1095, 61, 59, 8, 6, 0].map((days) => at('day', days)));
    const starts = (points: { bucket_start: string }[]) => points.map(({ bucket_start }) => bucket_start);
    expect(starts(await verdictsOf(tenantId))).toEqual(starts(await pointsOf(tenantId)));
    expect((await requestsOf(tenantId)).map(({ day }) => day)).toEqual(['2026-11-15', '2026-11-21']);
    const limited = suite.app.services.platform.query.selectFrom('rate_limited_tenants').select('tenant_id');
    const rows = await limited.where('tenant_id', 'in', [tenantId, quietTenantId]).execute();
    expect(rows).toEqual([{ tenant_id: tenantId }]);
  });

  test('the retention job runs daily for the platform and stops early when it is aborted', async () => {
    const { platform } = suite.app.services;
    const aborted = AbortSignal.abort();
    expect(await runPlatformRetention(suite.app.services, 'activity-retention', aborted)).not.toBeNull();
    const { runner, sweep } = createBackgroundJobs(suite.app.services);
    await sweep.sweepNext();
    const row = () =>
      platform.query.selectFrom('jobs').selectAll().where('kind', '=', 'activity-retention').executeTakeFirst();
    expect(await row()).toMatchObject({ subject_id: platformSubject, status: 'waiting' });
    const at = suite.app.services.clock.now();
    await platform.transaction((tx) =>
      enqueueJob(tx, { subjectId: platformSubject, kind: 'activity-retention', dueAt: at }, at),
    );
    await runner.runDue();
    expect(await row()).toMatchObject({ status: 'waiting', attempts: 0, last_error: null });
  });
});
