import { hashSync } from '@node-rs/argon2';
import { beforeAll, beforeEach } from 'vitest';
import type { AdminRole, TenantRole } from '../../src/db/tables/platform/identity.ts';
import { createAdminWithHash } from '../../src/features/accounts/admins/service.ts';
import { allScopes } from '../../src/features/accounts/api-keys/schemas.ts';
import { admitProvenUser } from '../../src/features/accounts/identity/account-service.ts';
import { addMember } from '../../src/features/accounts/memberships/service.ts';
import { completeTenantAudit } from '../../src/features/tenant-core/audit-outbox/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { systemActor } from '../../src/tenancy/tenant.ts';
import { type Answer, type TestApp, useApp } from './harness.ts';

export const testPassword = 'correct horse battery staple';

/**
 * The hash of the shared test password with the minimum cost of Argon2id. With the service's parameters each of
 * thousands of logins would occupy a core for tens of milliseconds.
 */
const testPasswordHash = hashSync(testPassword, { memoryCost: 8, timeCost: 1, parallelism: 1 });

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  /** The header that sends the token. */
  readonly auth: { readonly authorization: string };
}

let lastAddress = 0;

/** Returns a client address that is unique in this process, so that tests do not share throttles. */
export function freshAddress(): string {
  lastAddress += 1;
  return `198.18.${Math.floor(lastAddress / 250)}.${(lastAddress % 250) + 1}`;
}

/** Logs in over HTTP from a fresh address. */
export async function logIn(app: TestApp, email: string, ability: 'tenant' | 'admin'): Promise<Account> {
  app.secrets.note(testPassword);
  const answer = await app.request({
    method: 'POST',
    url: '/api/auth/login',
    remoteAddress: freshAddress(),
    payload: { email, password: testPassword, ability },
  });
  if (answer.status !== 200) throw new Error(`Login of ${email} failed: ${answer.text}`);
  const { access_token: token, user, admin } = answer.body.data;
  return { id: (user ?? admin).id, email, token, auth: { authorization: `Bearer ${token}` } };
}

/** Creates an admin as the command line does, with the precomputed password hash. */
export async function addAdmin(app: TestApp, role: AdminRole = 'super_admin') {
  app.secrets.note(testPassword);
  const email = `admin-${newId()}@example.com`;
  const input = { email, name: 'Grace Hopper', role };
  const { id } = await createAdminWithHash(app.services, systemActor, input, testPasswordHash);
  return { id, email };
}

/** Creates an admin and logs in. */
export async function createAdmin(app: TestApp, role: AdminRole = 'super_admin'): Promise<Account> {
  const { email } = await addAdmin(app, role);
  return logIn(app, email, 'admin');
}

/** Creates a user with a verified address, as accepting an invitation does, with the precomputed password hash. */
export async function addUser(app: TestApp) {
  app.secrets.note(testPassword);
  const { clock, platform } = app.services;
  const email = `user-${newId()}@example.com`;
  const person = { email, name: 'Ada Lovelace', passwordHash: testPasswordHash, at: clock.now() };
  const user = await platform.transaction((tx) => admitProvenUser(tx, person));
  if (user === undefined) throw new Error(`The user ${email} was not created.`);
  return { id: user.id, email };
}

/** Creates a user and logs in. */
export async function createUser(app: TestApp): Promise<Account> {
  const { email } = await addUser(app);
  return logIn(app, email, 'tenant');
}

/** Adds a user to a tenant. */
export async function joinTenant(
  app: TestApp,
  user: Pick<Account, 'id' | 'email'>,
  tenantId: string,
  role: TenantRole,
): Promise<void> {
  const { clock, platform } = app.services;
  const member = { id: newId(), tenantId, user, role, at: clock.now() };
  await platform.transaction((tx) => addMember(tx, systemActor, member));
}

/** A tenant with the credentials of its owner and of an application. */
export interface TestTenant {
  readonly id: string;
  readonly owner: Account;
  /** A raw API key with every scope. */
  readonly apiKey: string;
  readonly apiKeyId: string;
  /** Sends a request through the tenant's surface as its owner. A text is the content of a CSV file. */
  asOwner(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object | string): Promise<Answer>;
  /** Sends a request to the Integration API with the key. */
  asApplication(path: string, payload?: object): Promise<Answer>;
}

/** Creates a tenant through the admin API, with an owner and an API key. */
export async function createTenant(app: TestApp, admin: Account, name = 'Acme'): Promise<TestTenant> {
  const owner = await createUser(app);
  const created = await app.request({
    method: 'POST',
    url: '/api/v1/admin/tenants',
    headers: admin.auth,
    payload: { name },
  });
  if (created.status !== 201) throw new Error(`The tenant was not created: ${created.text}`);
  const { id } = created.body.data;
  await joinTenant(app, owner, id, 'owner');
  await completeTenantAudit(app.services, id);
  const key = await surfacesOf(app, { owner, apiKey: '' }).asOwner('POST', '/api-keys', {
    name: 'Test key',
    scopes: allScopes,
  });
  const { id: apiKeyId, key: apiKey } = key.body.data;
  return { id, owner, apiKey, apiKeyId, ...surfacesOf(app, { owner, apiKey }) };
}

