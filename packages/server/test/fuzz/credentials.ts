import { randomBytes } from 'node:crypto';
import type { AdminRole, TenantRole } from '../../src/db/tables/platform/identity.ts';
import type { AccessTokenRole } from '../../src/db/tables/platform/tenants.ts';
import { newAccessToken } from '../accounts/access-tokens.ts';
import { logInHolder, portalOf } from '../holders/portal-data.ts';
import { type Account, createAdmin, createUser, joinTenant, type TestTenant } from '../support/accounts.ts';
import type { TestApp } from '../support/harness.ts';
import { newLicense } from '../support/licensing-catalog.ts';
import type { LiveRoute } from '../support/routes.ts';
import { mayUseTenant } from '../support/tenant-rights.ts';

type Headers = Readonly<Record<string, string>>;

/** What a credential gives access to. */
type Access =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'user'; readonly role: TenantRole | null }
  | { readonly kind: 'access token'; readonly role: AccessTokenRole | null }
  | { readonly kind: 'admin'; readonly role: AdminRole }
  | { readonly kind: 'key'; readonly scopes: readonly string[] }
  | { readonly kind: 'holder'; readonly isOfPortal: boolean };

/** A credential of the matrix. */
export interface Credential {
  readonly name: string;
  readonly headers: Headers;
  readonly access: Access;
  /** The tenant whose data it may read; null for none, `every` for admins. */
  readonly reads: string | null;
}

const scopes = ['licenses:validate', 'activations:write', 'entitlements:check', 'usage:write', 'releases:read'];

