import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rotateSigningKey } from '../../src/features/licensing/signing-keys/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { systemActor } from '../../src/tenancy/system-actor.ts';
import { addAccount, sendAs } from '../accounts/members.ts';
import { me, post } from '../accounts/people.ts';
import { booleanFlag, createFlag, evaluate } from '../operations/flags.ts';
import { type Account, createAdmin, createTenant, surfacesOf, type TestTenant } from '../support/accounts.ts';
import { type Answer, startApp, stopApp, type TestApp, useApp } from '../support/harness.ts';
import { created, newLicense, newPolicy } from '../support/licensing-catalog.ts';
import { mailedToken } from '../support/mails.ts';

// What is changed through one node holds for the very next request to another. Each case asks the other node before as
// well, so that whatever it might keep in memory is there. Embedded, the second one stands for a command beside `serve`.
const suite = useApp({ LOG_LEVEL: 'warn' });
let other: TestApp;
let admin: Account;
let tenant: TestTenant;
/** The tenant's surfaces of the other node. */
let there: ReturnType<typeof surfacesOf>;

beforeAll(async () => {
  other = await startApp(suite.app.site, { LOG_LEVEL: 'warn' });
  admin = await createAdmin(suite.app);
  tenant = await createTenant(suite.app, admin);
  there = surfacesOf(other, tenant);
});

afterAll(() => stopApp(other));

