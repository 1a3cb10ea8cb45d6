import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { trimUsage } from '../../src/features/licensing/usage/retention-service.ts';
import {
  type Account,
  createAdmin,
  createTenant,
  createUser,
  joinTenant,
  type TestTenant,
} from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { badFields, defineEntitlements, newLicense } from '../support/licensing-catalog.ts';

const clock = useClock();
const suite = useApp();
let admin: Account;
let tenant: TestTenant;
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

/** Local days in Kathmandu, which is 5 hours and 45 minutes ahead, begin at 18:15 UTC. */
const timezone = 'Asia/Kathmandu';
const use = async (license: License, entitlement: string, uses: Readonly<Record<string, number>>) => {
  const events = Object.entries(uses).map(([occurred_at, quantity]) => ({ entitlement, quantity, occurred_at }));
  const { body } = await tenant.asApplication(`/licenses/${license.key}/usage`, { events });
  for (const { status } of body.data.results) expect(status).toBe('accepted');
};

beforeEach(() => clock.set('2026-11-20T12:00:00.000Z'));

beforeAll(async () => {
  clock.set('2026-11-20T12:00:00.000Z');
  admin = await createAdmin(suite.app);
  tenant = await createTenant(suite.app, admin);
  await tenant.asOwner('PUT', '/settings', { timezone });
  await defineEntitlements(tenant, { calls: 'metered', pages: 'metered' });
  const make = () =>
    newLicense(tenant, { entitlements: [{ code: 'calls' }, { code: 'pages' }] }, { starts_at: '2026-01-01T00:00:00Z' });
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
  const { status, body, text } = await tenant.asOwner('GET', `/usage?${query}`);
  if (status !== 200) throw new Error(text);
  return body.data;
}

const brief = (buckets: readonly Bucket[]) =>
  buckets.map((bucket) => [bucket.bucket_start.replace(':00.000000Z', 'Z'), bucket.quantity]);

describe('the buckets of a license and an entitlement', () => {
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
  ])('are told by the %s in the timezone of the tenant, newest first', async (interval, expected) => {
    const filters = `license_id=${first.id}&entitlement=calls`;
    expect(brief(await list(`${filters}&interval=${interval}`))).toEqual(expected);
    if (interval === 'day') expect(brief(await list(filters))).toEqual(expected);
  });

  test.each([
    ['from the moment at which a bucket begins', 'from=2026-11-18T18:15:00Z', [7, 8]],
    ['from a moment later', 'from=2026-11-18T18:15:00.000001Z', [7]],
    ['to the moment at which a bucket begins', 'to=2026-11-18T18:15:00Z', [16, 32]],
    ['to a moment later', 'to=2026-11-18T18:15:00.000001Z', [8, 16, 32]],
    [
      'between two moments of other offsets',
      'from=2026-11-01T00:00:00%2B05:45&to=2026-11-20T00:00:00%2B05:45',
      [8, 16],
    ],
    ['from the end of time', 'from=9999-12-31T23:59:59Z', []],
    ['to the end of time', 'to=9999-12-31T23:59:59Z', [7, 8, 16, 32]],
    ['from its beginning', 'from=1970-01-01T00:00:00Z', [7, 8, 16, 32]],
    ['to its beginning', 'to=1970-01-01T00:00:00Z', []],
    ['the other way around', 'from=2026-11-20T00:00:00Z&to=2026-11-01T00:00:00Z', []],
  ])('are those %s', async (_name, range, expected) => {
    const buckets = await list(`license_id=${first.id}&entitlement=calls&${range}`);
    expect(buckets.map((bucket) => bucket.quantity)).toEqual(expected);
  });
});

test('an hour that comes twice has two buckets, and the filters still find each', async () => {
  const other = await createTenant(suite.app, admin, 'Berlin');
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

describe('pages', () => {
  const encode = (text: string) => Buffer.from(text).toString('base64url');

  test('of another list end where this one does', async () => {
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
  ])('of every size show each bucket of ?%s once, in one order', async (query) => {
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
        const { body } = await tenant.asOwner('GET', `/usage?${query}&limit=${limit}${page}`);
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
  ])('a cursor that no list made is a 422: %s', async (cursor) => {
    const answer = await tenant.asOwner('GET', `/usage?cursor=${cursor}`);
    expect([answer.status, badFields(answer)]).toEqual([422, ['cursor']]);
  });

  test('a cursor of a list by the hour is none of a list by the day', async () => {
    const { body } = await tenant.asOwner('GET', '/usage?interval=hour&limit=1');
    const answer = await tenant.asOwner('GET', `/usage?interval=day&cursor=${body.meta.next_cursor}`);
    expect([answer.status, badFields(answer)]).toEqual([422, ['cursor']]);
  });
});

test.each([
  ['interval=minute', ['interval']],
  ['interval=none', ['interval']],
  ['license_id=1&entitlement=a%20b&from=yesterday&to=', ['entitlement', 'from', 'license_id', 'to']],
  ['limit=0&order=asc', ['limit', 'order']],
])('refuses ?%s', async (query, fields) => {
  const answer = await tenant.asOwner('GET', `/usage?${query}`);
  expect([answer.status, badFields(answer)]).toEqual([422, fields]);
});

test('viewers and admins read the same list, and another tenant sees none of it', async () => {
  const viewer = await createUser(suite.app);
  await joinTenant(suite.app, viewer, tenant.id, 'viewer');
  const read = (url: string, headers: Record<string, string>) => suite.app.request({ method: 'GET', url, headers });
  const expected = await list('limit=100');
  const asViewer = await read('/api/v1/tenant/usage?limit=100', viewer.auth);
  const asAdmin = await read(`/api/v1/admin/tenants/${tenant.id}/usage?limit=100`, admin.auth);
  expect([asViewer.body.data, asAdmin.body.data]).toEqual([expected, expected]);
  const stranger = await createTenant(suite.app, admin, 'Stranger');
  expect((await stranger.asOwner('GET', `/usage?license_id=${first.id}`)).body.data).toEqual([]);
});

test('trimming deletes what ended before the cutoff, batch by batch, and keeps what never starts anew', async () => {
  const other = await createTenant(suite.app, admin, 'Trimmed');
  await defineEntitlements(other, { calls: 'metered' });
  const { key } = await newLicense(other, { entitlements: [{ code: 'calls' }] }, { starts_at: '2026-01-01T00:00:00Z' });
  await other.asOwner('PUT', '/settings', { timezone });
  const send = (occurred_at: string, idempotency_key: string) =>
    other.asApplication(`/licenses/${key}/usage`, {
      events: [{ entitlement: 'calls', quantity: 1, idempotency_key, occurred_at }],
    });
  await send('2026-10-31T18:00:00Z', 'old');
  await send('2026-10-31T18:15:00Z', 'of-the-month-that-runs');
  clock.advance(60_000);
  const cutoff = '2026-11-20T12:01:00.000000Z';
  await send('2026-11-20T12:00:00Z', 'new');
  const rows = async (interval: string) => brief((await other.asOwner('GET', `/usage?interval=${interval}`)).body.data);
  const trim = () =>
    suite.app.services.tenants.withTenantDb(other.id, (db) =>
      db.transaction((tx) => trimUsage(tx, cutoff, timezone, 2)),
    );
  const deleted: number[] = [];
  do deleted.push(await trim());
  while (deleted.at(-1) === 2);
  // Two keys; two hours, days and weeks each, of which two are one week; and the month before.
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
