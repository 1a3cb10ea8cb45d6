import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { addTenantRow } from '../accounts/people.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';

const clock = useClock('2026-11-20T12:30:00.000Z');
const suite = useApp();
let admin: Account;
let tenant: TestTenant;

beforeAll(async () => {
  admin = await createAdmin(suite.app);
});
beforeEach(async () => {
  tenant = await createTenant(suite.app, admin);
});

const send = (path: string) =>
  suite.app.request({ method: 'GET', url: `/api/v1/admin/rate-limits${path}`, headers: admin.auth });
const read = async (path: string) => {
  const answer = await send(path);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
};
const patch = (id: string, payload: object) =>
  suite.app.request({ method: 'PATCH', url: `/api/v1/admin/tenants/${id}`, headers: admin.auth, payload });
const setCeiling = (id: string, integration_requests_per_minute: number) =>
  patch(id, { limits: { integration_requests_per_minute } });

async function validate(times: number, apiKey = tenant.apiKey): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const url = '/api/v1/integration/licenses/UNKNOWN/validate';
    await suite.app.request({ method: 'POST', url, headers: { 'x-api-key': apiKey } });
  }
}

async function newKey(fields: object): Promise<{ id: string; key: string }> {
  return (await tenant.asOwner('POST', '/api-keys', { name: 'Key', ...fields })).body.data;
}

const idsOf = (rows: readonly { tenant_id: string }[]) => rows.map(({ tenant_id }) => tenant_id);

