import { expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { createUser, joinTenant, useTenant } from '../support/accounts.ts';
import { newAccessToken, sendWith } from './access-tokens.ts';

const suite = useTenant();

interface Recorded {
  readonly event: string;
  readonly actor_type: string;
  readonly actor_name: string | null;
}

const asAdmin = (method: 'GET' | 'POST', path: string, payload?: object) =>
  suite.asAdmin(method, `/tenants/${suite.tenant.id}${path}`, payload);

const product = () => ({ name: 'Editor', code: `p-${newId()}` });
const message = { title: 'Hello', body: 'World' };

async function nameIn(path: string, send: (path: string) => Promise<{ body: { data: Recorded[] } }>) {
  const [record] = (await send(path)).body.data;
  return [record?.actor_type, record?.actor_name];
}

const ofTenant = (path: string) => suite.tenant.asOwner('GET', path);
const ofAdmin = (path: string) => asAdmin('GET', path);

test('audit records name people and access tokens on both surfaces, and admins only for other admins', async () => {
  await suite.tenant.asOwner('POST', '/products', product());
  const created = '/audit-logs?event=PRODUCT.CREATED&limit=1';
  expect(await nameIn(created, ofTenant)).toEqual(['user', 'Ada Lovelace']);
  const { token } = await newAccessToken(suite.tenant, { name: 'Build server' });
  await sendWith(suite.app, token, 'POST', '/products', { payload: product() });
  expect(await nameIn(created, ofTenant)).toEqual(['user', 'Build server']);
  expect(await nameIn(created, ofAdmin)).toEqual(['user', 'Build server']);
  await asAdmin('POST', '/notifications', message);
  const byAdmin = '/audit-logs?event=NOTIFICATION.CREATED_BY_ADMIN&limit=1';
  expect(await nameIn(byAdmin, ofTenant)).toEqual(['admin', null]);
  expect(await nameIn(byAdmin, ofAdmin)).toEqual(['admin', 'Grace Hopper']);
});

test('an audit record of a user who was removed from the platform has no name', async () => {
  const user = await createUser(suite.app);
  await joinTenant(suite.app, user, suite.tenant.id, 'admin');
  const headers = { ...user.auth, 'x-tenant-id': suite.tenant.id };
  const url = '/api/v1/tenant/notifications';
  expect((await suite.app.request({ method: 'POST', url, headers, payload: message })).status).toBe(201);
  const byUser = `/audit-logs?actor_id=${user.id}&event=NOTIFICATION.CREATED`;
  expect(await nameIn(byUser, ofTenant)).toEqual(['user', 'Ada Lovelace']);
  await suite.app.services.platform.transaction(async (tx) => {
    await tx.deleteFrom('memberships').where('user_id', '=', user.id).execute();
    await tx.deleteFrom('users').where('id', '=', user.id).execute();
  });
  expect(await nameIn(byUser, ofTenant)).toEqual(['user', null]);
});

test('an API key has a name only in the log of its own tenant', async () => {
  const key = (await suite.tenant.asOwner('POST', '/api-keys', { name: 'Desktop app' })).body.data;
  const other = await suite.newTenant('Other');
  const record = {
    occurred_at: suite.app.services.clock.now(),
    event: 'ACTIVATION.CREATED',
    actor_type: 'api_key',
    actor_id: key.id,
    actor_created_by: null,
    resource_type: 'activation',
    resource_id: null,
    request_id: null,
    ip: null,
    changes_json: '[]',
  } as const;
  for (const { id } of [suite.tenant, other]) {
    await suite.app.services.tenants.withTenantDb(id, (db) =>
      db.transaction((tx) =>
        tx
          .insertInto('audit_logs')
          .values({ ...record, id: newId() })
          .execute(),
      ),
    );
  }
  const byKey = `/audit-logs?actor_id=${key.id}`;
  expect(await nameIn(byKey, ofTenant)).toEqual(['api_key', 'Desktop app']);
  expect(await nameIn(byKey, (path) => other.asOwner('GET', path))).toEqual(['api_key', null]);
});

test("the platform's audit log names admins", async () => {
  const read = () => suite.asAdmin('GET', `/audit?event=ADMIN.LOGIN&actor_id=${suite.admin.id}`);
  expect(await nameIn('', read)).toEqual(['admin', 'Grace Hopper']);
});
