import { beforeAll, expect, test } from 'vitest';
import { bothSurfaces, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created, newPolicy } from '../support/licensing-catalog.ts';
import { csv, ndjson, sendFile } from './license-files.ts';

const clock = useClock('2027-06-20T12:00:00.000Z');
const suite = useTenant();
let policy: { readonly id: string };

beforeAll(async () => {
  policy = await newPolicy(suite.tenant, { code: 'yearly', duration_days: 365 });
  await suite.tenant.asOwner('PUT', '/settings', { timezone: 'America/Los_Angeles' });
});

const day = '2027-06-30';
const end = '2027-07-01T06:59:59.999999Z';
const start = '2027-06-30T07:00:00.000000Z';
const licenseOf = async (key: string) => (await suite.tenant.asOwner('GET', `/licenses?key=${key}`)).body.data[0];

test.each(bothSurfaces(suite))('a day in a form of the $surface surface is that day of the tenant', async (surface) => {
  const send = (method: 'POST' | 'PUT' | 'GET', path: string, payload?: object) =>
    suite.app.request({ method, url: surface.prefix() + path, headers: surface.auth(), ...(payload && { payload }) });
  const fields = { policy_id: policy.id, starts_at: '2027-06-20', expires_at: day, maintenance_expires_at: day };
  const license = created(await send('POST', '/licenses', fields));
  expect(license).toMatchObject({
    starts_at: '2027-06-20T07:00:00.000000Z',
    expires_at: end,
    maintenance_expires_at: end,
  });
  const later = await send('PUT', `/licenses/${license.id}`, { expires_at: '2027-07-31' });
  expect(later.body.data.expires_at).toBe('2027-08-01T06:59:59.999999Z');
  const filter = `/licenses?expires_after=2027-07-31&expires_before=2027-08-01&limit=9`;
  const found = (await send('GET', filter)).body.data.map(({ id }: { id: string }) => id);
  expect(found).toContain(license.id);
  const refused = await send('POST', '/licenses', { ...fields, expires_at: '2027-02-29' });
  expect(refused.body.error.details).toEqual([{ field: 'expires_at', message: expect.stringContaining('2026-12-01') }]);
});

test('a day in a file is that day of the tenant, in both formats', async () => {
  const cells = `DAY-CSV,${day},${day},${day},"[]"`;
  const columns = 'policy,key,starts_at,expires_at,maintenance_expires_at,entitlements';
  expect((await sendFile(suite.app, suite.tenant, csv(columns, `yearly,${cells}`))).body.data.created).toBe(1);
  const row = { policy: 'yearly', key: 'DAY-JSON', starts_at: day, expires_at: day, maintenance_expires_at: day };
  const sent = await sendFile(suite.app, suite.tenant, ndjson(row), { type: 'application/x-ndjson' });
  expect(sent.body.data.created).toBe(1);
  const wrong = await sendFile(suite.app, suite.tenant, csv('policy,expires_at', 'yearly,2030-02-30'));
  expect(wrong.body.error.details).toEqual([expect.objectContaining({ row: 1, field: 'expires_at' })]);
  for (const key of ['DAY-CSV', 'DAY-JSON']) {
    expect(await licenseOf(key), key).toMatchObject({ starts_at: start, expires_at: end, maintenance_expires_at: end });
  }
});

test('a license works until the end of its last day, and not after it', async () => {
  const { key } = created(await suite.tenant.asOwner('POST', '/licenses', { policy_id: policy.id, expires_at: day }));
  const codeAt = async (at: string) => {
    clock.set(at);
    return (await suite.tenant.asApplication(`/licenses/${key}/validate`, { version_released_at: day })).body.data.code;
  };
  expect(await codeAt('2027-07-01T06:59:59.000Z')).toBe('LICENSE.VALID');
  expect(await codeAt('2027-07-01T07:00:00.000Z')).toBe('LICENSE.EXPIRED');
});
