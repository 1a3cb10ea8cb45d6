import { hashSync } from '@node-rs/argon2';
import { beforeAll } from 'vitest';
import type { AdminRole, TenantRole } from '../../src/db/tables/platform/identity.ts';
import { createAdminWithHash } from '../../src/features/accounts/admins/service.ts';
import { admitProvenUser } from '../../src/features/accounts/identity/users-service.ts';
import { addMember } from '../../src/features/accounts/memberships/service.ts';
import { newId } from '../../src/lib/ids.ts';
import { systemActor } from '../../src/tenancy/system-actor.ts';
import { type Answer, type TestApp, useApp } from './harness.ts';

export const testPassword = 'correct horse battery staple';

/**
 * The hash of the suites' one password with the least work that Argon2id admits: with the service's own parameters
 * each of thousands of logins would keep a core busy for tens of milliseconds, by design.
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

/** A client address that no other call of this process got, so that throttles of one test do not reach another. */
export function freshAddress(): string {
  lastAddress += 1;
  return `198.18.${Math.floor(lastAddress / 250)}.${(lastAddress % 250) + 1}`;
}

/** Logs in over HTTP from an address of its own. */
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

/** Makes an admin as the command line does, with the hash made once. */
export async function addAdmin(app: TestApp, role: AdminRole = 'super_admin') {
  app.secrets.note(testPassword);
  const email = `admin-${newId()}@example.com`;
  const input = { email, name: 'Grace Hopper', role };
  const { id } = await createAdminWithHash(app.services, systemActor, input, testPasswordHash);
  return { id, email };
}

/** Makes an admin and logs in. */
export async function createAdmin(app: TestApp, role: AdminRole = 'super_admin'): Promise<Account> {
  const { email } = await addAdmin(app, role);
  return logIn(app, email, 'admin');
}

/** Makes a user with a verified address, as somebody does who accepts an invitation, with the hash made once. */
export async function addUser(app: TestApp) {
  app.secrets.note(testPassword);
  const { clock, platform } = app.services;
  const email = `user-${newId()}@example.com`;
  const person = { email, name: 'Ada Lovelace', passwordHash: testPasswordHash, at: clock.now() };
  const user = await platform.transaction((tx) => admitProvenUser(tx, person));
  if (user === undefined) throw new Error(`${email} was not made.`);
  return { id: user.id, email };
}

/** Makes a user and logs in. */
export async function createUser(app: TestApp): Promise<Account> {
  const { email } = await addUser(app);
  return logIn(app, email, 'tenant');
}

/** Makes a user a member of a tenant. */
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

/** A tenant with everybody who may enter it. */
export interface TestTenant {
  readonly id: string;
  readonly owner: Account;
  /** A raw API key with every scope. */
  readonly apiKey: string;
  readonly apiKeyId: string;
  /** Sends a request through the tenant's surface as its owner. */
  asOwner(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object): Promise<Answer>;
  /** Sends a request to the Integration API with the key. */
  asApplication(path: string, payload?: object): Promise<Answer>;
}

/** Makes a tenant through the admin's API, with an owner and an API key. */
export async function createTenant(app: TestApp, admin: Account, name = 'Acme'): Promise<TestTenant> {
  const owner = await createUser(app);
  const created = await app.request({
    method: 'POST',
    url: '/api/v1/admin/tenants',
    headers: admin.auth,
    payload: { name, owner_email: owner.email },
  });
  if (created.status !== 201) throw new Error(`The tenant was not created: ${created.text}`);
  const { id } = created.body.data;
  const key = await surfacesOf(app, { owner, apiKey: '' }).asOwner('POST', '/api-keys', { name: 'Test key' });
  const { id: apiKeyId, key: apiKey } = key.body.data;
  return { id, owner, apiKey, apiKeyId, ...surfacesOf(app, { owner, apiKey }) };
}

/** A tenant's surfaces of one service: on several nodes each has its own. */
export function surfacesOf(
  app: TestApp,
  { owner, apiKey }: Pick<TestTenant, 'owner' | 'apiKey'>,
): Pick<TestTenant, 'asOwner' | 'asApplication'> {
  return {
    asOwner: (method, path, payload) =>
      app.request({ method, url: `/api/v1/tenant${path}`, headers: owner.auth, ...(payload && { payload }) }),
    asApplication: (path, payload) =>
      app.request({
        method: 'POST',
        url: `/api/v1/integration${path}`,
        headers: { 'x-api-key': apiKey },
        ...(payload && { payload }),
      }),
  };
}

/** One service for a whole suite file, as by `useApp`, with an admin and a tenant in it. */
export function useTenant(env: NodeJS.ProcessEnv = {}): {
  readonly app: TestApp;
  readonly admin: Account;
  readonly tenant: TestTenant;
} {
  const suite = useApp(env);
  let admin: Account | undefined;
  let tenant: TestTenant | undefined;
  const there = <Made>(made: Made | undefined): Made => {
    if (made === undefined) throw new Error('The admin and the tenant are there only inside tests and hooks.');
    return made;
  };
  beforeAll(async () => {
    admin = await createAdmin(suite.app);
    tenant = await createTenant(suite.app, admin);
  });
  return {
    get app() {
      return suite.app;
    },
    get admin() {
      return there(admin);
    },
    get tenant() {
      return there(tenant);
    },
  };
}
