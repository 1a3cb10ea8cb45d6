import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createBackgroundJobs } from '../../src/background.ts';
import type { JobsTable } from '../../src/db/tables/platform/background.ts';
import { toEpochMs, toTimestamp } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import {
  type Account,
  createAdmin,
  createTenant,
  createUser,
  freshAddress,
  type TestTenant,
  testPassword,
} from '../support/accounts.ts';
import { createSite, startApp, stopApp, type TestApp } from '../support/harness.ts';
import { created, newLicense, newPolicy } from '../support/licensing-catalog.ts';
import { loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';
import { createJumpingClock } from './load.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const receiver = useReceiver();
const clock = createJumpingClock();
let app: TestApp;
let admin: Account;
let tenant: TestTenant;

beforeAll(async () => {
  app = await startApp(await createSite(), loopbackWebhooks, undefined, clock);
});

afterAll(async () => {
  await stopApp(app);
  await app.site.remove();
});

// A fresh admin and tenant per test, because background work deletes logins while the clock is ahead.
beforeEach(async () => {
  admin = await createAdmin(app);
  tenant = await createTenant(app, admin);
});

/** Runs `work` with the clock three days ahead, then sets it back. */
async function whileAhead<Result>(work: () => Promise<Result>): Promise<Result> {
  clock.jump(3 * dayMs);
  try {
    return await work();
  } finally {
    clock.jump(-3 * dayMs);
  }
}

/** Runs the sweep and all due jobs once. */
async function runBackground(): Promise<void> {
  const { runner, sweep } = createBackgroundJobs(app.services);
  await app.services.wakeUps.flush();
  await sweep.sweepNext();
  await runner.runDue();
}

const verdictOf = async (key: string) => (await tenant.asApplication(`/licenses/${key}/validate`)).body.data;
const allJobs = (): Promise<JobsTable[]> => app.services.platform.query.selectFrom('jobs').selectAll().execute();

describe('a clock that jumps three days ahead and back', () => {
  test('a license and a login are expired only while the clock is ahead', async () => {
    const { key } = await newLicense(tenant, {}, { expires_at: toTimestamp(clock.nowMs() + dayMs) });
    const readAsAdmin = () => app.request({ method: 'GET', url: '/api/v1/admin/tenants', headers: admin.auth });
    expect(await verdictOf(key)).toMatchObject({ valid: true });
    await whileAhead(async () => {
      expect(await verdictOf(key)).toMatchObject({ valid: false, code: 'LICENSE.EXPIRED' });
      expect((await readAsAdmin()).status).toBe(401);
    });
    expect(await verdictOf(key)).toMatchObject({ valid: true });
    expect((await readAsAdmin()).status).toBe(200);
  });

  test('a seat whose lease ended while the clock was ahead can be activated again', async () => {
    const { key } = await newLicense(tenant, { max_activations: 1, lease_seconds: 3600 });
    const activate = () => tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'one' });
    created(await activate());
    await whileAhead(runBackground);
    expect([200, 201]).toContain((await activate()).status);
    await runBackground();
    expect([200, 201]).toContain((await activate()).status);
  });

  test('a lock from while the clock was ahead lasts at most its 15 minutes afterwards', async () => {
    const user = await createUser(app);
    const remoteAddress = freshAddress();
    const logIn = (password: string) =>
      app.request({
        method: 'POST',
        url: '/api/auth/login',
        remoteAddress,
        payload: { email: user.email, password, ability: 'tenant' },
      });
    await whileAhead(async () => {
      for (let attempt = 0; attempt < 6; attempt += 1) await logIn('wrong');
      expect((await logIn(testPassword)).status).toBe(429);
    });
    const { status, headers } = await logIn(testPassword);
    expect([200, 429]).toContain(status);
    expect(Number(headers['retry-after'] ?? 0)).toBeLessThanOrEqual(15 * 60);
  });

  test('a rate limit exhausted while the clock was ahead recovers within 60 s afterwards', async () => {
    const { key } = await newLicense(tenant);
    const payload = { limits: { integration_requests_per_minute: 3 } };
    await app.request({ method: 'PATCH', url: `/api/v1/admin/tenants/${tenant.id}`, headers: admin.auth, payload });
    const validate = async () => (await tenant.asApplication(`/licenses/${key}/validate`)).status;
    await whileAhead(async () => {
      for (let hit = 0; hit < 3; hit += 1) await validate();
      expect(await validate()).toBe(429);
    });
    const { status, headers } = await tenant.asApplication(`/licenses/${key}/validate`);
    expect([200, 429]).toContain(status);
    expect(Number(headers['retry-after'] ?? 0)).toBeLessThanOrEqual(60);
  });

  test('an Idempotency-Key whose request was interrupted while the clock was ahead can be used afterwards', async () => {
    const { id: policy_id } = await newPolicy(tenant);
    const key = newId();
    await whileAhead(async () => {
      const at = clock.now();
      const row = {
        route: 'POST /api/v1/tenant/licenses',
        idempotency_key: key,
        request_hash: '',
        attempt_id: newId(),
        lease_expires_at: toTimestamp(clock.nowMs() + 60_000),
        response_status: null,
        response_data_json: null,
        created_at: at,
        expires_at: toTimestamp(clock.nowMs() + dayMs),
      };
      await app.services.tenants.withTenantDb(tenant.id, (db) =>
        db.query.insertInto('idempotency_keys').values(row).execute(),
      );
    });
    const headers = { ...tenant.owner.auth, 'idempotency-key': key };
    const create = () =>
      app.request({ method: 'POST', url: '/api/v1/tenant/licenses', headers, payload: { policy_id } });
    const { id } = created(await create());
    expect(created(await create()).id).toBe(id);
  });

  test('a clock jump delays no job by more than a day, not even one of a process that died', async () => {
    await runBackground();
    await whileAhead(async () => {
      await runBackground();
      const running = { status: 'running', lease_owner: newId(), due_at: toTimestamp(clock.nowMs() + 30_000) } as const;
      await app.services.platform.query
        .updateTable('jobs')
        .set(running)
        .where('subject_id', '=', tenant.id)
        .where('kind', '=', 'retention')
        .execute();
    });
    await runBackground();
    const rows = await allJobs();
    const late = rows.filter(({ due_at }) => due_at !== null && toEpochMs(due_at) > clock.nowMs() + dayMs + hourMs);
    expect(late).toEqual([]);
    expect(rows.filter(({ status }) => status !== 'waiting')).toEqual([]);
    expect(rows.length).toBeGreaterThan(10);
  });

  test('an event whose delivery failed while the clock was ahead is delivered afterwards', async () => {
    const path = `/${tenant.id}`;
    created(await tenant.asOwner('POST', '/webhooks', { url: receiver.url(path), events: ['license.created'] }));
    await whileAhead(async () => {
      receiver.answer(path, 500);
      await newLicense(tenant);
      await runBackground();
    });
    // On a busy machine the jobs take longer than the wait after the first attempt.
    const failed = receiver.at(path).length;
    expect(failed).toBeGreaterThan(0);
    receiver.answer(path, 200);
    await runBackground();
    expect(receiver.at(path)).toHaveLength(failed + 1);
    const { body } = await tenant.asOwner('GET', '/webhook-deliveries?status=succeeded');
    expect(body.data).toHaveLength(1);
  });

  test('lists stay complete when rows were created while the clock was ahead', async () => {
    const { id: policy_id } = await newPolicy(tenant);
    const create = async () => created(await tenant.asOwner('POST', '/licenses', { policy_id })).id as string;
    const ids = [await create(), await whileAhead(create), await create()];
    const listed: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await tenant.asOwner('GET', `/licenses?limit=1${from}`);
      listed.push(body.data[0].id);
      cursor = body.meta.next_cursor;
    }
    expect(listed.toSorted()).toEqual(ids.toSorted());
  });

  test('activity is counted in the hour that the clock shows, during a jump and afterwards', async () => {
    const { key } = await newLicense(tenant);
    const validate = () => verdictOf(key);
    await validate();
    await whileAhead(validate);
    await validate();
    await app.services.activity.flush();
    const [from, to] = [toTimestamp(clock.nowMs() - dayMs), toTimestamp(clock.nowMs() + 4 * dayMs)];
    const url = `/api/v1/admin/metrics?tenant_id=${tenant.id}&from=${from}&to=${to}&interval=hour`;
    const { body } = await app.request({ method: 'GET', url, headers: admin.auth });
    const counted = body.data.series.map(({ validations }: { validations: number }) => validations).filter(Boolean);
    // The first and the last validation may fall into different hours.
    expect([
      [1, 2],
      [1, 1, 1],
    ]).toContainEqual(counted.toSorted());
  });
});

