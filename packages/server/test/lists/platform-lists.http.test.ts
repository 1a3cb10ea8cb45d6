import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { addTenantRow } from '../accounts/people.ts';
import { type Account, createAdmin, logIn } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';

const clock = useClock();
const suite = useApp();
let admin: Account;

beforeAll(async () => {
  admin = await createAdmin(suite.app);
});

// Outside 198.18.0.0/16, from which `freshAddress` takes the addresses of logins in all suites of this process.
const changesAddress = '198.19.9.9';
const readsAddress = '198.19.7.7';

const list = (path: string) =>
  suite.app.request({ method: 'GET', url: `/api/v1/admin${path}`, headers: admin.auth, remoteAddress: readsAddress });
const rowsOf = async (path: string) => (await list(path)).body.data as Readonly<Record<string, string>>[];

describe("the platform's audit log", () => {
  let tenantId: string;
  let requestId: string;

  beforeAll(async () => {
    tenantId = (await addTenantRow(suite.app, 'Watched')).id;
    requestId = newId();
    const change = (payload: object, extra: object = {}) =>
      suite.app.request({
        method: 'PATCH',
        url: `/api/v1/admin/tenants/${tenantId}`,
        headers: { ...admin.auth, ...extra },
        payload,
        remoteAddress: changesAddress,
      });
    await change({ name: 'Watched closely' });
    clock.advance(1000);
    await change({ status: 'suspended' }, { 'x-request-id': requestId });
    await logIn(suite.app, admin.email, 'admin');
  });

  const eventsOf = async (query: string) => (await rowsOf(`/audit?${query}`)).map(({ event }) => event);

  test('the audit log is filtered by a whole event code or by its prefix up to the dot', async () => {
    expect(await eventsOf(`resource_id=${tenantId}&event=TENANT.SUSPENDED`)).toEqual(['TENANT.SUSPENDED']);
    expect(await eventsOf('event=TENANT.')).toEqual(['TENANT.SUSPENDED', 'TENANT.UPDATED']);
    expect(new Set(await eventsOf('event=ADMIN.'))).toEqual(new Set(['ADMIN.LOGIN', 'ADMIN.CREATED']));
    for (const event of ['TENANT', 'TEN.', 'TENANT.SUS', 'TENANT.SUSPENDED.', '.', 'tenant.', '%25.', 'TENANT_']) {
      expect([event, await eventsOf(`event=${event}`)]).toEqual([event, []]);
    }
  });

  test('the audit log is filtered by address, request, actor and resource, alone and combined', async () => {
    expect(await eventsOf(`ip=${changesAddress}`)).toEqual(['TENANT.SUSPENDED', 'TENANT.UPDATED']);
    expect(await eventsOf(`request_id=${requestId}`)).toEqual(['TENANT.SUSPENDED']);
    expect(await eventsOf(`actor_id=${admin.id}&event=TENANT.`)).toEqual(['TENANT.SUSPENDED', 'TENANT.UPDATED']);
    expect(await eventsOf('actor_type=system')).toEqual(['ADMIN.CREATED']);
    expect(await eventsOf(`resource_type=tenant&ip=${changesAddress}&from=2026-11-20T12:00:01Z`)).toEqual([
      'TENANT.SUSPENDED',
    ]);
    expect(await eventsOf('resource_type=tenant&to=2026-11-20T12:00:01Z')).toEqual(['TENANT.UPDATED']);
    expect(await eventsOf(`ip=${changesAddress}&from=2026-11-20T13:00:00Z&to=2026-11-20T12:00:00Z`)).toEqual([]);
  });
});

describe('the list of tenants', () => {
  test('the list of tenants is filtered by plan and creation time, combined with other filters', async () => {
    clock.set('2026-11-20T14:00:00.000Z');
    const early = await addTenantRow(suite.app, 'Planned early');
    clock.set('2026-11-20T15:00:00.000Z');
    const late = await addTenantRow(suite.app, 'Planned late', 'suspended');
    const found = async (query: string) => (await rowsOf(`/tenants?${query}`)).map(({ id }) => id);
    expect(await found('created_from=2026-11-20T14:00:00Z')).toEqual([late.id, early.id]);
    expect(await found('created_from=2026-11-20T14:00:00Z&created_to=2026-11-20T16:00:00%2B01:00')).toEqual([early.id]);
    expect(await found('created_from=2026-11-20T14:00:00Z&plan_code=free&status=suspended')).toEqual([late.id]);
    expect(await found('plan_code=none')).toEqual([]);
    expect(await found('created_from=2026-11-20T16:00:00Z&created_to=2026-11-20T15:00:00Z')).toEqual([]);
  });
});

test('the list of admins is filtered by role', async () => {
  const reader = await createAdmin(suite.app, 'billing_readonly');
  expect((await rowsOf('/admins?role=billing_readonly')).map(({ id }) => id)).toEqual([reader.id]);
  expect((await list('/admins?role=owner')).status).toBe(422);
});
