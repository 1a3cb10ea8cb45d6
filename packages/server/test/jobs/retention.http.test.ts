import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Insertable } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { createBackgroundJobs } from '../../src/background.ts';
import type { TenantDb } from '../../src/db/database.ts';
import type { NotificationsTable } from '../../src/db/tables/tenant/notifications.ts';
import type { PortalLoginsTable, PortalSessionsTable } from '../../src/db/tables/tenant/portal.ts';
import type { EventsTable, WebhookDeliveriesTable } from '../../src/db/tables/tenant/webhooks.ts';
import type { TenantTables } from '../../src/db/tables/tenant-tables.ts';
import { newDelivery } from '../../src/features/tenant-core/events/event.ts';
import { retentionJob } from '../../src/features/tenant-core/retention/retention-job.ts';
import { readSettings } from '../../src/features/tenant-core/settings/service.ts';
import { type JobRun, platformSubject } from '../../src/jobs/job.ts';
import { enqueueJob } from '../../src/jobs/queries.ts';
import { newId } from '../../src/lib/ids.ts';
import { platformRetention, retentionRules } from '../../src/retention-rules.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { createLicensingData } from '../support/licensing-data.ts';
import { countAllRows } from '../support/row-counts.ts';
import { jobRow, runPlatformRetention, runTenantJobs, scheduleJob } from './job-rows.ts';

const now = '2026-11-20T12:00:00.000000Z';
const clock = useClock();
const suite = useApp();
let admin: Account;

// Tests move the clock forward and back, and jobs of a later day end the sessions of an earlier one.
beforeEach(async () => {
  clock.set('2026-11-20T12:00:00.000Z');
  admin = await createAdmin(suite.app);
});

const onDatabase = <Result>(tenant: TestTenant, work: (db: TenantDb) => Promise<Result>) =>
  suite.app.services.tenants.withTenantDb(tenant.id, work);
const retain = async (tenant: TestTenant) => {
  await scheduleJob(suite.app, tenant.id, 'retention');
  await runTenantJobs(suite.app);
};

async function fill<Table extends keyof TenantTables>(
  tenant: TestTenant,
  table: Table,
  rows: readonly TenantTables[Table][],
): Promise<void> {
  const size = 100;
  await onDatabase(tenant, async (db) => {
    for (let start = 0; start < rows.length; start += size) {
      const values = rows.slice(start, start + size) as unknown as Insertable<TenantTables[Table]>[];
      await db.query.insertInto(table).values(values).execute();
    }
  });
}

const auditRecord = (occurred_at: string) => ({
  id: newId(),
  occurred_at,
  event: 'PRODUCT.UPDATED',
  actor_type: 'system' as const,
  actor_id: null,
  resource_type: 'product',
  resource_id: null,
  request_id: null,
  ip: null,
  actor_created_by: null,
  changes_json: '[]',
});
const usageEvent = (license_id: string) => (recorded_at: string) => ({
  license_id,
  idempotency_key: recorded_at,
  recorded_at,
});
const usageTotal = (license_id: string) => (period: string) => ({
  license_id,
  interval: 'day' as const,
  period,
  entitlement_code: 'exports',
  quantity: 1,
});
const idempotencyKey = (expires_at: string) => ({
  attempt_id: newId(),
  route: 'POST /x',
  idempotency_key: expires_at,
  request_hash: '',
  lease_expires_at: expires_at,
  response_status: 201,
  response_data_json: '{}',
  created_at: expires_at,
  expires_at,
});

const portalSession = (expires_at: string): PortalSessionsTable => ({
  id: newId(),
  email: 'holder@example.com',
  token_hash: newId(),
  created_at: expires_at,
  expires_at,
});
const portalLogin = (expires_at: string): PortalLoginsTable => {
  const { token_hash: _, ...login } = portalSession(expires_at);
  return { ...login, kind: 'holder', code_hash: null, link_hash: null, language: null, tries: 0, prepared_at: now };
};

const eventOf = (occurred_at: string): EventsTable => ({
  id: newId(),
  type: 'license.created',
  occurred_at,
  request_id: null,
  product_id: null,
  data_json: '{}',
});
const deliveryTo =
  (webhookId: string) =>
  (event: EventsTable): WebhookDeliveriesTable => ({
    ...newDelivery(event, webhookId, event.occurred_at),
    status: 'succeeded',
    next_attempt_at: null,
    claimable_at: null,
  });

const notification = (created_at: string): NotificationsTable => ({
  id: newId(),
  type: 'message',
  severity: 'info',
  title: 'Title',
  body: 'Body',
  occurrence: null,
  resource_type: null,
  resource_id: null,
  read_at: null,
  created_at,
});

