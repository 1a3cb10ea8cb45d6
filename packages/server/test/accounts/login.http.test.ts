import { describe, expect, test } from 'vitest';
import { addAdmin, addUser, createAdmin, freshAddress, joinTenant, logIn } from '../support/accounts.ts';
import { useApp, useClock } from '../support/harness.ts';
import { addTenantRow, auditWithLoginsOf, login, me } from './people.ts';

const clock = useClock();
const suite = useApp();

const dayMs = 86_400_000;

describe('login', () => {
  test("a user's login returns a token and the user's tenants", async () => {
    const { app } = suite;
    const user = await addUser(app);
    const first = await addTenantRow(app, 'Acme');
    const second = await addTenantRow(app, 'Globex', 'suspended');
    await joinTenant(app, user, first.id, 'owner');
    await joinTenant(app, user, second.id, 'viewer');
    const answer = await login(app, { email: user.email, device_name: 'laptop' });
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body.data).toEqual({
      access_token: expect.stringMatching(/^service_[0-9a-f]{64}$/),
      token_type: 'Bearer',
      ability: 'tenant',
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      user: {
        id: user.id,
        email: user.email,
        name: 'Ada Lovelace',
        email_verified_at: expect.any(String),
        created_at: expect.any(String),
      },
      two_factor_enabled: false,
      tenants: [
        { id: first.id, name: 'Acme', role: 'owner', status: 'active', live_tenant_id: null },
        { id: second.id, name: 'Globex', role: 'viewer', status: 'suspended', live_tenant_id: null },
      ],
    });
  });

  test("an admin's login returns a token and no tenants", async () => {
    const { app } = suite;
    const admin = await addAdmin(app, 'billing_admin');
    const answer = await login(app, { email: admin.email, ability: 'admin' });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      access_token: expect.stringMatching(/^service_[0-9a-f]{64}$/),
      token_type: 'Bearer',
      ability: 'admin',
      expires_at: expect.any(String),
      admin: {
        id: admin.id,
        email: admin.email,
        name: 'Grace Hopper',
        role: 'billing_admin',
        rights: { platform: 'write', billing: 'write', admins: 'none', account: 'write' },
        created_at: expect.any(String),
      },
      two_factor_enabled: false,
      tenants: [],
    });
  });

  test('a login ignores the case of the email address', async () => {
    const { app } = suite;
    const user = await addUser(app);
    expect((await login(app, { email: user.email.toUpperCase() })).status).toBe(200);
  });

  test('an unknown address, a wrong password, the wrong ability and a disabled account are refused alike', async () => {
    const { app } = suite;
    const user = await addUser(app);
    const admin = await addAdmin(app);
    const disabled = await addUser(app);
    await app.services.platform.query
      .updateTable('users')
      .set({ disabled_at: app.services.clock.now() })
      .where('id', '=', disabled.id)
      .execute();
    const answers = await Promise.all([
      login(app, { email: 'nobody@example.com' }),
      login(app, { email: user.email, password: 'wrong horse battery staple' }),
      login(app, { email: user.email, ability: 'admin' }),
      login(app, { email: admin.email }),
      login(app, { email: disabled.email }),
    ]);
    for (const { status, body } of answers) {
      expect({ status, error: body.error }).toEqual({
        status: 401,
        error: { code: 'AUTH.INVALID_CREDENTIALS', message: expect.any(String) },
      });
    }
    expect(new Set(answers.map(({ body }) => body.error.message)).size).toBe(1);
  });

  test.each([
    ['no email', { email: undefined }, 'email'],
    ['an invalid email address', { email: 'nobody' }, 'email'],
    ['a number as email address', { email: 7 }, 'email'],
    ['an empty password', { password: '' }, 'password'],
    ['a password of 257 characters', { password: 'x'.repeat(257) }, 'password'],
    ['another ability', { ability: 'root' }, 'ability'],
    ['an unknown field', { role: 'super_admin' }, 'role'],
  ])('a login with %s is refused with status 422', async (_what, body, field) => {
    const answer = await login(suite.app, { email: 'ada@example.com', ...body });
    expect(answer.status).toBe(422);
    expect(answer.body.error).toMatchObject({ code: 'VALIDATION.FAILED', details: [{ field }] });
  });

  test.each([
    ['admin', 'ADMIN', addAdmin],
    ['tenant', 'USER', addUser],
  ] as const)(
    "the platform's audit log records logins, failed logins and logouts of the ability %s with their request ids",
    async (ability, resource, add) => {
      const { app } = suite;
      const { id, email } = await add(app);
      const failed = await login(app, { email, ability, password: 'wrong horse battery' });
      const good = await login(app, { email, ability });
      const headers = { authorization: `Bearer ${good.body.data.access_token}` };
      const left = await app.request({ method: 'POST', url: '/api/auth/logout', headers });
      const records = (await auditWithLoginsOf(app, id)).filter(({ event }) => event.startsWith(`${resource}.LOG`));
      expect(records.map(({ event, actor_id, request_id }) => ({ event, actor_id, request_id }))).toEqual([
        { event: `${resource}.LOGIN_FAILED`, actor_id: null, request_id: failed.body.meta.request_id },
        { event: `${resource}.LOGIN`, actor_id: id, request_id: good.body.meta.request_id },
        { event: `${resource}.LOGOUT`, actor_id: id, request_id: left.body.meta.request_id },
      ]);
    },
  );
});

