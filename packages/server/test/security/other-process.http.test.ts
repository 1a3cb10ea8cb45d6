import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlatformDb } from '../../src/db/database.ts';
import { connectPlatformDb } from '../../src/db/platform.ts';
import { newAccessToken, outcome, sendWith } from '../accounts/access-tokens.ts';
import { createTenant, type TestTenant, useTenant } from '../support/accounts.ts';

const suite = useTenant();
/** A second connection to the platform database, like that of the command line or of another node. */
let elsewhere: PlatformDb;

beforeAll(() => {
  elsewhere = connectPlatformDb(suite.app.config);
});

afterAll(() => elsewhere.close());

const tokens = (id: string) => elsewhere.query.updateTable('tenant_access_tokens').where('id', '=', id);

type Change = (tenant: TestTenant) => Promise<unknown>;

const keys = (tenant: TestTenant) => elsewhere.query.updateTable('api_keys').where('id', '=', tenant.apiKeyId);
const tenants = (tenant: TestTenant) => elsewhere.query.updateTable('tenants').where('id', '=', tenant.id);

const changes: readonly [string, Change, number, string][] = [
  ['revokes its API key', (one) => keys(one).set({ status: 'revoked' }).execute(), 401, 'AUTH.INVALID_API_KEY'],
  [
    'sets an expiry in the past for its API key',
    (one) => keys(one).set({ expires_at: '2026-01-01T00:00:00.000000Z' }).execute(),
    401,
    'AUTH.INVALID_API_KEY',
  ],
  [
    'removes a scope of its API key',
    (one) => keys(one).set({ scopes_json: '["usage:write"]' }).execute(),
    403,
    'AUTH.SCOPE_REQUIRED',
  ],
  [
    'allows only other addresses',
    (one) => keys(one).set({ allowed_cidrs_json: '["192.0.2.0/24"]' }).execute(),
    403,
    'AUTH.IP_NOT_ALLOWED',
  ],
  ['suspends the tenant', (one) => tenants(one).set({ status: 'suspended' }).execute(), 403, 'TENANT.STATUS.SUSPENDED'],
  ['closes the tenant', (one) => tenants(one).set({ status: 'closed' }).execute(), 403, 'TENANT.STATUS.CLOSED'],
];

test.each(changes)(
  'the next request of a tenant is refused after another process %s',
  async (_what, change, status, code) => {
    const tenant = await createTenant(suite.app, suite.admin);
    const validate = () => tenant.asApplication('/licenses/unknown/validate');
    for (let warm = 0; warm < 3; warm += 1) expect((await validate()).status).toBe(200);
    await change(tenant);
    const answer = await validate();
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  },
);

const tokenChanges: readonly [string, (id: string, tenant: TestTenant) => Promise<unknown>, number, string][] = [
  ['revokes it', (id) => tokens(id).set({ status: 'revoked' }).execute(), 401, 'AUTH.INVALID_TOKEN'],
  [
    'sets an expiry in the past',
    (id) => tokens(id).set({ expires_at: '2026-01-01T00:00:00.000000Z' }).execute(),
    401,
    'AUTH.INVALID_TOKEN',
  ],
  ['lowers its role', (id) => tokens(id).set({ role: 'viewer' }).execute(), 403, 'AUTH.ROLE_REQUIRED'],
  [
    'suspends its tenant',
    (_id, tenant) => tenants(tenant).set({ status: 'suspended' }).execute(),
    403,
    'TENANT.STATUS.SUSPENDED',
  ],
];

test.each(tokenChanges)(
  'the next request with an access token is refused after another process %s',
  async (_what, change, status, code) => {
    const tenant = await createTenant(suite.app, suite.admin);
    const { id, token } = await newAccessToken(tenant);
    const write = () => sendWith(suite.app, token, 'POST', '/notifications/read-all');
    for (let warm = 0; warm < 3; warm += 1) expect((await write()).status).toBe(200);
    await change(id, tenant);
    expect(outcome(await write())).toEqual([status, code]);
  },
);
