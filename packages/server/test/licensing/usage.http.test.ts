import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { useTenant } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';
import { badFields, created, defineEntitlements, newLicense } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useTenant();

beforeAll(async () => {
  await defineEntitlements(suite.tenant, { calls: 'metered', pages: 'metered', export: 'boolean' });
});

beforeEach(() => clock.set('2026-11-20T12:00:00.000Z'));

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

interface Event {
  readonly entitlement?: string;
  readonly quantity?: number;
  readonly idempotency_key?: string;
  readonly occurred_at?: string;
}

const report = (key: string, ...events: Event[]) =>
  suite.tenant.asApplication(`/licenses/${key}/usage`, {
    events: events.map((event) => ({ entitlement: 'calls', quantity: 1, ...event })),
  });

/** Returns the outcome of each event: the reason of a refused event, otherwise its status. */
function outcomes({ status, body, text }: Answer): string[] {
  if (status !== 200) throw new Error(`The report was refused: ${text}`);
  return body.data.results.map((result: { status: string; reason: string | null }) => result.reason ?? result.status);
}

const licenseWith = (entry: object, fields: object = {}, policy: object = {}) =>
  newLicense(
    suite.tenant,
    { ...policy, entitlements: [{ code: 'calls', ...entry }] },
    { starts_at: '2026-01-01T00:00:00Z', ...fields },
  );

const counterOf = async (key: string) =>
  (await suite.tenant.asApplication(`/licenses/${key}/entitlements/check`, { entitlements: ['calls'] })).body.data
    .entitlements[0];

const notifications = (licenseId: string) =>
  suite.app.services.tenants.withTenantDb(suite.tenant.id, ({ query }) =>
    query.selectFrom('notifications').selectAll().where('body', 'like', `%${licenseId}%`).orderBy('id').execute(),
  );

