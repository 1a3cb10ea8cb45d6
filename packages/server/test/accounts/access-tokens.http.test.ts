import { describe, expect, test } from 'vitest';
import { issueAccessToken } from '../../src/features/accounts/access-tokens/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { createUser, joinTenant, useTenant } from '../support/accounts.ts';
import { useClock } from '../support/harness.ts';
import { badFields, created } from '../support/licensing-catalog.ts';
import { newAccessToken, outcome, sendWith } from './access-tokens.ts';
import { addAccount, sendAs } from './members.ts';

const clock = useClock();
const suite = useTenant();

const asAdmin = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string) =>
  suite.asAdmin(method, `/tenants/${suite.tenant.id}/access-tokens${path}`);
const asOwner = (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object) =>
  suite.tenant.asOwner(method, `/access-tokens${path}`, payload);

/** The two surfaces that have the resource. */
const surfaces = [
  { surface: 'tenant', send: asOwner, suffix: '' },
  { surface: 'admin', send: asAdmin, suffix: '_BY_ADMIN' },
] as const;

const newToken = (fields: object = {}) => newAccessToken(suite.tenant, fields);
const use = (token: string, path = '/products') => sendWith(suite.app, token, 'GET', path);
const namesOf = ({ body }: { body: { data: { name: string }[] } }) => body.data.map(({ name }) => name);

async function auditOf(id: string) {
  const { body } = await suite.tenant.asOwner('GET', `/audit-logs?resource_id=${id}`);
  return body.data;
}

