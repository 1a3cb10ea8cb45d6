import { beforeEach, describe, expect, test } from 'vitest';
import { notify } from '../../src/features/tenant-core/notifications/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { createUser, joinTenant, useTenantPerTest } from '../support/accounts.ts';
import { type Answer, useClock } from '../support/harness.ts';
import { badFields, created, eventsOf } from '../support/licensing-catalog.ts';

const clock = useClock();

// The stopped clock has 1,000 distinct microseconds per millisecond: each test gets a millisecond of its own.
beforeEach(() => {
  clock.advance(1);
});

const suite = useTenantPerTest();

type Surface = 'tenant' | 'admin';

function send(
  surface: Surface,
  method: 'GET' | 'POST',
  path = '',
  payload?: object,
  headers: object = {},
): Promise<Answer> {
  const ofSurface = {
    tenant: { url: `/api/v1/tenant/notifications${path}`, headers: { ...suite.tenant.owner.auth, ...headers } },
    admin: {
      url: `/api/v1/admin/tenants/${suite.tenant.id}/notifications${path}`,
      headers: { ...suite.admin.auth, ...headers },
    },
  };
  return suite.app.request({ method, ...ofSurface[surface], ...(payload && { payload }) });
}

const text = { title: 'Release', body: 'Version 2 is out.\nRead what is new.' };

async function newNotification(fields: object = {}) {
  return created(await send('tenant', 'POST', '', { ...text, ...fields }));
}

const idsOf = ({ body }: Answer) => body.data.map(({ id }: { id: string }) => id);

interface Listed {
  readonly id: string;
  readonly type: string;
  readonly severity: string;
  readonly read_at: string | null;
}

type Filters = Readonly<Record<string, string>>;

const severities = ['info', 'warning', 'critical'];

/** Every combination of filter values, including absent filters. */
const everyFilter: readonly Filters[] = [{}, { type: 'a' }, { type: 'b' }, { type: 'c' }].flatMap((byType) =>
  [{}, ...severities.map((severity) => ({ severity }))].flatMap((bySeverity) =>
    [{}, { unread: 'true' }, { unread: 'false' }].map((byState) => ({ ...byType, ...bySeverity, ...byState })),
  ),
);

function matches({ type, severity, read_at }: Listed, filters: Filters): boolean {
  const fields: Filters = { type, severity, unread: String(read_at === null) };
  return Object.entries(filters).every(([name, value]) => fields[name] === value);
}

async function auditOf(event: string) {
  const { body } = await suite.tenant.asOwner('GET', `/audit-logs?event=${event}&limit=100`);
  return body.data;
}

describe.each([
  ['tenant', 'user', 'NOTIFICATION.CREATED'],
  ['admin', 'admin', 'NOTIFICATION.CREATED_BY_ADMIN'],
] as const)('through the %s surface', (surface, actorType, event) => {
  test('a new notification has defaults, stores its fields and is audited', async () => {
    const plain = created(await send(surface, 'POST', '', text));
    const stamp = expect.stringMatching(/^2026-11-\d\dT.*\.\d{6}Z$/);
    const about = { resource_type: null, resource_id: null };
    const defaults = { id: expect.any(String), type: 'message', severity: 'info', read_at: null, created_at: stamp };
    expect(plain).toEqual({ ...defaults, ...about, ...text });
    const fields = { type: 'maintenance.planned', severity: 'warning', title: 'Tonight', body: 'A minute of silence.' };
    const full = created(await send(surface, 'POST', '', fields));
    expect(full).toMatchObject(fields);
    expect((await send(surface, 'GET')).body.data).toEqual([full, plain]);
    const [record] = await auditOf(event);
    expect(record).toMatchObject({ actor_type: actorType, resource_type: 'notification', resource_id: full.id });
    expect(record.changes).toEqual([
      { field: 'type', old: null, new: 'maintenance.planned' },
      { field: 'severity', old: null, new: 'warning' },
      { field: 'title', old: null, new: 'Tonight' },
    ]);
  });

  test('pages list notifications newest first, without gaps or repetitions, while others are added', async () => {
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) made.unshift((await newNotification()).id);
    const first = await send(surface, 'GET', '?limit=2');
    await newNotification();
    const second = await send(surface, 'GET', `?limit=2&cursor=${first.body.meta.next_cursor}`);
    const third = await send(surface, 'GET', `?limit=2&cursor=${second.body.meta.next_cursor}`);
    expect([first, second, third].flatMap(idsOf)).toEqual(made);
    expect(third.body.meta.next_cursor).toBeNull();
  });

  test('every combination of filters returns exactly the matching notifications, page by page', async () => {
    const kinds = ['a', 'b'].flatMap((type) => severities.map((severity) => ({ type, severity })));
    for (const kind of kinds) {
      await newNotification(kind);
      await send('tenant', 'POST', `/${(await newNotification(kind)).id}/read`);
    }
    const all: Listed[] = (await send(surface, 'GET', '?limit=100')).body.data;
    expect(all).toHaveLength(2 * kinds.length);
    for (const filters of everyFilter) {
      const query = new URLSearchParams(filters);
      const page = await send(surface, 'GET', `?limit=2&${query}`);
      const { next_cursor: cursor } = page.body.meta;
      const rest = cursor === null ? [] : idsOf(await send(surface, 'GET', `?limit=100&${query}&cursor=${cursor}`));
      const expected = all.filter((one) => matches(one, filters)).map(({ id }) => id);
      expect([...idsOf(page), ...rest], String(query)).toEqual(expected);
    }
  });
});