describe('a clock that is set back by hours', () => {
  test('a clock set back by hours prevents neither requests nor jobs', async () => {
    // Without an earlier start, the license would start five hours in the future after the clock is set back.
    const starts_at = toTimestamp(clock.nowMs() - dayMs);
    const { id, key } = await newLicense(tenant, { max_activations: 1 }, { starts_at });
    clock.jump(-5 * hourMs);
    try {
      expect((await tenant.asOwner('GET', `/licenses/${id}`)).status).toBe(200);
      created(await tenant.asApplication(`/licenses/${key}/activations`, { fingerprint: 'one' }));
      created(await tenant.asOwner('POST', '/licenses', { policy_id: (await newPolicy(tenant)).id }));
      await runBackground();
      const overdue = (await allJobs()).filter(({ due_at }) => due_at !== null && toEpochMs(due_at) <= clock.nowMs());
      expect(overdue).toEqual([]);
    } finally {
      clock.jump(5 * hourMs);
    }
  });
});

test('mail queued while the clock was ahead is sent after the clock is set back', async () => {
  const { mail, platform } = app.services;
  const message = { to: 'ada@example.com', subject: 'News', text: 'There is news.', html: '<p>There is news.</p>' };
  await whileAhead(() => platform.transaction((tx) => mail.enqueue(tx, message, clock.now())));
  await runBackground();
  expect(await platform.query.selectFrom('mails').selectAll().execute()).toEqual([]);
});