describe('creation', () => {
  test('a created access token has the exact shape, is shown only in the response, and works', async () => {
    const answer = await asOwner('POST', '', { name: 'Shop', role: 'admin' });
    expect(answer.status).toBe(201);
    expect(answer.headers['cache-control']).toBe('no-store');
    const { id, token, ...shown } = answer.body.data;
    expect(token).toMatch(/^service_[0-9a-f]{64}$/);
    expect(shown).toEqual({
      name: 'Shop',
      role: 'admin',
      status: 'active',
      hint: `${token.slice(0, 12)}…${token.slice(-4)}`,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      expires_at: null,
      last_used_at: null,
      created_by: { type: 'user', id: suite.tenant.owner.id, role: 'owner' },
    });
    expect((await use(token)).status).toBe(200);
    for (const send of [asOwner, asAdmin]) {
      const listed = await send('GET', '?limit=100');
      const inList = listed.body.data.find((row: { id: string }) => row.id === id);
      expect(inList).toEqual({ ...shown, id, last_used_at: expect.any(String) });
      expect(listed.text).not.toContain(token);
    }
    expect((await asOwner('GET', `/${id}`)).body.data).toEqual({ ...shown, id, last_used_at: expect.any(String) });
    expect(await auditOf(id)).toMatchObject([
      {
        event: 'ACCESS_TOKEN.CREATED',
        actor_type: 'user',
        actor_id: suite.tenant.owner.id,
        actor_created_by: null,
        changes: [
          { field: 'name', old: null, new: 'Shop' },
          { field: 'role', old: null, new: 'admin' },
        ],
      },
    ]);
  });

  test('the replayed creation of an access token repeats the response without the token', async () => {
    const request = {
      method: 'POST',
      url: '/api/v1/tenant/access-tokens',
      headers: { ...suite.tenant.owner.auth, 'idempotency-key': newId() },
      payload: { name: 'Once', role: 'viewer' },
    } as const;
    const [first, again] = [await suite.app.request(request), await suite.app.request(request)];
    expect([first.status, again.status, again.headers['idempotency-replayed']]).toEqual([201, 201, 'true']);
    expect(again.headers['cache-control']).toBe('no-store');
    expect(again.body.data).toEqual({ ...first.body.data, token: null });
    expect(namesOf(await asOwner('GET', '?limit=100')).filter((name) => name === 'Once')).toHaveLength(1);
  });

  test('the creation of an access token with an expiry in the past is refused', async () => {
    const refused = await asOwner('POST', '', { name: 'A', role: 'viewer', expires_at: '2020-01-01T00:00:00Z' });
    expect([...outcome(refused), ...badFields(refused)]).toEqual([422, 'VALIDATION.FAILED', 'expires_at']);
  });

  test('owners and admins create access tokens of either role, and viewers none', async () => {
    const member = await addAccount(suite.app, suite.tenant, 'admin');
    for (const role of ['admin', 'viewer']) {
      const made = created(await sendAs(suite.app, member, 'POST', '/access-tokens', { name: 'Mine', role }));
      expect(made).toMatchObject({ role, created_by: { id: member.id, role: 'admin' } });
    }
    const viewer = await addAccount(suite.app, suite.tenant, 'viewer');
    const fields = { name: 'Mine', role: 'viewer' };
    expect(outcome(await sendAs(suite.app, viewer, 'POST', '/access-tokens', fields))).toEqual([
      403,
      'AUTH.ROLE_REQUIRED',
    ]);
    const { id } = await newToken();
    expect((await sendAs(suite.app, viewer, 'GET', `/access-tokens/${id}`)).status).toBe(200);
    const revoked = await sendAs(suite.app, viewer, 'DELETE', `/access-tokens/${id}`);
    expect(outcome(revoked)).toEqual([403, 'AUTH.ROLE_REQUIRED']);
  });

  test('a creator who lost the role after the request was authenticated creates no access token', async () => {
    const viewer = await createUser(suite.app);
    await joinTenant(suite.app, viewer, suite.tenant.id, 'viewer');
    const stranger = await createUser(suite.app);
    for (const { id } of [viewer, stranger]) {
      const actor = { type: 'user', id, requestId: 'r', ip: '203.0.113.1' } as const;
      const issued = issueAccessToken(suite.app.services, suite.tenant, actor, { name: 'Late', role: 'viewer' });
      await expect(issued).rejects.toMatchObject({ code: 'AUTH.ROLE_REQUIRED' });
    }
    expect(namesOf(await asOwner('GET', '?limit=100'))).not.toContain('Late');
  });

  test('a tenant has at most 100 active access tokens, exactly, also for concurrent creations', async () => {
    const tenant = await suite.newTenant('Full');
    const { query } = suite.app.services.platform;
    const { id: first } = await newAccessToken(tenant);
    const row = await query
      .selectFrom('tenant_access_tokens')
      .selectAll()
      .where('id', '=', first)
      .executeTakeFirstOrThrow();
    const copies = Array.from({ length: 120 }, (_unused, index) => ({
      ...row,
      id: newId(),
      token_hash: `copy-${index}`,
      ...(index >= 96 && index < 108 && { status: 'revoked' as const }),
      ...(index >= 108 && { expires_at: row.created_at }),
    }));
    await query.insertInto('tenant_access_tokens').values(copies).execute();
    const make = () => tenant.asOwner('POST', '/access-tokens', { name: 'One more', role: 'viewer' });
    const answers = await Promise.all(Array.from({ length: 8 }, make));
    const codes = answers.map((answer) => answer.body.error?.code ?? answer.status).sort();
    expect(codes).toEqual([...Array(3).fill(201), ...Array(5).fill('ACCESS_TOKEN.TOO_MANY')]);
    expect(answers.find(({ status }) => status !== 201)?.status).toBe(409);
    expect((await tenant.asOwner('DELETE', `/access-tokens/${first}`)).status).toBe(200);
    expect((await make()).status).toBe(201);
  });
});

describe.each(surfaces)('access tokens through the $surface surface', ({ surface, send, suffix }) => {
  test(`an access token revoked through the ${surface} surface is refused from the next request on, and only the first revocation is audited`, async () => {
    const { id, token } = await newToken();
    expect((await use(token)).status).toBe(200);
    for (let time = 0; time < 2; time += 1) {
      const revoked = await send('DELETE', `/${id}`);
      expect([revoked.status, revoked.body.data]).toEqual([200, { deleted: true, id }]);
      const refused = await use(token);
      expect(outcome(refused)).toEqual([401, 'AUTH.INVALID_TOKEN']);
      expect(refused.headers['www-authenticate']).toBe('Bearer');
    }
    const records = await auditOf(id);
    expect(records.map(({ event }: { event: string }) => event)).toEqual([
      `ACCESS_TOKEN.REVOKED${suffix}`,
      'ACCESS_TOKEN.CREATED',
    ]);
    const actor = surface === 'admin' ? suite.admin.id : suite.tenant.owner.id;
    expect(records[0]).toMatchObject({
      actor_type: surface === 'admin' ? 'admin' : 'user',
      actor_id: actor,
      changes: [{ field: 'status', old: 'active', new: 'revoked' }],
    });
    const listed = await send('GET', '?status=revoked&limit=100');
    expect(listed.body.data.map((row: { id: string }) => row.id)).toContain(id);
  });
});

