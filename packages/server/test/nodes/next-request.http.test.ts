import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlatformTables as Tables } from '../../src/db/tables/platform-tables.ts';
import { rotateSigningKey } from '../../src/features/licensing/signing-keys/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { systemActor } from '../../src/tenancy/tenant.ts';
import { newAccessToken, sendWith } from '../accounts/access-tokens.ts';
import { asUser } from '../accounts/account-data.ts';
import { addAccount, sendAs } from '../accounts/members.ts';
import { me, post } from '../accounts/people.ts';
import { booleanFlag, createFlag, evaluate } from '../operations/flags.ts';
import { createAdmin, createUser, logIn, surfacesOf, useTenant } from '../support/accounts.ts';
import { type Answer, startApp, stopApp, type TestApp } from '../support/harness.ts';
import { created, newLicense, newPolicy } from '../support/licensing-catalog.ts';
import { mailedToken } from '../support/mails.ts';

// A change through one node takes effect with the next request to another node. Each case also sends requests to the
// other node before the change, to fill its caches. On the embedded engine the second service represents a command that
// runs beside `serve`.
const suite = useTenant({ LOG_LEVEL: 'warn' });
let other: TestApp;
/** The tenant's surfaces on the other node. */
let otherSurfaces: ReturnType<typeof surfacesOf>;

beforeAll(async () => {
  other = await startApp(suite.app.site, { LOG_LEVEL: 'warn' });
  otherSurfaces = surfacesOf(other, suite.tenant);
});

afterAll(() => stopApp(other));