describe('usage reports', () => {
  test('a usage report returns the outcome of each event, and the counters of its entitlements', async () => {
    const entitlements = [{ code: 'calls', limit: 10, reset: 'day' }, { code: 'pages' }, { code: 'export' }];
    const { key } = await newLicense(suite.tenant, { entitlements });
    const answer = await report(
      key,
      { quantity: 4 },
      { entitlement: 'pages', quantity: 1_000_000_000, idempotency_key: 'page' },
      { entitlement: 'export' },
      { entitlement: 'unknown' },
      { quantity: 7 },
      { entitlement: 'pages', quantity: 5, idempotency_key: 'page' },
      { quantity: 6, occurred_at: '2026-11-20T14:05:00+02:00' },
    );
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      results: [
        { index: 0, status: 'accepted', reason: null },
        { index: 1, status: 'accepted', reason: null },
        { index: 2, status: 'refused', reason: 'ENTITLEMENT.NOT_METERED' },
        { index: 3, status: 'refused', reason: 'ENTITLEMENT.NOT_GRANTED' },
        { index: 4, status: 'refused', reason: 'ENTITLEMENT.LIMIT_REACHED' },
        { index: 5, status: 'duplicate', reason: null },
        { index: 6, status: 'accepted', reason: null },
      ],
      counters: [
        { code: 'calls', usage: 10, limit: 10, remaining: 0, resets_at: '2026-11-21T00:00:00.000000Z' },
        { code: 'pages', usage: 1_000_000_000, limit: null, remaining: null, resets_at: null },
      ],
    });
  });

  test('an event that would exceed a limit is not counted in part; with overage every event is counted', async () => {
    const denying = await licenseWith({ limit: 10 });
    expect(outcomes(await report(denying.key, { quantity: 8 }, { quantity: 3 }, { quantity: 2 }))).toEqual([
      'accepted',
      'ENTITLEMENT.LIMIT_REACHED',
      'accepted',
    ]);
    expect(await counterOf(denying.key)).toMatchObject({ usage: 10, remaining: 0, has_access: false });
    const allowing = await licenseWith({ limit: 10, overage: 'allow' });
    expect(outcomes(await report(allowing.key, { quantity: 8 }, { quantity: 30 }))).toEqual(['accepted', 'accepted']);
    expect(await counterOf(allowing.key)).toMatchObject({ usage: 38, remaining: 0, has_access: true });
  });

  test('an event is checked against the current status and the dates of the license at the time of use', async () => {
    const expired = await licenseWith({}, { starts_at: inDays(-10), expires_at: inDays(-2) }, { grace_days: 1 });
    const at = (days: number) => ({ occurred_at: inDays(days) });
    expect(outcomes(await report(expired.key, at(-11), at(-3), at(-1.5), at(-0.5), {}))).toEqual([
      'LICENSE.NOT_STARTED',
      'accepted',
      'accepted',
      'LICENSE.EXPIRED',
      'LICENSE.EXPIRED',
    ]);
    const { id, key } = await licenseWith({});
    await suite.tenant.asOwner('POST', `/licenses/${id}/suspend`);
    expect(outcomes(await report(key, {}))).toEqual(['LICENSE.SUSPENDED']);
    await suite.tenant.asOwner('POST', `/licenses/${id}/reinstate`);
    expect(outcomes(await report(key, {}))).toEqual(['accepted']);
    await suite.tenant.asOwner('POST', `/licenses/${id}/revoke`);
    expect(outcomes(await report(key, {}))).toEqual(['LICENSE.REVOKED']);
  });

  test('events more than 35 days old or 5 minutes ahead are refused individually', async () => {
    const { key } = await licenseWith({});
    const moments = ['2026-10-16T12:00:01Z', '2026-10-16T11:59:59Z', '2026-11-20T12:04:59Z', '2026-11-20T12:05:01Z'];
    expect(outcomes(await report(key, ...moments.map((occurred_at) => ({ occurred_at }))))).toEqual([
      'accepted',
      'USAGE.OUT_OF_WINDOW',
      'accepted',
      'USAGE.OUT_OF_WINDOW',
    ]);
  });

  test('an idempotency key is counted once per license, and a refused event can be sent again', async () => {
    const one = await licenseWith({ limit: 5 });
    const other = await licenseWith({});
    const events = [
      { idempotency_key: 'a', quantity: 3 },
      { idempotency_key: 'b', quantity: 3 },
    ];
    expect(outcomes(await report(one.key, ...events))).toEqual(['accepted', 'ENTITLEMENT.LIMIT_REACHED']);
    await suite.tenant.asOwner('PUT', `/licenses/${one.id}`, { entitlements: [{ code: 'calls', limit: 6 }] });
    expect(outcomes(await report(one.key, ...events))).toEqual(['duplicate', 'accepted']);
    expect(outcomes(await report(one.key, ...events, ...events))).toEqual(Array.from({ length: 4 }, () => 'duplicate'));
    expect(outcomes(await report(other.key, ...events))).toEqual(['accepted', 'accepted']);
    expect([(await counterOf(one.key)).usage, (await counterOf(other.key)).usage]).toEqual([6, 6]);
  });

  test('a report of 1,000 events over five weeks with the longest keys is counted completely', async () => {
    const { key, id } = await licenseWith({ limit: 1_000_000 });
    const events = Array.from({ length: 1000 }, (_, index) => ({
      quantity: index + 1,
      idempotency_key: `${index}`.padEnd(255, '~'),
      occurred_at: new Date(Date.now() - (index % 830) * 3_600_000).toISOString(),
    }));
    expect(new Set(outcomes(await report(key, ...events)))).toEqual(new Set(['accepted']));
    expect(await counterOf(key)).toMatchObject({ usage: 500_500 });
    expect(new Set(outcomes(await report(key, ...events)))).toEqual(new Set(['duplicate']));
    const { body } = await suite.tenant.asOwner('GET', `/usage?license_id=${id}&interval=year`);
    expect(body.data).toMatchObject([{ quantity: 500_500 }]);
  });

  test('an event whose total would exceed the safe integer range is refused', async () => {
    const { key, id } = await licenseWith({});
    await report(key, {});
    await suite.app.services.tenants.withTenantDb(suite.tenant.id, ({ query }) =>
      query
        .updateTable('usage_totals')
        .set({ quantity: Number.MAX_SAFE_INTEGER - 1 })
        .where('license_id', '=', id)
        .where('interval', '=', 'none')
        .execute(),
    );
    expect(outcomes(await report(key, { quantity: 2 }, {}, {}))).toEqual([
      'USAGE.TOTAL_TOO_LARGE',
      'accepted',
      'USAGE.TOTAL_TOO_LARGE',
    ]);
    expect(await counterOf(key)).toMatchObject({ usage: Number.MAX_SAFE_INTEGER });
  });

  test('a usage report is not audited', async () => {
    const { key } = await licenseWith({ limit: 5 });
    const newest = async () => (await suite.tenant.asOwner('GET', '/audit-logs?limit=1')).body.data[0].id;
    const before = await newest();
    await report(key, {});
    expect(await newest()).toBe(before);
  });

  const event = { entitlement: 'calls', quantity: 1 };
  test.each<[string, unknown, string[]]>([
    ['an unknown field of an event', { events: [event, { ...event, at: 'now' }] }, ['events.1.at']],
    ['an empty event', { events: [event, {}] }, ['events.1.entitlement', 'events.1.quantity']],
    ['invalid quantities', { events: quantities(0, -1, 1.5, 1_000_000_001, '1', null, 1e300) }, at7('quantity')],
  ])('a report with %s is a 422 that names every bad field, and nothing is counted', async (_name, body, fields) => {
    const { key, id } = await licenseWith({});
    const refused = await suite.tenant.asApplication(`/licenses/${key}/usage`, body as object);
    expect([refused.status, badFields(refused)]).toEqual([422, fields]);
    expect((await suite.tenant.asOwner('GET', `/usage?license_id=${id}`)).body.data).toEqual([]);
  });

  function quantities(...values: unknown[]): object[] {
    return values.map((quantity) => ({ ...event, quantity }));
  }

  function at7(field: string): string[] {
    return Array.from({ length: 7 }, (_, index) => `events.${index}.${field}`);
  }

  test.each(['unknown', '%20', 'x'.repeat(300)])('a report for the unknown key %s is a 404', async (key) => {
    const answer = await report(key, {});
    expect([answer.status, answer.body.error.code]).toEqual([404, 'LICENSE.NOT_FOUND']);
  });

  test('a usage report requires the scope usage:write', async () => {
    const made = await suite.tenant.asOwner('POST', '/api-keys', { name: 'Checker', scopes: ['entitlements:check'] });
    const { key } = await licenseWith({});
    const refused = await suite.app.request({
      method: 'POST',
      url: `/api/v1/integration/licenses/${key}/usage`,
      headers: { 'x-api-key': created(made).key },
      payload: { events: [event] },
    });
    expect([refused.status, refused.body.error.code]).toEqual([403, 'AUTH.SCOPE_REQUIRED']);
  });
});