describe('logout', () => {
  test('a logout revokes the token of the request and no other token', async () => {
    const { app } = suite;
    const user = await addUser(app);
    const [here, there] = [
      (await logIn(app, user.email, 'tenant')).auth,
      (await logIn(app, user.email, 'tenant')).auth,
    ];
    const answer = await app.request({ method: 'POST', url: '/api/auth/logout', headers: here });
    expect(answer.body.data).toEqual({ deleted: true, id: expect.any(String) });
    expect((await me(app, here)).status).toBe(401);
    expect((await app.request({ method: 'POST', url: '/api/auth/logout', headers: here })).status).toBe(401);
    expect((await me(app, there)).status).toBe(200);
  });
});

describe('a bearer token', () => {
  test('the route me returns the user or admin of the token', async () => {
    const { app } = suite;
    const user = await addUser(app);
    const { body } = await me(app, (await logIn(app, user.email, 'tenant')).auth);
    expect(body.data).toMatchObject({ ability: 'tenant', user: { id: user.id }, tenants: [] });
    expect(body.data.access_token).toBeUndefined();
    const admin = await createAdmin(app, 'admin');
    expect((await me(app, admin.auth)).body.data).toMatchObject({ ability: 'admin', admin: { role: 'admin' } });
  });

  test.each([
    ['missing', {}],
    ['empty', { authorization: '' }],
    ['without a scheme', { authorization: `service_${'0'.repeat(64)}` }],
    ['unknown', { authorization: `Bearer service_${'0'.repeat(64)}` }],
    ['malformed', { authorization: 'Bearer x' }],
    ['an API key', { authorization: `Bearer vx_${'0'.repeat(64)}` }],
    ['of another scheme', { authorization: 'Basic YTpi' }],
  ])('a bearer token that is %s is refused with status 401', async (_what, headers) => {
    const answer = await me(suite.app, headers as Record<string, string>);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.body.error.code).toBe('AUTH.INVALID_TOKEN');
  });

  test('a request with the same valid token in two Authorization headers is refused', async () => {
    const { app } = suite;
    const { authorization } = (await logIn(app, (await addUser(app)).email, 'tenant')).auth;
    const headers = { authorization: [authorization, authorization] };
    const answer = await app.request({ method: 'GET', url: '/api/auth/me', headers: headers as never });
    expect(answer.status).toBe(401);
  });

  test('the token of a disabled or deleted user is refused from the next request on', async () => {
    const { app } = suite;
    const { query } = app.services.platform;
    const [disabled, deleted] = [await addUser(app), await addUser(app)];
    const [first, second] = [
      (await logIn(app, disabled.email, 'tenant')).auth,
      (await logIn(app, deleted.email, 'tenant')).auth,
    ];
    await query
      .updateTable('users')
      .set({ disabled_at: app.services.clock.now() })
      .where('id', '=', disabled.id)
      .execute();
    await query.deleteFrom('users').where('id', '=', deleted.id).execute();
    expect((await me(app, first)).status).toBe(401);
    expect((await me(app, second)).status).toBe(401);
  });

  test('the last use of a token is stored at most once per minute', async () => {
    const { app } = suite;
    const user = await addUser(app);
    const headers = (await logIn(app, user.email, 'tenant')).auth;
    const lastUse = async () => {
      await me(app, headers);
      const query = app.services.platform.query.selectFrom('access_tokens').select('last_used_at');
      return (await query.where('subject_id', '=', user.id).executeTakeFirstOrThrow()).last_used_at;
    };
    const first = await lastUse();
    expect(first).not.toBeNull();
    clock.advance(59_000);
    expect(await lastUse()).toBe(first);
    clock.advance(2_000);
    expect(await lastUse()).not.toBe(first);
  });

  test.each([
    ['tenant', 30 * dayMs],
    ['admin', dayMs / 2],
  ] as const)('a token with the ability %s expires after %i ms', async (ability, lifetimeMs) => {
    const { app } = suite;
    const { email } = ability === 'tenant' ? await addUser(app) : await addAdmin(app);
    const headers = (await logIn(app, email, ability)).auth;
    clock.advance(lifetimeMs - 1_000);
    expect((await me(app, headers)).status).toBe(200);
    clock.advance(1_001);
    expect((await me(app, headers)).status).toBe(401);
  });
});

