import { beforeAll, describe, expect, test } from 'vitest';
import { bothSurfaces, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { created, newPolicy } from '../support/licensing-catalog.ts';

// How people find licenses in the list: by a part of a key, and by the days until they expire.

const clock = useClock('2026-11-20T12:00:00.000Z');
const suite = useTenant();
const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

let policyId: string;
let key: string;

beforeAll(async () => {
  const { tenant } = suite;
  policyId = (await newPolicy(tenant, { key_prefix: 'PRO' })).id;
  const make = async (fields: object) => {
    clock.advance(1000);
    return created(await tenant.asOwner('POST', '/licenses', { policy_id: policyId, ...fields }));
  };
  key = (await make({ holder: { name: 'Ada Lovelace' }, expires_at: inDays(3) })).key;
  await make({ key: 'ACME-2026-0042', holder: { name: 'Grace Hopper' }, expires_at: inDays(7.4) });
  await make({ holder: { name: 'Annie Easley' }, expires_at: null });
  await make({ holder: { name: 'Mary Jackson' }, expires_at: inDays(13.9) });
  await make({ holder: { name: 'Alan Turing' }, expires_at: inDays(14.1) });
});

describe.each(bothSurfaces(suite))('the list of licenses through the $surface surface', ({ prefix, auth }) => {
  const get = (path: string) => suite.app.request({ method: 'GET', url: prefix() + path, headers: auth() });
  const namesOf = async (query: string): Promise<string[]> => {
    const { status, body } = await get(`/licenses?${query}`);
    expect(status).toBe(200);
    return body.data.map(({ holder }: { holder: { name: string } }) => holder.name);
  };
  const found = (text: string) => namesOf(`q=${encodeURIComponent(text)}`);

  test.for([
    ['the last characters that the list shows', () => key.slice(-9)],
    ['the last group', () => key.slice(-5)],
    ['the last group in lower case', () => key.slice(-5).toLowerCase()],
    ['the first groups with spaces instead of dashes', () => key.slice(0, 15).replaceAll('-', ' ')],
    ['the last groups with spaces instead of dashes', () => key.slice(-11).replaceAll('-', ' ')],
    ['the whole key with spaces', () => key.replaceAll('-', ' ')],
  ] as const)('a license is found by %s', async ([, text]) => {
    expect(await found(text())).toEqual(['Ada Lovelace']);
  });

  test('a key of the vendor is found by its end, and with spaces', async () => {
    expect(await found('0042')).toEqual(['Grace Hopper']);
    expect(await found('acme 2026')).toEqual(['Grace Hopper']);
    expect(await found('2026 0042')).toEqual(['Grace Hopper']);
  });

  test('a holder is still found by several words in any order', async () => {
    expect(await found('lovelace ada')).toEqual(['Ada Lovelace']);
    expect(await found('ada hopper')).toEqual([]);
  });

  test('a license with a new key is found by its end, and not by the former one', async () => {
    const [{ id }] = (await get('/licenses?q=annie')).body.data;
    const { body } = await suite.app.request({
      method: 'POST',
      url: `${prefix()}/licenses/${id}/rotate-key`,
      headers: auth(),
    });
    expect(await found(body.data.key.slice(-7))).toEqual(['Annie Easley']);
  });

  test('the filter by days has exactly the licenses that end within so many days from now', async () => {
    expect(await namesOf('expires_within_days=7')).toEqual(['Ada Lovelace']);
    expect(await namesOf('expires_within_days=8')).toEqual(['Grace Hopper', 'Ada Lovelace']);
    const names = ['Ada Lovelace', 'Grace Hopper', 'Mary Jackson'];
    expect(await namesOf('expires_within_days=14&sort=expires_at')).toEqual(names);
    expect((await get('/licenses?expires_within_days=0')).status).toBe(422);
  });

  test('the overview counts the licenses that the filter of the same days lists', async () => {
    const { body } = await get('/overview');
    const { licenses, expiring_soon_days: days } = body.data;
    const listed = await namesOf(`status=active&expires_within_days=${days}`);
    expect([licenses.expiring, days]).toEqual([listed.length, 14]);
  });

  test('the list has the number of all licenses, and none for a filter', async () => {
    expect((await get('/licenses?limit=1')).body.meta.total).toBe(5);
    expect((await get('/licenses?limit=1&status=active')).body.meta.total).toBeNull();
  });

  test('an export has the order of the list, and says never for a license without an end', async () => {
    const { text } = await get('/licenses/export?sort=expires_at');
    const rows = text
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    const column = (name: string) => rows[0]?.indexOf(name) ?? -1;
    const names = rows.slice(1).map((row) => row[column('holder_name')]);
    expect(names).toEqual(['Ada Lovelace', 'Grace Hopper', 'Mary Jackson', 'Alan Turing', 'Annie Easley']);
    expect(rows.at(-1)?.[column('expires_at')]).toBe('never');
    expect(text).not.toMatch(/,null\b/);
  });
});