describe('reading a notification', () => {
  test('a read notification is read for all users, keeps its first timestamp and is audited once', async () => {
    const { id } = await newNotification();
    const read = await send('tenant', 'POST', `/${id}/read`);
    expect([read.status, read.body.data.read_at]).toEqual([200, expect.stringMatching(/^2026/)]);
    clock.advance(60_000);
    expect((await send('tenant', 'POST', `/${id}/read`)).body.data).toEqual(read.body.data);
    expect((await send('admin', 'GET')).body.data).toEqual([read.body.data]);
    expect(await eventsOf(suite.tenant, id)).toEqual(['NOTIFICATION.READ', 'NOTIFICATION.CREATED']);
    const [record] = await auditOf('NOTIFICATION.READ');
    expect(record.changes).toEqual([{ field: 'read_at', old: null, new: read.body.data.read_at }]);
  });

  test('concurrent reads mark a notification once', async () => {
    const { id } = await newNotification();
    const reads = await Promise.all(Array.from({ length: 8 }, () => send('tenant', 'POST', `/${id}/read`)));
    expect(new Set(reads.map(({ body }) => body.data.read_at)).size).toBe(1);
    expect(await eventsOf(suite.tenant, id)).toEqual(['NOTIFICATION.READ', 'NOTIFICATION.CREATED']);
  });

  test.each(['/{}/read', '/read-all'])('an admin of the platform cannot POST %s', async (path) => {
    const { id } = await newNotification();
    const refused = await send('admin', 'POST', path.replace('{}', id));
    expect([refused.status, refused.body.error.code]).toEqual([404, 'ROUTE.NOT_FOUND']);
    expect((await send('tenant', 'GET', '?unread=true')).body.data).toHaveLength(1);
  });
});

test('unread notifications are counted up to 100, also for a viewer', async () => {
  const viewer = await createUser(suite.app);
  await joinTenant(suite.app, viewer, suite.tenant.id, 'viewer');
  const url = '/api/v1/tenant/notifications/unread-count';
  const count = async () => (await suite.app.request({ method: 'GET', url, headers: viewer.auth })).body.data;
  expect(await count()).toEqual({ count: 0 });
  await newNotification();
  const { id } = await newNotification();
  expect(await count()).toEqual({ count: 2 });
  await send('tenant', 'POST', `/${id}/read`);
  expect(await count()).toEqual({ count: 1 });
  for (let index = 0; index < 100; index += 1) await newNotification();
  expect(await count()).toEqual({ count: 100 });
});