describe('retention', () => {
  test('retention deletes the rows that are older than the settings allow, in every table that it covers, and nothing else', async () => {
    const tenant = await createTenant(suite.app, admin);
    const other = await createTenant(suite.app, admin);
    const { licenseId, webhookId } = await createLicensingData(tenant);
    // Deliver its events first, so that only retention changes rows afterwards.
    await runTenantJobs(suite.app);
    await tenant.asOwner('PUT', '/settings', { retention_days: { audit: 30, usage: 40, deliveries: 20 } });
    // The stopped clock still counts microseconds, so the values lie on either side of a whole millisecond.
    const audit = { gone: '2026-10-21T11:59:59.999999Z', kept: '2026-10-21T12:00:00.001000Z' };
    const usage = { gone: '2026-10-11T11:59:59.999999Z', kept: '2026-10-11T12:00:00.001000Z' };
    const keys = { gone: '2026-11-20T11:59:59.999999Z', kept: '2026-11-20T12:00:00.001000Z' };
    for (const one of [tenant, other]) await fill(one, 'audit_logs', [audit.gone, audit.kept].map(auditRecord));
    await fill(tenant, 'usage_events', [usage.gone, usage.kept].map(usageEvent(licenseId)));
    // The day that contains the boundary has not ended yet.
    await fill(tenant, 'usage_totals', ['2026-10-10', '2026-10-11'].map(usageTotal(licenseId)));
    await fill(tenant, 'idempotency_keys', [keys.gone, keys.kept].map(idempotencyKey));
    await fill(tenant, 'portal_logins', [keys.gone, keys.kept].map(portalLogin));
    await fill(tenant, 'portal_sessions', [keys.gone, keys.kept].map(portalSession));
    const sent = { gone: '2026-10-31T11:59:59.999999Z', kept: '2026-10-31T12:00:00.001000Z' };
    const events = [sent.gone, sent.kept].map(eventOf);
    await fill(tenant, 'events', events);
    await fill(tenant, 'webhook_deliveries', events.map(deliveryTo(webhookId)));
    const notices = [audit.gone, audit.kept].map(notification);
    await fill(tenant, 'notifications', notices);
    const toMail = notices.map(({ id }) => ({ notification_id: id, is_urgent: 0 as const, mail_number: null }));
    await fill(tenant, 'notification_mails', toMail);
    const before = await countAllRows(suite.app, tenant.id);
    const ofOther = await countAllRows(suite.app, other.id);
    await retain(tenant);
    const after = await countAllRows(suite.app, tenant.id);
    const changed = Object.keys(before)
      .filter((table) => before[table] !== after[table])
      .map((table) => [table, (after[table] ?? 0) - (before[table] ?? 0)]);
    expect(changed).toEqual([
      ['tenant.audit_logs', -1],
      ['tenant.idempotency_keys', -1],
      ['tenant.usage_totals', -1],
      ['tenant.usage_events', -1],
      ['tenant.notifications', -1],
      ['tenant.notification_mails', -1],
      ['tenant.events', -1],
      ['tenant.webhook_deliveries', -1],
      ['tenant.portal_logins', -1],
      ['tenant.portal_sessions', -1],
    ]);
    expect(await countAllRows(suite.app, other.id)).toEqual(ofOther);
    await onDatabase(tenant, async ({ query }) => {
      const oldest = await query
        .selectFrom('audit_logs')
        .select('occurred_at')
        .orderBy('occurred_at')
        .limit(1)
        .execute();
      expect(oldest).toEqual([{ occurred_at: audit.kept }]);
      expect(await query.selectFrom('usage_events').select('recorded_at').execute()).toEqual([
        { recorded_at: usage.kept },
      ]);
      expect(await query.selectFrom('idempotency_keys').select('expires_at').execute()).toEqual([
        { expires_at: keys.kept },
      ]);
    });
  });

  test('read notifications are deleted after 90 days, and unread ones with the audit records', async () => {
    const tenant = await createTenant(suite.app, admin);
    await tenant.asOwner('PUT', '/settings', { retention_days: { audit: 200 } });
    const [read, unread] = ['2026-08-22T11:59:59.999999Z', '2026-05-04T11:59:59.999999Z'];
    const later = (moment: string) => moment.replace('11:59:59.999999Z', '12:00:00.001000Z');
    const notices = [
      ...Array.from({ length: 1100 }, () => ({ ...notification(read), read_at: read })),
      { ...notification(later(read)), read_at: later(read) },
      notification(read),
      notification(unread),
      notification(later(unread)),
    ];
    await fill(tenant, 'notifications', notices);
    await retain(tenant);
    const left = await onDatabase(tenant, ({ query }) =>
      query.selectFrom('notifications').select(['created_at', 'read_at']).orderBy('created_at').execute(),
    );
    expect(left).toEqual([
      { created_at: later(unread), read_at: null },
      { created_at: read, read_at: null },
      { created_at: later(read), read_at: later(read) },
    ]);
  });

  test('retention keeps rows that are exactly as old as the settings allow, to the microsecond', async () => {
    const tenant = await createTenant(suite.app, admin);
    const moments = ['2026-10-21T11:59:59.999999Z', '2026-10-21T12:00:00.000000Z'];
    await tenant.asOwner('PUT', '/settings', { retention_days: { audit: 30 } });
    await fill(tenant, 'audit_logs', moments.map(auditRecord));
    const job = retentionJob({
      clock: { now: () => now, nowMs: () => Date.parse(now) },
      rules: retentionRules,
      readSettings,
    });
    const { signal } = new AbortController();
    const left = await onDatabase(tenant, async (db) => {
      expect(await job.run({ tenantId: tenant.id, db, signal })).toBeNull();
      const rows = db.query.selectFrom('audit_logs').select('occurred_at').where('event', '=', 'PRODUCT.UPDATED');
      return await rows.execute();
    });
    expect(left).toEqual([{ occurred_at: moments[1] }]);
  });

  test('retention runs once a day and serves requests while it deletes thousands of rows', async () => {
    const tenant = await createTenant(suite.app, admin);
    const old = Array.from({ length: 2300 }, () => auditRecord('2020-01-01T00:00:00.000000Z'));
    await fill(tenant, 'audit_logs', old);
    await createBackgroundJobs(suite.app.services).sweep.sweepNext();
    clock.set((await jobRow(suite.app, tenant.id, 'retention')).due_at?.replace('000Z', 'Z') ?? '');
    const countOld = () =>
      onDatabase(tenant, (db) =>
        db.query
          .selectFrom('audit_logs')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('event', '=', 'PRODUCT.UPDATED')
          .executeTakeFirstOrThrow(),
      );
    let hasEnded = false;
    const seen = new Set<number>();
    const run = runTenantJobs(suite.app).then(() => {
      hasEnded = true;
    });
    while (!hasEnded) {
      expect((await tenant.asOwner('GET', '/products')).status).toBe(200);
      seen.add((await countOld()).count);
      await nextTurn();
    }
    await run;
    expect(await countOld()).toEqual({ count: 0 });
    expect([...seen].some((count) => count > 0 && count < 2300)).toBe(true);
    const next = (await jobRow(suite.app, tenant.id, 'retention')).due_at ?? '';
    expect(Date.parse(next) - Date.now()).toBe(86_400_000);
  });

  test('an aborted retention run ends after its current batch and continues in the next run', async () => {
    const tenant = await createTenant(suite.app, admin);
    await fill(tenant, 'audit_logs', [auditRecord('2020-01-01T00:00:00.000000Z')]);
    const abort = new AbortController();
    abort.abort();
    const next = await onDatabase(tenant, (db) => {
      const run: JobRun = { tenantId: tenant.id, db, signal: abort.signal };
      return retentionJob({ clock: suite.app.services.clock, rules: retentionRules, readSettings }).run(run);
    });
    expect(Date.parse(next ?? '') - Date.now()).toBe(1000);
    await retain(tenant);
    const { body } = await tenant.asOwner('GET', '/audit-logs?event=PRODUCT.UPDATED');
    expect(body.data).toEqual([]);
  });
});

