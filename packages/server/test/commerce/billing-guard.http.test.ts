import { beforeAll, describe, expect, test } from 'vitest';
import type { AdminRole } from '../../src/db/tables/platform/identity.ts';
import { newId } from '../../src/lib/ids.ts';
import { type Account, createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { type Answer, useApp, useClock } from '../support/harness.ts';
import { liveRoutes } from '../support/routes.ts';

const clock = useClock();
const suite = useApp();
const roles = ['admin', 'auditor', 'billing_readonly', 'billing_admin', 'super_admin'] as const;
const accounts = {} as Record<AdminRole, Account>;
let tenant: TestTenant;

beforeAll(async () => {
  for (const role of roles) accounts[role] = await createAdmin(suite.app, role);
  tenant = await createTenant(suite.app, accounts.super_admin);
});

const base = '/api/v1/admin/billing';
const logUrl = `${base}/authorization-log`;
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
type SentMethod = (typeof methods)[number];

interface Sent {
  readonly method: SentMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string | object;
}

const send = (sent: Sent): Promise<Answer> => suite.app.request(sent);
const storedLog = () =>
  suite.app.services.platform.query
    .selectFrom('billing_authorization_log')
    .selectAll()
    .orderBy('occurred_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
const outcome = ({ status, body }: Answer) => [status, body?.error?.code];

const mayRead: readonly AdminRole[] = ['auditor', 'billing_readonly', 'billing_admin', 'super_admin'];
const mayWrite: readonly AdminRole[] = ['billing_admin', 'super_admin'];
const isRead = (method: SentMethod) => method === 'GET' || method === 'HEAD';

/** The responses of paths to requests that the guard permits. */
const paths = [
  { path: logUrl, kind: 'a path with a route', answers: { GET: 200, HEAD: 200 }, otherwise: 405 },
  { path: `${base}/nowhere`, kind: 'a path without a route', answers: {}, otherwise: 404 },
  { path: `${base}/no/where/at/all`, kind: 'a deep path without a route', answers: {}, otherwise: 404 },
  { path: base, kind: 'the prefix itself', answers: {}, otherwise: 404 },
] as const;

const codes: Readonly<Record<number, string>> = {
  403: 'BILLING.ROLE_REQUIRED',
  404: 'ROUTE.NOT_FOUND',
  405: 'ROUTE.METHOD_NOT_ALLOWED',
};

const cases = roles.flatMap((role) =>
  methods.flatMap((method) =>
    paths.map(({ path, kind, answers, otherwise }) => {
      const isOpen = (isRead(method) ? mayRead : mayWrite).includes(role);
      const behind = (answers as Partial<Record<SentMethod, number>>)[method] ?? otherwise;
      return { role, method, path, kind, isOpen, status: isOpen ? behind : 403 };
    }),
  ),
);

describe('the billing guard runs before routing', () => {
  test.each(cases)(
    'the billing guard lets $role get $status for $method on $kind',
    async ({ role, method, path, isOpen, status }) => {
      const before = (await storedLog()).length;
      const headers = { ...accounts[role].auth, 'x-request-id': 'guard-1' };
      const answer = await send({ method, url: `${path}?limit=1`, headers });
      expect([answer.status, answer.headers['x-request-id']]).toEqual([status, 'guard-1']);
      if (method !== 'HEAD') expect(answer.body.error?.code).toBe(codes[status]);
      expect(answer.headers['allow']).toBe(status === 405 ? 'GET, HEAD' : undefined);

      const isLogged = !isOpen || !isRead(method);
      const [newest, ...rest] = await storedLog();
      expect(rest.length + 1).toBe(before + (isLogged ? 1 : 0));
      const logged = { admin_id: accounts[role].id, role, method, path, request_id: 'guard-1', ip: '127.0.0.1' };
      if (isLogged) expect(newest).toMatchObject({ ...logged, allowed: isOpen ? 1 : 0 });
    },
  );

  test.each([
    ['no credentials', () => ({})],
    ['a token of a user', () => tenant.owner.auth],
    ['an API key', () => ({ 'x-api-key': tenant.apiKey })],
  ])('a request with %s is a 401 on every billing path and is not logged', async (_who, headers) => {
    const before = (await storedLog()).length;
    for (const { path } of paths) {
      for (const method of methods) {
        const answer = await send({ method, url: path, headers: { ...headers() } });
        expect(answer.status, `${method} ${path}`).toBe(401);
      }
    }
    expect((await storedLog()).length).toBe(before);
  });

  test('every billing route refuses the role admin, and refuses writes of billing_readonly and auditor', async () => {
    const routes = liveRoutes(suite.app).filter(({ path }) => path.startsWith(`${base}/`));
    expect(routes.length).toBeGreaterThan(1);
    for (const { method, path, title } of routes) {
      const url = path.replace(/\{[^}]+\}/g, newId());
      for (const role of ['admin', 'billing_readonly', 'auditor'] as const) {
        const answer = await send({ method, url, headers: accounts[role].auth });
        const isRefused = role === 'admin' || !isRead(method);
        expect([title, role, answer.status === 403]).toEqual([title, role, isRefused]);
        if (!isRefused) continue;
        expect(answer.body.error.code).toBe('BILLING.ROLE_REQUIRED');
        expect((await storedLog())[0]).toMatchObject({ admin_id: accounts[role].id, method, path: url, allowed: 0 });
      }
    }
  });

  test('another spelling of a billing path reaches the guard or is a 404', async () => {
    const headers = accounts.admin.auth;
    const outcomes: [string, unknown][] = [];
    for (const path of ['%62illing/authorization-log', 'billing/', 'billing/%61uthorization-log', 'billing?x=1']) {
      outcomes.push([path, outcome(await send({ method: 'GET', url: `/api/v1/admin/${path}`, headers }))]);
    }
    for (const [path, got] of outcomes) expect([path, got]).toEqual([path, [403, 'BILLING.ROLE_REQUIRED']]);
    for (const path of ['billings', 'Billing/authorization-log', '/billing/authorization-log']) {
      const answer = await send({ method: 'GET', url: `/api/v1/admin/${path}`, headers });
      expect([path, outcome(answer)]).toEqual([path, [404, 'ROUTE.NOT_FOUND']]);
    }
  });

  test('the guard decides before the body is read, and logs neither body nor query', async () => {
    const headers = { ...accounts.billing_readonly.auth, 'content-type': 'application/json' };
    for (const payload of ['{', '{"amount":4711}', ' '.repeat(1024 * 1024 + 1)]) {
      const answer = await send({ method: 'POST', url: `${base}/credits?reason=4711`, headers, payload });
      expect(outcome(answer)).toEqual([403, 'BILLING.ROLE_REQUIRED']);
    }
    const [newest] = await storedLog();
    expect(newest).toMatchObject({ path: `${base}/credits`, allowed: 0 });
    expect(JSON.stringify(newest)).not.toContain('4711');
  });

  test('the guard logs the first 1,000 characters of a long path', async () => {
    const url = `${base}/${'x'.repeat(9000)}`;
    expect((await send({ method: 'DELETE', url, headers: accounts.admin.auth })).status).toBe(403);
    expect((await storedLog())[0]?.path).toBe(url.slice(0, 1000));
  });

  test('each of fifty concurrent refusals is logged before its response', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const requestId = newId();
        const headers = { ...accounts.admin.auth, 'x-request-id': requestId };
        const { status } = await send({ method: 'PUT', url: base, headers });
        const row = (await storedLog()).find((one) => one.request_id === requestId);
        return [status, row?.allowed];
      }),
    );
    expect(answers).toEqual(Array.from({ length: 50 }, () => [403, 0]));
  });

  test('a changed billing role applies from the next request', async () => {
    const account = await createAdmin(suite.app, 'billing_admin');
    const write = () => send({ method: 'POST', url: `${base}/nowhere`, headers: account.auth });
    expect(outcome(await write())).toEqual([404, 'ROUTE.NOT_FOUND']);
    await suite.app.request({
      method: 'PATCH',
      url: `/api/v1/admin/admins/${account.id}`,
      headers: accounts.super_admin.auth,
      payload: { role: 'billing_readonly' },
    });
    expect(outcome(await write())).toEqual([403, 'BILLING.ROLE_REQUIRED']);
    expect((await storedLog()).slice(0, 2).map(({ role, allowed }) => [role, allowed])).toEqual([
      ['billing_readonly', 0],
      ['billing_admin', 1],
    ]);
  });
});