/** Returns the request functions of a tenant for one node. */
export function surfacesOf(
  app: TestApp,
  { owner, apiKey }: Pick<TestTenant, 'owner' | 'apiKey'>,
): Pick<TestTenant, 'asOwner' | 'asApplication'> {
  return {
    asOwner(method, path, payload) {
      const type = typeof payload === 'string' ? { 'content-type': 'text/csv' } : {};
      const headers = { ...owner.auth, ...type };
      return app.request({ method, url: `/api/v1/tenant${path}`, headers, ...(payload && { payload }) });
    },
    asApplication: (path, payload) =>
      app.request({
        method: 'POST',
        url: `/api/v1/integration${path}`,
        headers: { 'x-api-key': apiKey },
        ...(payload && { payload }),
      }),
  };
}

/** The service of a suite, with a platform admin. The properties can be read only inside tests and hooks. */
export interface AdminSuite {
  readonly app: TestApp;
  readonly admin: Account;
  /** Creates another tenant, with an owner and an API key. */
  newTenant(name?: string): Promise<TestTenant>;
}

interface AdminRequests {
  /** Sends a request to the admin surface as the platform admin. */
  asAdmin(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, payload?: object): Promise<Answer>;
}

/** The service of a suite, with a platform admin and a tenant. */
export interface TenantSuite extends AdminSuite {
  readonly tenant: TestTenant;
}

/** Starts one service for the suite, as `useApp` does, and creates an admin. Call `useClock` before it. */
export function useAdmin(env: Parameters<typeof useApp>[0] = {}): AdminSuite & AdminRequests {
  const suite = useApp(env);
  let admin: Account | undefined;
  beforeAll(async () => {
    admin = await createAdmin(suite.app);
  });
  return withAdmin(suite, () => admin);
}

/** Starts one service for the suite, as `useAdmin` does, and creates one tenant that all tests share. */
export function useTenant(env: Parameters<typeof useApp>[0] = {}): TenantSuite & AdminRequests {
  const suite = useAdmin(env);
  let tenant: TestTenant | undefined;
  beforeAll(async () => {
    tenant = await suite.newTenant();
  });
  return withTenant(suite, () => tenant);
}

/**
 * Starts one service for the suite, as `useApp` does, and creates an admin and a tenant before each test. The admin is
 * new too, because a test that moves the clock may let the token of the previous one expire.
 */
export function useTenantPerTest(env: NodeJS.ProcessEnv = {}): TenantSuite & AdminRequests {
  const suite = useApp(env);
  let admin: Account | undefined;
  let tenant: TestTenant | undefined;
  const adminSuite = withAdmin(suite, () => admin);
  beforeEach(async () => {
    admin = await createAdmin(suite.app);
    tenant = await adminSuite.newTenant();
  });
  return withTenant(adminSuite, () => tenant);
}

function withAdmin(suite: Pick<AdminSuite, 'app'>, findAdmin: () => Account | undefined): AdminSuite & AdminRequests {
  return {
    get app() {
      return suite.app;
    },
    get admin() {
      return existing(findAdmin());
    },
    newTenant: (name) => createTenant(suite.app, existing(findAdmin()), name),
    asAdmin(method, path, payload) {
      const headers = existing(findAdmin()).auth;
      return suite.app.request({ method, url: `/api/v1/admin${path}`, headers, ...(payload && { payload }) });
    },
  };
}

function withTenant(
  suite: AdminSuite & AdminRequests,
  findTenant: () => TestTenant | undefined,
): TenantSuite & AdminRequests {
  return {
    get app() {
      return suite.app;
    },
    get admin() {
      return suite.admin;
    },
    get tenant() {
      return existing(findTenant());
    },
    newTenant: suite.newTenant,
    asAdmin: suite.asAdmin,
  };
}

function existing<Created>(created: Created | undefined): Created {
  if (created === undefined) throw new Error('The admin and the tenant exist only inside tests and hooks.');
  return created;
}

/** Returns the two surfaces that have the resources of a tenant, for `describe.each`. */
export function bothSurfaces(suite: { readonly tenant: TestTenant; readonly admin: Account }) {
  const asAdmin = () => `/api/v1/admin/tenants/${suite.tenant.id}`;
  return [
    { surface: 'tenant', prefix: () => '/api/v1/tenant', auth: () => suite.tenant.owner.auth, suffix: '' },
    { surface: 'admin', prefix: asAdmin, auth: () => suite.admin.auth, suffix: '_BY_ADMIN' },
  ] as const;
}