test('the daily job deletes decisions of the billing guard after 400 days, in batches', async () => {
  const { platform } = suite.app.services;
  const kept = '2025-10-16T12:00:00.001000Z';
  const decision = (occurred_at: string) => ({
    id: newId(),
    occurred_at,
    admin_id: admin.id,
    role: 'billing_admin',
    method: 'POST',
    path: '/api/v1/admin/billing/credits',
    allowed: 1 as const,
    request_id: newId(),
    ip: '203.0.113.9',
  });
  const old = Array.from({ length: 1100 }, () => decision('2025-10-16T11:59:59.999999Z'));
  for (let start = 0; start < old.length; start += 100) {
    await platform.query
      .insertInto('billing_authorization_log')
      .values(old.slice(start, start + 100))
      .execute();
  }
  const mine = [decision(kept), decision(now)];
  await platform.query.insertInto('billing_authorization_log').values(mine).execute();
  const at = suite.app.services.clock.now();
  const job = { subjectId: platformSubject, kind: 'billing-authorization-retention', dueAt: at };
  await platform.transaction((tx) => enqueueJob(tx, job, at));
  await runTenantJobs(suite.app);
  const left = platform.query.selectFrom('billing_authorization_log').select('occurred_at').orderBy('occurred_at');
  expect(await left.execute()).toEqual([{ occurred_at: kept }, { occurred_at: now }]);
});

test.each(Object.keys(platformRetention))('the job %s deletes all expired rows in one run', async (kind) => {
  expect(await runPlatformRetention(suite.app.services, kind)).toBeNull();
});