/** The scope that a route of the Integration API needs. */
function scopeOf(path: string): string {
  if (path.endsWith('/usage')) return 'usage:write';
  if (/\/integration\/(?:releases|feeds)\//.test(path)) return 'releases:read';
  if (path.endsWith('/entitlements/check')) return 'entitlements:check';
  return path.includes('/activations') ? 'activations:write' : 'licenses:validate';
}

const billingReaders: readonly AdminRole[] = ['auditor', 'billing_readonly', 'billing_admin', 'super_admin'];
const billingWriters: readonly AdminRole[] = ['billing_admin', 'super_admin'];

function admits(role: AdminRole, { method, path }: LiveRoute): boolean {
  if (path.startsWith('/api/v1/admin/account') || path === '/api/v1/admin/admins/roles') return true;
  if (path.startsWith('/api/v1/admin/admins')) return role === 'super_admin';
  if (role === 'auditor' && method !== 'GET') return false;
  if (/^\/api\/v1\/admin\/(?:subscriptions|invoices)\b/.test(path)) {
    return method === 'GET' || billingWriters.includes(role);
  }
  if (!path.startsWith('/api/v1/admin/billing')) return true;
  return (method === 'GET' ? billingReaders : billingWriters).includes(role);
}

function admitsMember(role: TenantRole | null, route: LiveRoute): boolean {
  if (route.path.startsWith('/ofrep/')) return role !== null;
  if (!/^\/api\/v1\/(tenant|billing)\//.test(route.path)) return true;
  return role !== null && mayUseTenant(role, route);
}

function admitsAccessToken(role: TenantRole | null, route: LiveRoute): boolean {
  if (role === null) return false;
  const isForPeople = /^\/api\/v1\/tenant\/(members|access-tokens)/.test(route.path);
  return /^\/(api\/v1\/tenant|ofrep)\//.test(route.path) && !isForPeople && admitsMember(role, route);
}

/** Returns the path without a version for the operations of identity that have both. */
export function fixedPath(path: string): string {
  return path.replace(/^\/api\/v1\/auth\/(?=login|logout|me)/, '/api/auth/');
}

/** Returns true for what a person does with their own session. */
export function isOfIdentity(path: string): boolean {
  return /^\/api\/(?:v1\/)?auth\/(?:login|logout|me|two-factor)/.test(path);
}

/** Returns true if the contract lets a credential use a route: by its guard, role and scope. */
export function mayUse(route: LiveRoute, { access }: Credential): boolean {
  const { security, path } = route;
  // Without METRICS_TOKEN, `/metrics` is open on loopback.
  if (security.length === 0 || path === '/metrics') return true;
  if (access.kind === 'holder') return security.includes('holder') && access.isOfPortal;
  return access.kind !== 'nothing' && mayUseGuarded(route, access);
}

type VendorAccess = Exclude<Access, { readonly kind: 'nothing' | 'holder' }>;

function mayUseGuarded(route: LiveRoute, access: VendorAccess): boolean {
  const { security, path } = route;
  if (access.kind === 'key') {
    if (!security.includes('apiKey')) return false;
    return path.startsWith('/ofrep/') || access.scopes.includes(scopeOf(path));
  }
  if (!security.includes('bearer')) return false;
  if (fixedPath(path) === '/api/auth/me') return true;
  if (access.kind === 'access token') return admitsAccessToken(access.role, route);
  if (isOfIdentity(path)) return true;
  const isAdminRoute = path.startsWith('/api/v1/admin');
  if (access.kind === 'admin') return isAdminRoute && admits(access.role, route);
  return !isAdminRoute && admitsMember(access.role, route);
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const hex = () => randomBytes(32).toString('hex');

interface NewKey {
  readonly id: string;
  readonly key: string;
}

async function newKey(tenant: TestTenant, fields: object): Promise<NewKey> {
  const answer = await tenant.asOwner('POST', '/api-keys', { name: 'Fuzzed', ...fields });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.data;
}

interface Owners {
  readonly own: TestTenant;
  readonly foreign: TestTenant;
  readonly admin: Account;
}

/** Creates one credential of every kind: of the own tenant, of a foreign tenant, of admins, and ones without access. */
export async function createCredentials(app: TestApp, { own, foreign, admin }: Owners): Promise<Credential[]> {
  return [
    ...(await createUsers(app, own, foreign)),
    ...(await createAdmins(app, admin)),
    ...(await createKeys(own, foreign)),
    ...(await createAccessTokens(own, foreign)),
    ...(await createHolders(app, own, foreign)),
    ...(await createUseless(app, own, admin)),
  ];
}

async function createUsers(app: TestApp, own: TestTenant, foreign: TestTenant): Promise<Credential[]> {
  const userOf = (name: string, { auth }: Account, role: TenantRole | null, reads: string | null): Credential => {
    return { name, headers: auth, access: { kind: 'user', role }, reads };
  };
  const ofTenant = await Promise.all(
    (['admin', 'support', 'viewer'] as const).map(async (role) => {
      const member = await createUser(app);
      await joinTenant(app, member, own.id, role);
      return userOf(`a member of the tenant with the role ${role}`, member, role, own.id);
    }),
  );
  return [
    ...ofTenant,
    userOf('a user without a tenant', await createUser(app), null, null),
    userOf('the owner of another tenant', foreign.owner, 'owner', foreign.id),
    {
      ...userOf('the owner of another tenant who names this one', foreign.owner, null, foreign.id),
      headers: { ...foreign.owner.auth, 'x-tenant-id': own.id },
    },
  ];
}

async function createAdmins(app: TestApp, superAdmin: Account): Promise<Credential[]> {
  const adminOf = ({ auth }: Account, role: AdminRole): Credential => {
    return {
      name: `a platform admin with the role ${role}`,
      headers: auth,
      access: { kind: 'admin', role },
      reads: 'every',
    };
  };
  const others = ['auditor', 'admin', 'billing_readonly', 'billing_admin'] as const;
  const created = await Promise.all(others.map(async (role) => adminOf(await createAdmin(app, role), role)));
  return [adminOf(superAdmin, 'super_admin'), ...created];
}

async function createKeys(own: TestTenant, foreign: TestTenant): Promise<Credential[]> {
  const keyOf = (name: string, key: string, granted: readonly string[], reads: string | null): Credential => {
    return { name, headers: { 'x-api-key': key }, access: { kind: 'key', scopes: granted }, reads };
  };
  const single = async (scope: string) => {
    const { key } = await newKey(own, { scopes: [scope] });
    return keyOf(`a key with only the scope ${scope}`, key, [scope], own.id);
  };
  return [
    ...(await Promise.all(scopes.map(single))),
    keyOf('a key of another tenant', foreign.apiKey, scopes, foreign.id),
  ];
}

async function createAccessTokens(own: TestTenant, foreign: TestTenant): Promise<Credential[]> {
  const tokenOf = async (name: string, tenant: TestTenant, role: AccessTokenRole): Promise<Credential> => {
    const { token } = await newAccessToken(tenant, { role });
    return { name, headers: bearer(token), access: { kind: 'access token', role }, reads: tenant.id };
  };
  const foreignToken = await tokenOf('an access token of another tenant', foreign, 'admin');
  return [
    await tokenOf('an access token with the role admin', own, 'admin'),
    await tokenOf('an access token with the role viewer', own, 'viewer'),
    foreignToken,
    {
      ...foreignToken,
      name: 'an access token of another tenant that names this one',
      headers: { ...foreignToken.headers, 'x-tenant-id': own.id },
      access: { kind: 'access token', role: null },
    },
  ];
}

/** Sessions of holders. Requests to portals go to the portal of the own tenant. */
async function createHolders(app: TestApp, own: TestTenant, foreign: TestTenant): Promise<Credential[]> {
  const holderOf = async (name: string, tenant: TestTenant): Promise<Credential> => {
    const license = await newLicense(tenant, {}, { holder: { email: 'another-holder@example.com' } });
    const token = await logInHolder(app, tenant, await portalOf(tenant), license.id);
    return { name, headers: bearer(token), access: { kind: 'holder', isOfPortal: tenant === own }, reads: tenant.id };
  };
  const ofOwn = await holderOf('the holder of another license', own);
  return [
    ofOwn,
    await holderOf('a holder of another tenant', foreign),
    {
      name: "a holder's token as an API key",
      headers: { 'x-api-key': ofOwn.headers['authorization']?.slice(7) ?? '' },
      access: { kind: 'nothing' },
      reads: null,
    },
  ];
}

/** Credentials that no route accepts, and no credential. */
async function createUseless(app: TestApp, own: TestTenant, admin: Account): Promise<Credential[]> {
  const useless = (name: string, headers: Headers): Credential => {
    return { name, headers, access: { kind: 'nothing' }, reads: null };
  };
  const revoked = await newKey(own, {});
  await own.asOwner('DELETE', `/api-keys/${revoked.id}`);
  const elsewhere = await newKey(own, { allowed_cidrs: ['203.0.113.0/24'] });
  const revokedToken = await newAccessToken(own);
  await own.asOwner('DELETE', `/access-tokens/${revokedToken.id}`);
  const unusable = await newAccessToken(own);
  const loggedOut = await createUser(app);
  await joinTenant(app, loggedOut, own.id, 'owner');
  await app.request({ method: 'POST', url: '/api/auth/logout', headers: loggedOut.auth });
  return [
    useless('no credential', {}),
    useless('an unknown token', bearer(`service_${hex()}`)),
    useless('a token that is not a token', bearer('\t" or 1=1 --')),
    useless('another scheme', { authorization: `Basic ${btoa(`${own.owner.email}:x`)}` }),
    useless('a token after its logout', loggedOut.auth),
    useless('an unknown API key', { 'x-api-key': `vx_${hex()}` }),
    useless('a revoked API key', { 'x-api-key': revoked.key }),
    useless('an API key from a network that it does not allow', { 'x-api-key': elsewhere.key }),
    useless('a revoked access token', bearer(revokedToken.token)),
    useless('an access token as an API key', { 'x-api-key': unusable.token }),
    useless('an API key as a bearer token', bearer(own.apiKey)),
    useless("a user's token as an API key", { 'x-api-key': own.owner.token }),
    useless("an admin's token as an API key", { 'x-api-key': admin.token }),
  ];
}