describe('the rate limit of a tenant', () => {
  test("the report shows the use of a tenant's window, and reading it does not use the window", async () => {
    await setCeiling(tenant.id, 5);
    expect(await read(`/${tenant.id}`)).toMatchObject({
      tenant_id: tenant.id,
      name: 'Acme',
      status: 'active',
      ceiling: 5,
      used: 0,
      remaining: 5,
      resets_at: null,
      top_keys: [],
    });
    await validate(3);
    for (let time = 0; time < 2; time += 1) {
      expect(await read(`/${tenant.id}`)).toMatchObject({
        used: 3,
        remaining: 2,
        resets_at: '2026-11-20T12:31:00.000000Z',
      });
    }
    await validate(9);
    expect(await read(`/${tenant.id}`)).toMatchObject({ used: 5, remaining: 0 });
    clock.advance(60_000);
    expect(await read(`/${tenant.id}`)).toMatchObject({ used: 0, remaining: 5, resets_at: null });
    clock.advance(-60_000);
  });

  test('the report shows the rejections of a tenant per hour', async () => {
    await setCeiling(tenant.id, 1);
    await validate(4);
    clock.advance(3_600_000);
    await validate(3);
    const { rejections } = await read(`/${tenant.id}?interval=hour&from=2026-11-20T12:00:00Z&to=2026-11-20T14:30:00Z`);
    expect(rejections).toEqual([
      { bucket_start: '2026-11-20T12:00:00.000000Z', count: 3 },
      { bucket_start: '2026-11-20T13:00:00.000000Z', count: 2 },
      { bucket_start: '2026-11-20T14:00:00.000000Z', count: 0 },
    ]);
    const days = (await read(`/${tenant.id}`)).rejections;
    expect([days.length, days.at(-1)]).toEqual([31, { bucket_start: '2026-11-20T00:00:00.000000Z', count: 5 }]);
    clock.advance(-3_600_000);
  });

  test('the report counts the rejections of a limit per client address, also those of feature flags', async () => {
    const { key } = await newKey({ rate_limit_per_address_per_minute: 1 });
    await validate(3, key);
    const payload = { context: {} };
    const headers = { 'x-api-key': key };
    await suite.app.request({ method: 'POST', url: '/ofrep/v1/evaluate/flags', headers, payload });
    const report = await read(`/${tenant.id}?interval=hour`);
    expect([report.used, report.rejections.at(-1).count]).toEqual([1, 3]);
    expect(idsOf(await read('?limited=true'))).toContain(tenant.id);
  });

  test('the report shows the ten most used keys of today and the windows of keys with their own ceiling', async () => {
    const keys: { id: string; key: string }[] = [];
    for (let number = 1; number <= 11; number += 1) {
      const key = await newKey({ name: `Key ${number}`, ...(number === 11 && { rate_limit_per_minute: 5 }) });
      keys.push(key);
      await validate(number === 11 ? 13 : number, key.key);
    }
    await tenant.asOwner('DELETE', `/api-keys/${keys[9]?.id}`);
    const { top_keys } = await read(`/${tenant.id}`);
    expect(top_keys.map(({ id, requests }: { id: string; requests: number }) => [id, requests])).toEqual(
      [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((number) => [keys[number - 1]?.id, number === 11 ? 13 : number]),
    );
    expect(top_keys[0]).toEqual({
      id: keys[10]?.id,
      name: 'Key 11',
      hint: expect.stringMatching(/^vx_[0-9a-f]{4}…[0-9a-f]{4}$/),
      requests: 13,
      window: { ceiling: 5, used: 5, remaining: 0, resets_at: '2026-11-20T12:31:00.000000Z' },
    });
    expect(top_keys[1].window).toBeNull();
    clock.advance(12 * 3_600_000);
    admin = await createAdmin(suite.app);
    expect((await read(`/${tenant.id}`)).top_keys).toEqual([]);
    clock.advance(-12 * 3_600_000);
    admin = await createAdmin(suite.app);
  });

  test('the report of a closed tenant can still be read', async () => {
    await setCeiling(tenant.id, 1);
    await validate(3);
    await patch(tenant.id, { status: 'closed' });
    const closed = await read(`/${tenant.id}?interval=hour`);
    expect([closed.status, closed.rejections.at(-1).count]).toEqual(['closed', 2]);
  });

  test.each([
    ['somebody', 404, 'RESOURCE.NOT_FOUND'],
    ['unknown', 404, 'TENANT.NOT_FOUND'],
    ['unknown?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 422, 'VALIDATION.FAILED'],
    ['unknown?from=1970-01-01T00:00:00Z&interval=hour', 422, 'VALIDATION.FAILED'],
  ])('the report at /%s is refused with status %i', async (path, status, code) => {
    const refused = await send(`/${path.replace('unknown', newId())}`);
    expect([refused.status, refused.body.error.code]).toEqual([status, code]);
  });
});

describe('the list', () => {
  test('the list of reports has every tenant, newest first, each with its own figures', async () => {
    await setCeiling(tenant.id, 2);
    await validate(5);
    const other = await createTenant(suite.app, admin, 'Other');
    await validate(1, other.apiKey);
    const [first, second] = await read('?limit=2');
    expect(first).toMatchObject({ tenant_id: other.id, name: 'Other', ceiling: 6000, used: 1, remaining: 5999 });
    expect(first.rejections).toHaveLength(24);
    expect(first.rejections.every(({ count }: { count: number }) => count === 0)).toBe(true);
    expect(first.top_keys).toMatchObject([{ id: other.apiKeyId, requests: 1, window: null }]);
    expect(second).toMatchObject({ tenant_id: tenant.id, ceiling: 2, used: 2, remaining: 0 });
    expect(second.rejections[0].bucket_start).toBe('2026-11-19T13:00:00.000000Z');
    expect(second.rejections.at(-1)).toEqual({ bucket_start: '2026-11-20T12:00:00.000000Z', count: 3 });
    expect(second.top_keys).toMatchObject([{ id: tenant.apiKeyId, requests: 5 }]);
  });

  test('limited=true lists only tenants with a rejection in the last 24 hours', async () => {
    await setCeiling(tenant.id, 1);
    await validate(2);
    const other = await createTenant(suite.app, admin, 'Quiet limit');
    await setCeiling(other.id, 1);
    await validate(1, other.apiKey);
    expect(idsOf(await read('?limited=true'))).toContain(tenant.id);
    expect(idsOf(await read('?limited=true'))).not.toContain(other.id);
    clock.advance(86_400_000);
    admin = await createAdmin(suite.app);
    expect(idsOf(await read('?limited=true'))).toContain(tenant.id);
    clock.advance(1);
    expect(idsOf(await read('?limited=true'))).not.toContain(tenant.id);
    clock.set('2026-11-20T12:30:00.000Z');
    admin = await createAdmin(suite.app);
  });

  test('the list of reports can be filtered by status and by words of the name, together and in pages', async () => {
    const made: string[] = [];
    for (let number = 0; number < 5; number += 1) {
      const { id } = await addTenantRow(suite.app, 'New', number === 2 ? 'suspended' : 'active');
      await patch(id, { name: `Paged limits ${number}` });
      made.unshift(id);
    }
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await send(`?q=paged%20lim&limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...idsOf(body.data));
      cursor = body.meta.next_cursor;
    }
    expect(seen).toEqual(made);
    expect(idsOf(await read('?status=suspended'))).toEqual([made[2]]);
    expect(idsOf(await read('?q=paged&status=suspended'))).toEqual([made[2]]);
    expect(idsOf(await read('?q=paged&status=suspended&limited=true'))).toEqual([]);
  });
});