/** A request to the other node, and a change through the first node that alters its response. */
interface Change {
  readonly send: () => Promise<Answer>;
  readonly change: () => Promise<unknown>;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

const asAdmin = async (method: Method, path: string, payload?: object, app = suite.app) => {
  const url = `/api/v1/admin${path}`;
  return succeeded(await app.request({ method, url, headers: suite.admin.auth, ...(payload && { payload }) }));
};
const setTenant = (payload: object, id = suite.tenant.id) => asAdmin('PATCH', `/tenants/${id}`, payload);
const validate = (key: string, apiKey = suite.tenant.apiKey) =>
  surfacesOf(other, { owner: suite.tenant.owner, apiKey }).asApplication(`/licenses/${key}/validate`);
const listProducts = () => otherSurfaces.asOwner('GET', '/products');

function succeeded(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
}

/** Returns the status with the error code or the verdict code of a response, or `ok`. */
function outcomeOf({ status, body }: Answer): string {
  const verdict = body.data?.valid === undefined ? 'ok' : body.data.code;
  return `${status} ${body.error?.code ?? verdict}`;
}

async function changedLicense(action: string): Promise<Change> {
  const { id, key } = await newLicense(suite.tenant);
  return {
    send: () => validate(key),
    change: async () => succeeded(await suite.tenant.asOwner('POST', `/licenses/${id}/${action}`)),
  };
}

async function memberOf(role: string) {
  const user = await addAccount(suite.app, suite.tenant, role);
  const addProduct = () => sendAs(other, user, 'POST', '/products', { code: newId(), name: 'Editor' });
  return { user, addProduct };
}

const past = '2026-01-01T00:00:00.000000Z';

/** Changes fields of an API key that no route changes. */
async function changedKey(fields: Partial<Tables['api_keys']>): Promise<Change> {
  const { id, key } = created(await suite.tenant.asOwner('POST', '/api-keys', { name: 'Changed' }));
  const keys = suite.app.services.platform.query.updateTable('api_keys').where('id', '=', id);
  return { send: () => validate('UNKNOWN', key), change: () => keys.set(fields).execute() };
}

/** Changes fields of an access token that no route changes. */
async function changedToken(fields: Partial<Tables['tenant_access_tokens']>): Promise<Change> {
  const { id, token } = await newAccessToken(suite.tenant);
  const tokens = suite.app.services.platform.query.updateTable('tenant_access_tokens').where('id', '=', id);
  const send = () => sendWith(other, token, 'POST', '/notifications/read-all');
  return { send, change: () => tokens.set(fields).execute() };
}

type Case = readonly [what: string, before: string, after: string, prepare: () => Promise<Change>];

const cases: readonly Case[] = [
  [
    'an API key is revoked',
    '200 LICENSE.NOT_FOUND',
    '401 AUTH.INVALID_API_KEY',
    async () => {
      const { id, key } = created(await suite.tenant.asOwner('POST', '/api-keys', { name: 'Spare' }));
      return { send: () => validate('UNKNOWN', key), change: () => suite.tenant.asOwner('DELETE', `/api-keys/${id}`) };
    },
  ],
  ['an API key expires', '200 LICENSE.NOT_FOUND', '401 AUTH.INVALID_API_KEY', () => changedKey({ expires_at: past })],
  [
    'an API key loses a scope',
    '200 LICENSE.NOT_FOUND',
    '403 AUTH.SCOPE_REQUIRED',
    () => changedKey({ scopes_json: '["usage:write"]' }),
  ],
  [
    'an API key allows only other addresses',
    '200 LICENSE.NOT_FOUND',
    '403 AUTH.IP_NOT_ALLOWED',
    () => changedKey({ allowed_cidrs_json: '["192.0.2.0/24"]' }),
  ],
  ['an access token expires', '200 ok', '401 AUTH.INVALID_TOKEN', () => changedToken({ expires_at: past })],
  [
    'the role of an access token is lowered',
    '200 ok',
    '403 AUTH.ROLE_REQUIRED',
    () => changedToken({ role: 'viewer' }),
  ],
  [
    'a session is revoked by its user',
    '200 ok',
    '401 AUTH.INVALID_TOKEN',
    async () => {
      const user = await createUser(suite.app);
      const elsewhere = await logIn(suite.app, user.email, 'tenant');
      return {
        send: () => me(other, elsewhere.auth),
        change: async () => succeeded(await asUser(suite.app, user, 'DELETE', '/sessions')),
      };
    },
  ],
  [
    'an access token is revoked',
    '200 ok',
    '401 AUTH.INVALID_TOKEN',
    async () => {
      const { id, token } = await newAccessToken(suite.tenant);
      return {
        send: () => sendWith(other, token, 'GET', '/products'),
        change: () => suite.tenant.asOwner('DELETE', `/access-tokens/${id}`),
      };
    },
  ],
  [
    'an access token is revoked by an admin of the platform',
    '200 ok',
    '401 AUTH.INVALID_TOKEN',
    async () => {
      const { id, token } = await newAccessToken(suite.tenant);
      return {
        send: () => sendWith(other, token, 'GET', '/products'),
        change: () => asAdmin('DELETE', `/tenants/${suite.tenant.id}/access-tokens/${id}`),
      };
    },
  ],
  [
    'a tenant is suspended, for its keys',
    '200 LICENSE.NOT_FOUND',
    '403 TENANT.STATUS.SUSPENDED',
    async () => ({ send: () => validate('UNKNOWN'), change: () => setTenant({ status: 'suspended' }) }),
  ],
  [
    'a tenant is reinstated, for its users',
    '403 TENANT.STATUS.SUSPENDED',
    '200 ok',
    async () => ({ send: listProducts, change: () => setTenant({ status: 'active' }) }),
  ],
  [
    'a tenant is suspended, for its users',
    '200 ok',
    '403 TENANT.STATUS.SUSPENDED',
    async () => ({ send: listProducts, change: () => setTenant({ status: 'suspended' }) }),
  ],
  [
    'a tenant is reinstated, for its keys',
    '403 TENANT.STATUS.SUSPENDED',
    '200 LICENSE.NOT_FOUND',
    async () => ({ send: () => validate('UNKNOWN'), change: () => setTenant({ status: 'active' }) }),
  ],
  [
    'a tenant is closed',
    '200 LICENSE.NOT_FOUND',
    '403 TENANT.STATUS.CLOSED',
    async () => {
      const closing = await suite.newTenant('Closing');
      return {
        send: () => validate('UNKNOWN', closing.apiKey),
        change: () => setTenant({ status: 'closed' }, closing.id),
      };
    },
  ],
  [
    'an admin is demoted',
    '200 ok',
    '403 AUTH.ROLE_REQUIRED',
    async () => {
      const { id, auth } = await createAdmin(suite.app);
      return {
        send: () => other.request({ method: 'GET', url: '/api/v1/admin/admins', headers: auth }),
        change: () => asAdmin('PATCH', `/admins/${id}`, { role: 'billing_readonly' }),
      };
    },
  ],
  [
    'an admin is disabled',
    '200 ok',
    '401 AUTH.INVALID_TOKEN',
    async () => {
      const { id, auth } = await createAdmin(suite.app);
      return {
        send: () => other.request({ method: 'GET', url: '/api/v1/admin/tenants', headers: auth }),
        change: () => asAdmin('PATCH', `/admins/${id}`, { disabled: true }),
      };
    },
  ],
  [
    'a token is revoked by a logout',
    '200 ok',
    '401 AUTH.INVALID_TOKEN',
    async () => {
      const { auth } = await createAdmin(suite.app);
      return {
        send: () => me(other, auth),
        change: () => suite.app.request({ method: 'POST', url: '/api/auth/logout', headers: auth }),
      };
    },
  ],
  [
    'a password is reset',
    '200 ok',
    '401 AUTH.INVALID_TOKEN',
    async () => {
      const { user } = await memberOf('viewer');
      return {
        send: () => me(other, user.auth),
        async change() {
          await post(suite.app, '/forgot-password', { email: user.email });
          const token = await mailedToken(suite.app, user.email);
          succeeded(await post(suite.app, '/reset-password', { token, password: 'another horse battery staple' }));
        },
      };
    },
  ],
  [
    'a user is removed from a tenant',
    '201 ok',
    '403 TENANT.ACCESS_DENIED',
    async () => {
      const { user, addProduct } = await memberOf('admin');
      return {
        send: addProduct,
        change: async () => succeeded(await suite.tenant.asOwner('DELETE', `/members/${user.memberId}`)),
      };
    },
  ],
  [
    'the role of a user is lowered',
    '201 ok',
    '403 AUTH.ROLE_REQUIRED',
    async () => {
      const { user, addProduct } = await memberOf('admin');
      const change = () => suite.tenant.asOwner('PUT', `/members/${user.memberId}`, { role: 'viewer' });
      return { send: addProduct, change: async () => succeeded(await change()) };
    },
  ],
  ['a license is suspended', '200 LICENSE.VALID', '200 LICENSE.SUSPENDED', () => changedLicense('suspend')],
  ['a license is revoked', '200 LICENSE.VALID', '200 LICENSE.REVOKED', () => changedLicense('revoke')],
  [
    'the key of a license is replaced',
    '200 LICENSE.VALID',
    '200 LICENSE.NOT_FOUND',
    () => changedLicense('rotate-key'),
  ],
  [
    'a license is deleted',
    '200 LICENSE.VALID',
    '200 LICENSE.NOT_FOUND',
    async () => {
      const { id, key } = await newLicense(suite.tenant);
      return { send: () => validate(key), change: () => suite.tenant.asOwner('DELETE', `/licenses/${id}`) };
    },
  ],
  [
    'a license starts to require an activation',
    '200 LICENSE.VALID',
    '200 ACTIVATION.FINGERPRINT_REQUIRED',
    async () => {
      const policy = await newPolicy(suite.tenant);
      const { key } = created(await suite.tenant.asOwner('POST', '/licenses', { policy_id: policy.id }));
      const change = () => suite.tenant.asOwner('PUT', `/policies/${policy.id}`, { require_activation: true });
      return { send: () => validate(key), change: async () => succeeded(await change()) };
    },
  ],
  [
    'a limit of the tenant is lowered',
    '201 ok',
    '403 PLAN.LIMIT_REACHED',
    async () => ({
      send: () => otherSurfaces.asOwner('POST', '/webhooks', { url: `https://${newId()}.example.com`, events: ['*'] }),
      change: () => setTenant({ limits: { webhooks: 1 } }),
    }),
  ],
];

test.for(cases)(
  'when %s, the other node responds accordingly to the next request',
  async ([, before, after, prepare]) => {
    const { send, change } = await prepare();
    for (let warm = 0; warm < 2; warm += 1) expect(outcomeOf(await send())).toBe(before);
    await change();
    expect(outcomeOf(await send())).toBe(after);
  },
);

test('the other node evaluates a changed flag with the next request, whatever ETag it returned before', async () => {
  const key = `flag-${newId()}`;
  const id = await createFlag(suite.app, suite.admin, key, booleanFlag());
  const evaluateThere = (headers: object = {}) =>
    evaluate(other, { headers: { 'x-api-key': suite.tenant.apiKey, ...headers } });
  const flagIn = ({ body }: Answer) => body.flags.find((flag: { key: string }) => flag.key === key)?.value;
  const first = await evaluateThere();
  const etag = String(first.headers['etag']);
  expect([flagIn(first), (await evaluateThere({ 'if-none-match': etag })).status]).toEqual([false, 304]);
  await asAdmin('PUT', `/feature-flags/${id}`, { definition: booleanFlag({ defaultVariant: 'on' }) });
  expect(flagIn(await evaluateThere({ 'if-none-match': etag }))).toBe(true);
  await asAdmin('DELETE', `/feature-flags/${id}`);
  expect(flagIn(await evaluateThere())).toBeUndefined();
});

test('the other node applies and returns changed settings with the next request', async () => {
  const policy = await newPolicy(suite.tenant);
  const keyMadeThere = async () =>
    created(await otherSurfaces.asOwner('POST', '/licenses', { policy_id: policy.id })).key;
  for (const license_key_prefix of ['ONE', 'TWO']) {
    succeeded(await suite.tenant.asOwner('PUT', '/settings', { license_key_prefix }));
    expect(await keyMadeThere()).toMatch(new RegExp(`^${license_key_prefix}-`));
    expect((await otherSurfaces.asOwner('GET', '/settings')).body.data).toMatchObject({ license_key_prefix });
  }
  succeeded(await suite.tenant.asOwner('PUT', '/settings', { license_key_prefix: null }));
});

test('the other node signs with a rotated key and publishes it with the next request', async () => {
  const { key } = await newLicense(suite.tenant);
  const kidThere = async () => {
    const answer = succeeded(await otherSurfaces.asApplication(`/licenses/${key}/certificate`));
    return decodeProtectedHeader(answer.body.data.certificate).kid;
  };
  const kidsThere = async () => {
    const { body } = await other.request({ method: 'GET', url: `/api/v1/tenants/${suite.tenant.id}/jwks.json` });
    return body.keys.map(({ kid }: { kid: string }) => kid);
  };
  const former = await kidThere();
  const now = await rotateSigningKey(suite.app.services, systemActor, suite.tenant.id);
  expect([await kidThere(), now === former]).toEqual([now, false]);
  expect(await kidsThere()).toEqual(expect.arrayContaining([former, now]));
});

test('a repeated creation with the same Idempotency-Key on the other node replays the first response', async () => {
  const headers = { ...suite.tenant.owner.auth, 'idempotency-key': newId() };
  const payload = { name: 'Once' };
  const create = (app: TestApp) => app.request({ method: 'POST', url: '/api/v1/tenant/api-keys', headers, payload });
  const [first, again] = [await create(suite.app), await create(other)];
  expect([first.status, again.status, again.headers['idempotency-replayed']]).toEqual([201, 201, 'true']);
  expect(again.body.data).toEqual({ ...first.body.data, key: null });
});

test('the last use of an API key on one node is visible on the other node after its flush', async () => {
  const { id, key } = created(await suite.tenant.asOwner('POST', '/api-keys', { name: 'Used' }));
  await validate('UNKNOWN', key);
  await other.services.apiKeyUsage.flush();
  const read = await suite.tenant.asOwner('GET', `/api-keys/${id}`);
  expect(read.body.data.last_used_at).not.toBeNull();
});

test('the last use of an access token on one node is visible on the other node after its flush', async () => {
  const { id, token } = await newAccessToken(suite.tenant);
  await sendWith(other, token, 'GET', '/products');
  await other.services.accessTokenUsage.flush();
  const read = await suite.tenant.asOwner('GET', `/access-tokens/${id}`);
  expect(read.body.data.last_used_at).not.toBeNull();
});
