import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteAllExpired } from '../../src/db/expired-rows.ts';
import { expiredUsage } from '../../src/features/licensing/usage/counters-service.ts';
import { createTenant, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { badFields, defineEntitlements, newLicense } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useTenant();
let first: License;
let second: License;

interface License {
  readonly id: string;
  readonly key: string;
}

interface Bucket {
  readonly bucket_start: string;
  readonly license_id: string;
  readonly entitlement: string;
  readonly quantity: number;
}

/** Kathmandu is 5 hours and 45 minutes ahead of UTC, so local days begin at 18:15 UTC. */
const timezone = 'Asia/Kathmandu';
const use = async (license: License, entitlement: string, uses: Readonly<Record<string, number>>) => {
  const events = Object.entries(uses).map(([occurred_at, quantity]) => ({ entitlement, quantity, occurred_at }));
  const { body } = await suite.tenant.asApplication(`/licenses/${license.key}/usage`, { events });
  for (const { status } of body.data.results) expect(status).toBe('accepted');
};

beforeEach(() => clock.set('2026-11-20T12:00:00.000Z'));

beforeAll(async () => {
  clock.set('2026-11-20T12:00:00.000Z');
  await suite.tenant.asOwner('PUT', '/settings', { timezone });
  await defineEntitlements(suite.tenant, { calls: 'metered', pages: 'metered' });
  const make = () =>
    newLicense(
      suite.tenant,
      { entitlements: [{ code: 'calls' }, { code: 'pages' }] },
      { starts_at: '2026-01-01T00:00:00Z' },
    );
  [first, second] = [await make(), await make()];
  await use(first, 'calls', {
    '2026-11-20T10:14:59Z': 1,
    '2026-11-20T10:15:00Z': 2,
    '2026-11-19T18:15:00Z': 4,
    '2026-11-19T18:14:59Z': 8,
    '2026-10-31T18:15:00Z': 16,
    '2026-10-31T18:14:59Z': 32,
  });
  await use(first, 'pages', { '2026-11-20T10:15:00Z': 64 });
  await use(second, 'calls', { '2026-11-19T12:00:00Z': 128 });
});

async function list(query: string): Promise<Bucket[]> {
  const { status, body, text } = await suite.tenant.asOwner('GET', `/usage?${query}`);
  if (status !== 200) throw new Error(text);
  return body.data;
}

const brief = (buckets: readonly Bucket[]) =>
  buckets.map((bucket) => [bucket.bucket_start.replace(':00.000000Z', 'Z'), bucket.quantity]);

describe('usage buckets', () => {
  test.each([
    [
      'hour',
      [
        ['2026-11-20T10:15Z', 2],
        ['2026-11-20T09:15Z', 1],
        ['2026-11-19T18:15Z', 4],
        ['2026-11-19T17:15Z', 8],
        ['2026-10-31T18:15Z', 16],
        ['2026-10-31T17:15Z', 32],
      ],
    ],
    [
      'day',
      [
        ['2026-11-19T18:15Z', 7],
        ['2026-11-18T18:15Z', 8],
        ['2026-10-31T18:15Z', 16],
        ['2026-10-30T18:15Z', 32],
      ],
    ],
    [
      'week',
      [
        ['2026-11-15T18:15Z', 15],
        ['2026-10-25T18:15Z', 48],
      ],
    ],
    [
      'month',
      [
        ['2026-10-31T18:15Z', 31],
        ['2026-09-30T18:15Z', 32],
      ],
    ],
    ['year', [['2025-12-31T18:15Z', 63]]],
  ])("usage is listed by %s in the tenant's timezone, newest first", async (interval, expected) => {
    const filters = `license_id=${first.id}&entitlement=calls`;
    expect(brief(await list(`${filters}&interval=${interval}`))).toEqual(expected);
    if (interval === 'day') expect(brief(await list(filters))).toEqual(expected);
  });

  test.each([
    ['from the start of a bucket includes it', 'from=2026-11-18T18:15:00Z', [7, 8]],
    ['from just after the start of a bucket excludes it', 'from=2026-11-18T18:15:00.000001Z', [7]],
    ['to the start of a bucket excludes it', 'to=2026-11-18T18:15:00Z', [16, 32]],
    ['to just after the start of a bucket includes it', 'to=2026-11-18T18:15:00.000001Z', [8, 16, 32]],
    [
      'with other UTC offsets selects the same instants',
      'from=2026-11-01T00:00:00%2B05:45&to=2026-11-20T00:00:00%2B05:45',
      [8, 16],
    ],
    ['from the year 9999 selects nothing', 'from=9999-12-31T23:59:59Z', []],
    ['to the year 9999 selects everything', 'to=9999-12-31T23:59:59Z', [7, 8, 16, 32]],
    ['from 1970 selects everything', 'from=1970-01-01T00:00:00Z', [7, 8, 16, 32]],
    ['to 1970 selects nothing', 'to=1970-01-01T00:00:00Z', []],
    ['whose end is before its start selects nothing', 'from=2026-11-20T00:00:00Z&to=2026-11-01T00:00:00Z', []],
  ])('a range of usage %s', async (_name, range, expected) => {
    const buckets = await list(`license_id=${first.id}&entitlement=calls&${range}`);
    expect(buckets.map((bucket) => bucket.quantity)).toEqual(expected);
  });
});

test('an hour that occurs twice has two buckets, and a range can select each of them', async () => {
  const other = await createTenant(suite.app, suite.admin, 'Berlin');
  await defineEntitlements(other, { calls: 'metered' });
  const { key } = await newLicense(other, { entitlements: [{ code: 'calls' }] }, { starts_at: '2026-01-01T00:00:00Z' });
  await other.asOwner('PUT', '/settings', { timezone: 'Europe/Berlin' });
  const moments = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T01:59:59Z'];
  const events = moments.map((occurred_at) => ({ entitlement: 'calls', quantity: 1, occurred_at }));
  await other.asApplication(`/licenses/${key}/usage`, { events });
  const buckets = async (range: string) => (await other.asOwner('GET', `/usage?interval=hour${range}`)).body.data;
  expect(brief(await buckets(''))).toEqual([
    ['2026-10-25T01:00Z', 2],
    ['2026-10-25T00:00Z', 1],
  ]);
  expect(brief(await buckets('&from=2026-10-25T01:00:00Z'))).toEqual([['2026-10-25T01:00Z', 2]]);
  expect(brief(await buckets('&to=2026-10-25T01:00:00Z'))).toEqual([['2026-10-25T00:00Z', 1]]);
});

describe('pages of usage', () => {
  const encode = (text: string) => Buffer.from(text).toString('base64url');

  test('a cursor of another list does not move the end of a range', async () => {
    const cursor = encode(`2026-11-21 ${first.id} pages`);
    const filters = `license_id=${first.id}&to=2026-11-01T00:00:00Z`;
    expect(await list(`${filters}&cursor=${cursor}`)).toEqual(await list(filters));
  });

  test.each([
    '',
    'interval=hour',
    'interval=week&entitlement=calls',
    'from=2026-11-01T00:00:00Z',
    'to=2026-11-20T00:00:00Z',
  ])('pages of every size contain each bucket of ?%s once, in the same order', async (query) => {
    const whole = await list(`${query}&limit=100`);
    expect(whole.length).toBeGreaterThan(1);
    const order = whole.map(({ bucket_start, license_id, entitlement }) =>
      [bucket_start, license_id, entitlement].join(' '),
    );
    expect(order).toEqual([...new Set(order)].sort().reverse());
    for (const limit of [1, 2, 3]) {
      const seen: Bucket[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const { body } = await suite.tenant.asOwner('GET', `/usage?${query}&limit=${limit}${page}`);
        seen.push(...body.data);
        cursor = body.meta.next_cursor;
      }
      expect(seen).toEqual(whole);
    }
  });

  test.each([
    'x',
    encode('2026-11-20'),
    encode(`2026-11-20T10:15Z ${'0'.repeat(36)} calls`),
    encode('2026-11-20 019a9d5e-0000-7000-8000-000000000000 a b'),
    encode('2026-11-20 019a9d5e-0000-7000-8000-000000000000 \u0000'),
    encode("' or 1=1 019a9d5e-0000-7000-8000-000000000000 calls"),
  ])('the forged cursor %s is a 422', async (cursor) => {
    const answer = await suite.tenant.asOwner('GET', `/usage?cursor=${cursor}`);
    expect([answer.status, badFields(answer)]).toEqual([422, ['cursor']]);
  });

  test('a cursor of a list by hour is a 422 in a list by day', async () => {
    const { body } = await suite.tenant.asOwner('GET', '/usage?interval=hour&limit=1');
    const answer = await suite.tenant.asOwner('GET', `/usage?interval=day&cursor=${body.meta.next_cursor}`);
    expect([answer.status, badFields(answer)]).toEqual([422, ['cursor']]);
  });
});

test('retention deletes usage before the cutoff in batches, and keeps counters that never reset', async () => {
  const other = await createTenant(suite.app, suite.admin, 'Trimmed');
  await defineEntitlements(other, { calls: 'metered' });
  const { key } = await newLicense(other, { entitlements: [{ code: 'calls' }] }, { starts_at: '2026-01-01T00:00:00Z' });
  await other.asOwner('PUT', '/settings', { timezone });
  const send = (occurred_at: string, idempotency_key: string) =>
    other.asApplication(`/licenses/${key}/usage`, {
      events: [{ entitlement: 'calls', quantity: 1, idempotency_key, occurred_at }],
    });
  await send('2026-10-31T18:00:00Z', 'old');
  await send('2026-10-31T18:15:00Z', 'current-month');
  clock.advance(60_000);
  const cutoff = '2026-11-20T12:01:00.000000Z';
  await send('2026-11-20T12:00:00Z', 'new');
  const rows = async (interval: string) => brief((await other.asOwner('GET', `/usage?interval=${interval}`)).body.data);
  const settings = {
    timezone,
    retention_days: { audit: 0, usage: 0, deliveries: 0, mails: 0, sale_messages: 0, checks: 0 },
  };
  const trim = () =>
    suite.app.services.tenants.withTenantDb(other.id, (db) =>
      db.transaction((tx) => deleteAllExpired(tx, expiredUsage({ now: cutoff, settings }), 2)),
    );
  const deleted: number[] = [];
  do deleted.push(await trim());
  while (deleted.at(-1) === 2);
  // Two keys; two hours, two days and two weeks, of which one week has both events; and the previous month.
  expect(deleted).toEqual([2, 2, 2, 2, 0]);
  expect(await rows('hour')).toEqual([['2026-11-20T11:15Z', 1]]);
  expect(await rows('day')).toEqual([['2026-11-19T18:15Z', 1]]);
  expect(await rows('week')).toEqual([['2026-11-15T18:15Z', 1]]);
  expect(await rows('month')).toEqual([['2026-10-31T18:15Z', 2]]);
  expect(await rows('year')).toEqual([['2025-12-31T18:15Z', 3]]);
  const checked = await other.asApplication(`/licenses/${key}/entitlements/check`);
  expect(checked.body.data.entitlements[0].usage).toBe(3);
  expect((await send('2026-11-20T12:00:00Z', 'new')).body.data.results[0].status).toBe('duplicate');
});

describe('usage over time', () => {
  const series = (query: string) => suite.tenant.asOwner('GET', `/usage/series?${query}`);

  test('sums the licenses per bucket in the timezone of the tenant, with empty buckets, oldest first', async () => {
    const { body } = await series('from=2026-11-18T20:00:00Z');
    expect(body.data.map((point: { bucket_start: string }) => point.bucket_start)).toEqual([
      '2026-11-18T18:15:00.000000Z',
      '2026-11-19T18:15:00.000000Z',
    ]);
    expect(body.data.map((point: { entitlements: unknown }) => point.entitlements)).toEqual([
      [{ code: 'calls', quantity: 8 + 128 }],
      [
        { code: 'calls', quantity: 1 + 2 + 4 },
        { code: 'pages', quantity: 64 },
      ],
    ]);
    const months = await series('interval=month&from=2026-09-30T18:15:00Z&entitlement=calls');
    expect(months.body.data.map((point: { entitlements: unknown }) => point.entitlements)).toEqual([
      [{ code: 'calls', quantity: 32 }],
      [{ code: 'calls', quantity: 1 + 2 + 4 + 8 + 16 + 128 }],
    ]);
    const ofSecond = await series(`from=2026-11-17T20:00:00Z&license_id=${second.id}`);
    expect(ofSecond.body.data.map((point: { entitlements: unknown }) => point.entitlements)).toEqual([
      [],
      [{ code: 'calls', quantity: 128 }],
      [],
    ]);
  });

  test('a range of more than 100 buckets or without any is refused', async () => {
    expect(badFields(await series('interval=hour&from=2026-11-01T00:00:00Z'))).toEqual(['from']);
    expect(badFields(await series('from=2026-11-21T00:00:00Z'))).toEqual(['from']);
  });
});