test('concurrent reports with one idempotency key are counted once', async () => {
  const { key } = await licenseWith({});
  const answers = await Promise.all(Array.from({ length: 40 }, () => report(key, { idempotency_key: 'same' })));
  expect(answers.flatMap(outcomes).sort()).toEqual(['accepted', ...Array.from({ length: 39 }, () => 'duplicate')]);
  expect(await counterOf(key)).toMatchObject({ usage: 1 });
});

describe('reached limits', () => {
  test('a reached limit is notified once per period, without the license key', async () => {
    const { key, id } = await licenseWith({ limit: 3, reset: 'day' });
    await report(key, { quantity: 2 });
    expect(await notifications(id)).toEqual([]);
    await report(key, { quantity: 2 }, { quantity: 1 });
    await report(key, {}, {});
    const [notification, ...others] = await notifications(id);
    expect(others).toEqual([]);
    expect(notification).toMatchObject({
      type: 'entitlement.limit_reached',
      severity: 'warning',
      title: 'The limit of calls was reached',
      body: expect.stringContaining('3 of 3'),
      read_at: null,
    });
    expect(JSON.stringify(notification)).not.toContain(key);
    clock.advance(dayMs);
    await report(key, { quantity: 4 });
    expect(await notifications(id)).toHaveLength(2);
    await suite.tenant.asOwner('PUT', `/licenses/${id}`, { entitlements: [{ code: 'calls', limit: 5, reset: 'day' }] });
    await report(key, { quantity: 5 });
    expect(await notifications(id)).toHaveLength(3);
  });

  test('a reached limit with overage is notified once too', async () => {
    const { key, id } = await licenseWith({ limit: 3, overage: 'allow' });
    for (let time = 0; time < 3; time += 1) await report(key, { quantity: 2 });
    expect(await notifications(id)).toHaveLength(1);
  });
});