/** Something to ask the other node for, and what changes the answer. */
interface Change {
  readonly ask: () => Promise<Answer>;
  readonly change: () => Promise<unknown>;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

const asAdmin = async (method: Method, path: string, payload?: object, app = suite.app) => {
  const url = `/api/v1/admin${path}`;
  return succeeded(await app.request({ method, url, headers: admin.auth, ...(payload && { payload }) }));
};
const setTenant = (payload: object, id = tenant.id) => asAdmin('PATCH', `/tenants/${id}`, payload);
const validate = (key: string, apiKey = tenant.apiKey) =>
  surfacesOf(other, { owner: tenant.owner, apiKey }).asApplication(`/licenses/${key}/validate`);
const listProducts = () => there.asOwner('GET', '/products');

function succeeded(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
}

/** What an answer says: of a refusal its code, of a verdict its code, else the status. */
function outcomeOf({ status, body }: Answer): string {
  const verdict = body.data?.valid === undefined ? 'ok' : body.data.code;
  return `${status} ${body.error?.code ?? verdict}`;
}

async function changedLicense(action: string): Promise<Change> {
  const { id, key } = await newLicense(tenant);
  return {
    ask: () => validate(key),
    change: async () => succeeded(await tenant.asOwner('POST', `/licenses/${id}/${action}`)),
  };
}

async function memberOf(role: string) {
  const user = await addAccount(suite.app, tenant, role);
  const addProduct = () => sendAs(other, user, 'POST', '/products', { code: newId(), name: 'Editor' });
  return { user, addProduct };
}

type Case = readonly [what: string, before: string, after: string, prepare: () => Promise<Change>];

const cases: readonly Case[] = [
  [
    'an API key is revoked',
    '200 LICENSE.NOT_FOUND',
    '401 AUTH.INVALID_API_KEY',
    async () => {
      const { id, key } = created(await tenant.asOwner('POST', '/api-keys', { name: 'Spare' }));
      return { ask: () => validate('UNKNOWN', key), change: () => tenant.asOwner('DELETE', `/api-keys/${id}`) };
    },
  ],
  [
    'a tenant is suspended, for its keys',
    '200 LICENSE.NOT_FOUND',
    '403 TENANT.STATUS.SUSPENDED',
    async () => ({ ask: () => validate('UNKNOWN'), change: () => setTenant({ status: 'suspended' }) }),
  ],
  [
    'a tenant is reinstated, for its users',
    '403 TENANT.STATUS.SUSPENDED',
    '200 ok',
    async () => ({ ask: listProducts, change: () => setTenant({ status: 'active' }) }),
  ],
  [
    'a tenant is suspended, for its users',
    '200 ok',
    '403 TENANT.STATUS.SUSPENDED',
    async () => ({ ask: listProducts, change: () => setTenant({ status: 'suspended' }) }),
  ],
  [
    'a tenant is reinstated, for its keys',
    '403 TENANT.STATUS.SUSPENDED',
    '200 LICENSE.NOT_FOUND',
    async () => ({ ask: () => validate('UNKNOWN'), change: () => setTenant({ status: 'active' }) }),
  ],
  [
    'a tenant is closed',
    '200 LICENSE.NOT_FOUND',
    '403 TENANT.STATUS.CLOSED',
    async () => {
      const closing = await createTenant(suite.app, admin, 'Closing');
      return {
        ask: () => validate('UNKNOWN', closing.apiKey),
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
        ask: () => other.request({ method: 'GET', url: '/api/v1/admin/admins', headers: auth }),
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
        ask: () => other.request({ method: 'GET', url: '/api/v1/admin/tenants', headers: auth }),
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
        ask: () => me(other, auth),
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
        ask: () => me(other, user.auth),
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
        ask: addProduct,
        change: async () => succeeded(await tenant.asOwner('DELETE', `/members/${user.memberId}`)),
      };
    },
  ],
  [
    'the role of a user is lowered',
    '201 ok',
    '403 AUTH.ROLE_REQUIRED',
    async () => {
      const { user, addProduct } = await memberOf('admin');
      const change = () => tenant.asOwner('PUT', `/members/${user.memberId}`, { role: 'viewer' });
      return { ask: addProduct, change: async () => succeeded(await change()) };
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
      const { id, key } = await newLicense(tenant);
      return { ask: () => validate(key), change: () => tenant.asOwner('DELETE', `/licenses/${id}`) };
    },
  ],
  [
    'a license begins to ask for an activation',
    '200 LICENSE.VALID',
    '200 ACTIVATION.FINGERPRINT_REQUIRED',
    async () => {
      const policy = await newPolicy(tenant);
      const { key } = created(await tenant.asOwner('POST', '/licenses', { policy_id: policy.id }));
      const change = () => tenant.asOwner('PUT', `/policies/${policy.id}`, { require_activation: true });
      return { ask: () => validate(key), change: async () => succeeded(await change()) };
    },
  ],
  [
    'a limit of the tenant is lowered',
    '201 ok',
    '403 PLAN.LIMIT_REACHED',
    async () => ({
      ask: () => there.asOwner('POST', '/webhooks', { url: `https://${newId()}.example.com`, events: ['*'] }),
      change: () => setTenant({ limits: { webhooks: 1 } }),
    }),
  ],
];

test.for(cases)('the other node knows when %s', async ([, before, after, prepare]) => {
  const { ask, change } = await prepare();
  for (let warm = 0; warm < 2; warm += 1) expect(outcomeOf(await ask())).toBe(before);
  await change();
  expect(outcomeOf(await ask())).toBe(after);
});

test('the other node evaluates a flag that was changed, whatever ETag it gave before', async () => {
  const key = `flag-${newId()}`;
  const id = await createFlag(suite.app, admin, key, booleanFlag());
  const ask = (headers: object = {}) => evaluate(other, { headers: { 'x-api-key': tenant.apiKey, ...headers } });
  const flagIn = ({ body }: Answer) => body.flags.find((flag: { key: string }) => flag.key === key)?.value;
  const first = await ask();
  const etag = String(first.headers['etag']);
  expect([flagIn(first), (await ask({ 'if-none-match': etag })).status]).toEqual([false, 304]);
  await asAdmin('PUT', `/feature-flags/${id}`, { definition: booleanFlag({ defaultVariant: 'on' }) });
  expect(flagIn(await ask({ 'if-none-match': etag }))).toBe(true);
  await asAdmin('DELETE', `/feature-flags/${id}`);
  expect(flagIn(await ask())).toBeUndefined();
});

test('the other node makes keys as the settings say now, and tells the settings', async () => {
  const policy = await newPolicy(tenant);
  const keyMadeThere = async () => created(await there.asOwner('POST', '/licenses', { policy_id: policy.id })).key;
  for (const license_key_prefix of ['ONE', 'TWO']) {
    succeeded(await tenant.asOwner('PUT', '/settings', { license_key_prefix }));
    expect(await keyMadeThere()).toMatch(new RegExp(`^${license_key_prefix}-`));
    expect((await there.asOwner('GET', '/settings')).body.data).toMatchObject({ license_key_prefix });
  }
  succeeded(await tenant.asOwner('PUT', '/settings', { license_key_prefix: null }));
});

test('the other node signs with the new key, and publishes it', async () => {
  const { key } = await newLicense(tenant);
  const kidThere = async () => {
    const answer = succeeded(await there.asApplication(`/licenses/${key}/certificate`));
    return decodeProtectedHeader(answer.body.data.certificate).kid;
  };
  const kidsThere = async () => {
    const { body } = await other.request({ method: 'GET', url: `/api/v1/tenants/${tenant.id}/jwks.json` });
    return body.keys.map(({ kid }: { kid: string }) => kid);
  };
  const former = await kidThere();
  const now = await rotateSigningKey(suite.app.services, systemActor, tenant.id);
  expect([await kidThere(), now === former]).toEqual([now, false]);
  expect(await kidsThere()).toEqual(expect.arrayContaining([former, now]));
});

test('a creation that is repeated on the other node is answered with what the first one made', async () => {
  const headers = { ...tenant.owner.auth, 'idempotency-key': newId() };
  const payload = { name: 'Once' };
  const create = (app: TestApp) => app.request({ method: 'POST', url: '/api/v1/tenant/api-keys', headers, payload });
  const [first, again] = [await create(suite.app), await create(other)];
  expect([first.status, again.status, again.headers['idempotency-replayed']]).toEqual([201, 201, 'true']);
  expect(again.body.data).toEqual({ ...first.body.data, key: null });
});

test('the use of a key on one node is told by the other within a second', async () => {
  const { id, key } = created(await tenant.asOwner('POST', '/api-keys', { name: 'Used' }));
  await validate('UNKNOWN', key);
  await other.services.apiKeyUsage.flush();
  const read = await tenant.asOwner('GET', `/api-keys/${id}`);
  expect(read.body.data.last_used_at).not.toBeNull();
});
