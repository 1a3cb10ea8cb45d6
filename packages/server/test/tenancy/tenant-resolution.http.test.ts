import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { type Account, createUser, joinTenant, type TestTenant, useAdmin } from '../support/accounts.ts';
import type { Answer } from '../support/harness.ts';
import { fillPath, type LiveRoute, liveRoutes, unknownValues } from '../support/routes.ts';
import { mayUseTenant, rolesOfContract, tenantAreaOf } from '../support/tenant-rights.ts';

const suite = useAdmin();
let first: TestTenant;
let second: TestTenant;
/** Users who are members of no tenant, of one tenant and of both tenants. */
let nobody: Account;
let memberOfOne: Account;
let memberOfBoth: Account;

beforeAll(async () => {
  const { app } = suite;
  first = await suite.newTenant('First');
  second = await suite.newTenant('Second');
  nobody = await createUser(app);
  memberOfOne = await createUser(app);
  memberOfBoth = await createUser(app);
  await joinTenant(app, memberOfOne, first.id, 'viewer');
  await joinTenant(app, memberOfBoth, first.id, 'viewer');
  await joinTenant(app, memberOfBoth, second.id, 'admin');
});

function readKeys(account: Account, headers: object = {}): Promise<Answer> {
  return suite.app.request({ method: 'GET', url: '/api/v1/tenant/api-keys', headers: { ...account.auth, ...headers } });
}

const outcome = ({ status, body }: Answer) => [status, body.error?.code ?? null];

describe('the tenant of a user', () => {
  const people = { nobody: () => nobody, one: () => memberOfOne, both: () => memberOfBoth };
  const ids = { none: undefined, first: () => first.id, second: () => second.id, unknown: newId };

  test.each([
    { tenants: 'nobody', names: 'none', answers: [403, 'TENANT.ACCESS_DENIED'] },
    { tenants: 'nobody', names: 'first', answers: [403, 'TENANT.ACCESS_DENIED'] },
    { tenants: 'one', names: 'none', answers: [200, null] },
    { tenants: 'one', names: 'first', answers: [200, null] },
    { tenants: 'one', names: 'second', answers: [403, 'TENANT.ACCESS_DENIED'] },
    { tenants: 'one', names: 'unknown', answers: [403, 'TENANT.ACCESS_DENIED'] },
    { tenants: 'both', names: 'none', answers: [400, 'TENANT.SELECTION_REQUIRED'] },
    { tenants: 'both', names: 'first', answers: [200, null] },
    { tenants: 'both', names: 'second', answers: [200, null] },
    { tenants: 'both', names: 'unknown', answers: [403, 'TENANT.ACCESS_DENIED'] },
  ] as const)(
    'a user who is a member of $tenants and selects $names gets $answers',
    async ({ tenants, names, answers }) => {
      const tenantId = ids[names]?.();
      expect(
        outcome(await readKeys(people[tenants](), tenantId === undefined ? {} : { 'x-tenant-id': tenantId })),
      ).toEqual(answers);
    },
  );

  test('the header X-Tenant-Id selects the tenant of a request', async () => {
    const idsOf = async (tenantId: string) => {
      const answer = await readKeys(memberOfBoth, { 'x-tenant-id': tenantId });
      return answer.body.data.map((row: { id: string }) => row.id);
    };
    expect(await idsOf(first.id)).toEqual([first.apiKeyId]);
    expect(await idsOf(second.id)).toEqual([second.apiKeyId]);
    expect(await idsOf(second.id.toUpperCase())).toEqual([second.apiKeyId]);
  });

  test.each([
    ['empty', () => ''],
    ['not a UUID', () => 'first'],
    ['a UUID in braces', () => `{${first.id}}`],
    ['a list', () => `${first.id},${first.id}`],
    ['very long', () => 'a'.repeat(4000)],
  ])('an X-Tenant-Id that is %s gets a 400', async (_title, value) => {
    expect(outcome(await readKeys(memberOfOne, { 'x-tenant-id': value() }))).toEqual([400, 'REQUEST.MALFORMED']);
  });

  test('a foreign tenant and one that does not exist get the same response', async () => {
    const [foreign, unknown] = await Promise.all(
      [second.id, newId()].map((tenantId) => readKeys(memberOfOne, { 'x-tenant-id': tenantId })),
    );
    expect(foreign?.body.error).toEqual(unknown?.body.error);
  });
});