describe('counter resets', () => {
  const useTimezone = (timezone: string) => suite.tenant.asOwner('PUT', '/settings', { timezone });
  beforeEach(() => useTimezone('UTC'));
  afterAll(() => {
    clock.set('2026-11-20T12:00:00.000Z');
    return useTimezone('UTC');
  });

  test.each([
    ['UTC', 'day', '2026-11-20T23:59:59.999Z', '2026-11-21T00:00:00.000Z'],
    ['UTC', 'week', '2026-11-22T23:59:59.999Z', '2026-11-23T00:00:00.000Z'],
    ['Asia/Kathmandu', 'day', '2026-11-20T18:14:59.999Z', '2026-11-20T18:15:00.000Z'],
    ['America/St_Johns', 'month', '2026-12-01T03:29:59.999Z', '2026-12-01T03:30:00.000Z'],
    ['Europe/Berlin', 'day', '2026-10-25T22:59:59.999Z', '2026-10-25T23:00:00.000Z'],
    ['Pacific/Kiritimati', 'year', '2026-12-31T09:59:59.999Z', '2026-12-31T10:00:00.000Z'],
  ])('in %s a counter by %s still counts at %s and resets at %s', async (timezone, reset, last, next) => {
    clock.set('2026-10-20T12:00:00.000Z');
    const { key } = await licenseWith({ limit: 2, reset });
    await useTimezone(timezone);
    clock.set(last);
    expect(outcomes(await report(key, { quantity: 2 }, {}))).toEqual(['accepted', 'ENTITLEMENT.LIMIT_REACHED']);
    expect(Date.parse((await counterOf(key)).resets_at)).toBe(Date.parse(next));
    clock.set(next);
    const answer = await report(key, { quantity: 1 }, { occurred_at: last });
    expect(outcomes(answer)).toEqual(['accepted', 'ENTITLEMENT.LIMIT_REACHED']);
    expect(answer.body.data.counters).toMatchObject([{ usage: 1, remaining: 1 }]);
  });

  test('a late event is counted in the period in which it occurred', async () => {
    const { key, id } = await licenseWith({ limit: 2, reset: 'day' });
    const late = { occurred_at: inDays(-3), quantity: 2 };
    expect(outcomes(await report(key, late, late, {}))).toEqual(['accepted', 'ENTITLEMENT.LIMIT_REACHED', 'accepted']);
    const { body } = await suite.tenant.asOwner('GET', `/usage?license_id=${id}`);
    expect(
      body.data.map((row: { bucket_start: string; quantity: number }) => [row.bucket_start, row.quantity]),
    ).toEqual([
      ['2026-11-20T00:00:00.000000Z', 1],
      ['2026-11-17T00:00:00.000000Z', 2],
    ]);
  });

  test('a change of the timezone moves the start of days and keeps every counter', async () => {
    const { key, id } = await licenseWith({ limit: 5, reset: 'day' });
    expect(outcomes(await report(key, { quantity: 2 }))).toEqual(['accepted']);
    await useTimezone('America/New_York');
    expect(outcomes(await report(key, { quantity: 1 }))).toEqual(['accepted']);
    expect(await counterOf(key)).toMatchObject({ usage: 3, resets_at: '2026-11-21T05:00:00.000000Z' });
    expect((await suite.tenant.asOwner('GET', `/usage?license_id=${id}`)).body.data).toMatchObject([
      { bucket_start: '2026-11-20T05:00:00.000000Z', quantity: 3 },
    ]);
  });
});

test('a deleted license keeps its usage history, and a new license with its key inherits none of it', async () => {
  const first = await licenseWith({ limit: 5 });
  await report(first.key, { quantity: 5, idempotency_key: 'once' });
  await suite.tenant.asOwner('DELETE', `/licenses/${first.id}`);
  expect((await report(first.key, {})).status).toBe(404);
  const second = await licenseWith({ limit: 5 }, { key: first.key });
  expect(await counterOf(first.key)).toMatchObject({ usage: 0, remaining: 5 });
  expect(outcomes(await report(first.key, { quantity: 4, idempotency_key: 'once' }))).toEqual(['accepted']);
  const quantityOf = async (id: string) =>
    (await suite.tenant.asOwner('GET', `/usage?license_id=${id}`)).body.data.map(
      (row: { quantity: number }) => row.quantity,
    );
  expect([await quantityOf(first.id), await quantityOf(second.id)]).toEqual([[5], [4]]);
  expect(await quantityOf(newId())).toEqual([]);
});