test('the throttle allows ten logins per minute and client address, including malformed ones', async () => {
  const { app } = suite;
  const address = freshAddress();
  const answers = await Promise.all(Array.from({ length: 50 }, () => login(app, { email: 'x' }, address)));
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
  const remaining = answers.map(({ headers }) => Number(headers['x-ratelimit-remaining'])).sort((a, b) => b - a);
  expect(remaining.slice(0, 11)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0]);
  const refused = await login(app, { email: 'x' }, address);
  expect(refused.body.error.code).toBe('RATE_LIMIT.EXCEEDED');
  expect(refused.headers).toMatchObject({
    'x-ratelimit-limit': '10',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Math.ceil((Date.now() + 60_000) / 1000)),
    'retry-after': '60',
  });
  clock.advance(60_000);
  expect((await login(app, { email: 'x' }, address)).status).toBe(422);
});

test('a login at /api/auth/ and at /api/v1/auth/ count as attempts of one throttle', async () => {
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 12; attempt += 1) {
    const url = attempt % 2 === 0 ? '/api/auth/login' : '/api/v1/auth/login';
    const payload = { email: `nobody${attempt}@example.com`, password: 'wrong password', type: 'tenant' };
    const answer = await suite.app.http.inject({ method: 'POST', url, payload, remoteAddress: '203.0.113.77' });
    statuses.push(answer.statusCode);
  }
  expect(statuses.slice(0, 10)).not.toContain(429);
  expect(statuses.slice(10)).toEqual([429, 429]);
});

test('a token works at both paths, and a logout at one ends it at the other', async () => {
  const { auth } = await createAdmin(suite.app);
  const send = (method: 'GET' | 'POST', url: string) => suite.app.request({ method, url, headers: auth });
  for (const path of ['me']) {
    const [one, other] = [await send('GET', `/api/auth/${path}`), await send('GET', `/api/v1/auth/${path}`)];
    expect(one.status).toBe(200);
    expect(other.body.data).toEqual(one.body.data);
  }
  expect((await send('POST', '/api/v1/auth/logout')).status).toBe(200);
  expect((await send('GET', '/api/auth/me')).status).toBe(401);
});