test('a single access token can be read through the tenant surface but not through the admin surface', async () => {
  const { id } = await newToken();
  expect((await asOwner('GET', `/${id}`)).body.data.id).toBe(id);
  const refused = await asAdmin('GET', `/${id}`);
  expect([refused.status, refused.headers['allow']]).toEqual([405, 'DELETE']);
});

describe('lists', () => {
  test('access tokens are filtered by status and by their creator', async () => {
    const other = await suite.newTenant('Filters');
    const member = await addAccount(suite.app, other, 'admin');
    await newAccessToken(other, { name: 'Active' });
    await newAccessToken(other, { name: 'Brief', expires_at: new Date(Date.now() + 1000).toISOString() });
    const revoked = await newAccessToken(other, { name: 'Revoked', expires_at: '2099-01-01T00:00:00Z' });
    await other.asOwner('DELETE', `/access-tokens/${revoked.id}`);
    created(await sendAs(suite.app, member, 'POST', '/access-tokens', { name: 'Of a member', role: 'viewer' }));
    clock.advance(1000);
    const listed = async (query: string) => namesOf(await other.asOwner('GET', `/access-tokens?${query}`));
    expect(await listed('status=active')).toEqual(['Of a member', 'Active']);
    expect(await listed('status=expired')).toEqual(['Brief']);
    expect(await listed('status=revoked')).toEqual(['Revoked']);
    expect(await listed(`created_by=${member.id}`)).toEqual(['Of a member']);
    expect(await listed(`created_by=${other.owner.id}&status=active`)).toEqual(['Active']);
    expect(await listed(`created_by=${newId()}`)).toEqual([]);
  });
});

test('an expired access token is refused and shown as expired', async () => {
  const { id, token } = await newToken({ expires_at: new Date(Date.now() + 60_000).toISOString() });
  expect((await use(token)).status).toBe(200);
  clock.advance(60_000);
  expect(outcome(await use(token))).toEqual([401, 'AUTH.INVALID_TOKEN']);
  expect((await asOwner('GET', `/${id}`)).body.data.status).toBe('expired');
});

test('last_used_at of an access token shows the newest use immediately, before and after it is written', async () => {
  const { id, token } = await newToken();
  const shown = async () => (await asOwner('GET', `/${id}`)).body.data.last_used_at;
  clock.advance(5_000);
  await use(token);
  const usedAt = `${new Date().toISOString().slice(0, -1)}000Z`;
  expect(await shown()).toBe(usedAt);
  await suite.app.services.accessTokenUsage.flush();
  expect(await shown()).toBe(usedAt);
  const query = suite.app.services.platform.query.selectFrom('tenant_access_tokens').select('last_used_at');
  expect((await query.where('id', '=', id).executeTakeFirstOrThrow()).last_used_at).toBe(usedAt);
  clock.advance(5_000);
  expect((await sendWith(suite.app, token, 'GET', '/members')).status).toBe(403);
  expect(await shown()).toBe(`${new Date().toISOString().slice(0, -1)}000Z`);
});

test.each([
  ['no token', undefined],
  ['a token in capitals', `Bearer SERVICE_${'A'.repeat(64)}`],
  ['a short token', `Bearer service_${'a'.repeat(63)}`],
  ['an unknown token', `Bearer service_${'0'.repeat(64)}`],
  ['two tokens', [`Bearer service_${'0'.repeat(64)}`, `Bearer service_${'1'.repeat(64)}`]],
  ['an API key instead', `Bearer vx_${'0'.repeat(64)}`],
])('a request with %s is refused with the same error as a revoked access token', async (_case, authorization) => {
  const { id, token } = await newToken();
  await asOwner('DELETE', `/${id}`);
  const revoked = await use(token);
  const headers = authorization === undefined ? {} : { authorization: authorization as string };
  const answer = await suite.app.request({ method: 'GET', url: '/api/v1/tenant/products', headers });
  expect(outcome(answer)).toEqual([401, 'AUTH.INVALID_TOKEN']);
  expect(answer.body.error).toEqual(revoked.body.error);
});