describe('tokens', () => {
  const adminUrl = () => `/api/v1/admin/tenants/${first.id}/api-keys`;
  const send = (url: string, headers: object) => suite.app.request({ method: 'GET', url, headers: { ...headers } });

  test.each([
    ['a token of a user', () => adminUrl(), () => first.owner.auth],
    ['a token of an admin', () => '/api/v1/tenant/api-keys', () => suite.admin.auth],
    ['no token', () => adminUrl(), () => ({})],
    ['an API key', () => '/api/v1/tenant/api-keys', () => ({ 'x-api-key': first.apiKey })],
    ['an API key as a token', () => adminUrl(), () => ({ authorization: `Bearer ${first.apiKey}` })],
    ['an unknown token', () => adminUrl(), () => ({ authorization: `Bearer service_${'0'.repeat(64)}` })],
    ['a token in capitals', () => adminUrl(), () => ({ authorization: `Bearer ${suite.admin.token.toUpperCase()}` })],
    ['another scheme', () => adminUrl(), () => ({ authorization: `Basic ${suite.admin.token}` })],
  ])('%s on the wrong surface gets the same 401 as no token', async (_title, url, headers) => {
    const answer = await send(url(), headers());
    expect(outcome(answer)).toEqual([401, 'AUTH.INVALID_TOKEN']);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.body.error).toEqual((await send(adminUrl(), {})).body.error);
  });

  test('a token is not accepted on Integration routes', async () => {
    for (const { auth, token } of [first.owner, suite.admin]) {
      const url = '/api/v1/integration/licenses/UNKNOWN/validate';
      for (const headers of [auth, { 'x-api-key': token }]) {
        expect(outcome(await suite.app.request({ method: 'POST', url, headers }))).toEqual([
          401,
          'AUTH.INVALID_API_KEY',
        ]);
      }
    }
  });

  test('the scheme of the Authorization header is case-insensitive', async () => {
    expect((await send(adminUrl(), { authorization: `bEARER ${suite.admin.token}` })).status).toBe(200);
  });
});

describe('roles in a tenant', () => {
  const tenantRoutes = (): LiveRoute[] =>
    liveRoutes(suite.app).filter(({ path }) => path.startsWith('/api/v1/tenant/'));
  const sendAs = (account: Account, { method, path }: LiveRoute) =>
    suite.app.request({
      method,
      url: fillPath(path, unknownValues()),
      headers: { ...account.auth, 'x-tenant-id': first.id },
    });

  test.each(rolesOfContract)('the role %s is admitted by exactly the operations that the table names', async (role) => {
    const account = await createUser(suite.app);
    await joinTenant(suite.app, account, first.id, role);
    expect(new Set(tenantRoutes().map(tenantAreaOf)).size).toBe(4);
    const billing = liveRoutes(suite.app).filter(({ path }) => path.startsWith('/api/v1/billing/'));
    for (const route of [...tenantRoutes(), ...billing]) {
      const answer = await sendAs(account, route);
      if (!mayUseTenant(role, route)) expect(outcome(answer), route.title).toEqual([403, 'AUTH.ROLE_REQUIRED']);
      // 415: the role is checked before the body, and an import does not accept JSON.
      else expect([200, 201, 404, 409, 415, 422], `${route.title}: ${answer.text}`).toContain(answer.status);
    }
  });

  test('an access token with the role support has the rights of a member with it', async () => {
    const made = await first.asOwner('POST', '/access-tokens', { name: 'Help desk', role: 'support' });
    const send = async (method: 'GET' | 'POST', path: string) => {
      const headers = { authorization: `Bearer ${made.body.data.token}` };
      return (await suite.app.request({ method, url: `/api/v1/tenant${path}`, headers })).status;
    };
    expect([
      await send('GET', '/licenses'),
      await send('GET', '/customers'),
      await send('POST', '/licenses'),
      await send('GET', '/products'),
      await send('POST', '/products'),
      await send('GET', '/api-keys'),
      await send('GET', '/licenses/export'),
    ]).toEqual([200, 200, 422, 200, 403, 403, 403]);
  });

  test('the role of a user is that in the tenant that X-Tenant-Id selects', async () => {
    const create = (tenantId: string) =>
      suite.app.request({
        method: 'POST',
        url: '/api/v1/tenant/api-keys',
        headers: { ...memberOfBoth.auth, 'x-tenant-id': tenantId },
        payload: { name: 'By a member of both' },
      });
    expect(outcome(await create(first.id))).toEqual([403, 'AUTH.ROLE_REQUIRED']);
    expect(outcome(await create(second.id))).toEqual([201, null]);
  });
});