describe('reading all', () => {
  test('read-all marks and counts unread notifications, keeps the others and is audited unless empty', async () => {
    const [first, second, third] = [await newNotification(), await newNotification(), await newNotification()];
    const before = (await send('tenant', 'POST', `/${second.id}/read`)).body.data;
    const all = await send('tenant', 'POST', '/read-all');
    expect([all.status, all.body.data]).toEqual([200, { count: 2 }]);
    const listed = (await send('tenant', 'GET')).body.data;
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([third.id, second.id, first.id]);
    expect(listed[1]).toEqual(before);
    expect(listed[0].read_at).not.toBeNull();
    expect((await send('tenant', 'POST', '/read-all', {})).body.data).toEqual({ count: 0 });
    const records = await auditOf('NOTIFICATION.ALL_READ');
    expect(records.map(({ changes }: { changes: object }) => changes)).toEqual([
      [{ field: 'count', old: null, new: 2 }],
    ]);
  });

  test('concurrent read-all requests count each of 2,300 notifications once', async () => {
    const many = 2300;
    await suite.app.services.tenants.withTenantDb(suite.tenant.id, (db) =>
      db.transaction(async (tx) => {
        for (let start = 0; start < many; start += 100) {
          const rows = Array.from({ length: 100 }, () => ({
            id: newId(),
            type: 'license.expiring',
            severity: 'info' as const,
            ...text,
            occurrence: null,
            resource_type: null,
            resource_id: null,
            read_at: null,
            created_at: suite.app.services.clock.now(),
          }));
          await tx.insertInto('notifications').values(rows).execute();
        }
      }),
    );
    const answers = await Promise.all(Array.from({ length: 3 }, () => send('tenant', 'POST', '/read-all')));
    expect(answers.reduce((sum, { body }) => sum + body.data.count, 0)).toBe(many);
    expect((await send('tenant', 'GET', '?unread=true')).body.data).toEqual([]);
    const audited = (await auditOf('NOTIFICATION.ALL_READ')).flatMap(({ changes }: { changes: { new: number }[] }) =>
      changes.map((change) => change.new),
    );
    expect(audited.reduce((sum: number, count: number) => sum + count, 0)).toBe(many);
  });

  test('a read-all request for notifications accepts no fields', async () => {
    const refused = await send('tenant', 'POST', '/read-all', { type: 'a' });
    expect([refused.status, badFields(refused)]).toEqual([422, ['type']]);
  });
});

describe('notifications of the service', () => {
  const fields = { type: 'license.expiring', severity: 'warning', title: 'A license ends', body: 'Renew it.' } as const;

  function createOwn(
    occurrence: string | null,
    after: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<boolean> {
    return suite.app.services.tenants.withTenantDb(suite.tenant.id, (db) =>
      db.transaction(async (tx) => {
        const at = suite.app.services.clock.now();
        const resource = { type: 'license', id: 'license-1' };
        const isNew = await notify(tx, { ...fields, occurrence, resource, at, requestId: 'request-1' });
        await after();
        return isNew;
      }),
    );
  }

  test('concurrent transactions notify an occurrence once, audited as an action of the service', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => createOwn('license.expiring:1')));
    expect(answers.filter((isNew) => isNew)).toHaveLength(1);
    expect(await createOwn('license.expiring:2')).toBe(true);
    const { body } = await send('tenant', 'GET');
    expect(body.data).toHaveLength(2);
    expect(body.data[0]).toEqual({
      ...fields,
      id: expect.any(String),
      resource_type: 'license',
      resource_id: 'license-1',
      read_at: null,
      created_at: expect.any(String),
    });
    const records = await auditOf('NOTIFICATION.CREATED');
    expect(records).toHaveLength(2);
    expect(records[0]).toMatchObject({ actor_type: 'system', actor_id: null, request_id: 'request-1' });
  });

  test('a notification without an occurrence may be created again', async () => {
    expect([await createOwn(null), await createOwn(null)]).toEqual([true, true]);
    expect((await send('tenant', 'GET')).body.data).toHaveLength(2);
  });

  test('a notification is rolled back with its change', async () => {
    await expect(createOwn('x', () => Promise.reject(new Error('interrupted')))).rejects.toThrow('interrupted');
    expect((await send('tenant', 'GET')).body.data).toEqual([]);
    expect(await createOwn('x')).toBe(true);
  });
});