describe('the authorization log', () => {
  const list = (query: string, role: AdminRole = 'billing_readonly') =>
    send({ method: 'GET', url: `${logUrl}?${query}`, headers: accounts[role].auth });

  test('the authorization log is filtered by admin, by decision and by time', async () => {
    const mine = await createAdmin(suite.app, 'billing_admin');
    const write = () => send({ method: 'POST', url: `${base}/nowhere`, headers: mine.auth });
    clock.set('2026-11-20T13:00:00.000Z');
    await write();
    clock.set('2026-11-20T14:00:00.000Z');
    await write();
    const times = async (query: string) =>
      (await list(`admin_id=${mine.id}&${query}`)).body.data.map((row: { occurred_at: string }) =>
        row.occurred_at.slice(11, 13),
      );
    expect(await times('')).toEqual(['14', '13']);
    expect(await times('allowed=true')).toEqual(['14', '13']);
    expect(await times('allowed=false')).toEqual([]);
    expect(await times('from=2026-11-20T14:00:00Z')).toEqual(['14']);
    expect(await times('to=2026-11-20T14:00:00Z')).toEqual(['13']);
    const all = await list('allowed=false&limit=100');
    expect(all.body.data.length).toBeGreaterThan(0);
    for (const row of all.body.data) expect(row.allowed).toBe(false);
  });

  test('a record of the authorization log has the admin, the role, the request and the IP address', async () => {
    const answer = await list('allowed=false&limit=1');
    expect(Object.keys(answer.body.data[0]).sort()).toEqual(
      ['admin_id', 'allowed', 'id', 'ip', 'method', 'occurred_at', 'path', 'request_id', 'role'].sort(),
    );
  });
});
