import { demoEntitlements, demoProduct } from '../../../server/src/commands/demo/samples/catalog.ts';
import { keygenToken } from '../../../server/test/support/fake-keygen.ts';
import { otherProductToken, startCryptlex, startKeygen, startLemonSqueezy } from './other-products.ts';
import { type Demo, freePort, type Service } from './service.ts';

/** What a reader has before the first step of a page, by the name of the shell variable. */
export interface World {
  readonly url: string;
  /** Returns the value of a variable that a page expects; undefined if no reader would have it. */
  variable(name: string): Promise<string | undefined>;
}

type Headers = Readonly<Record<string, string>>;

async function call(service: Service, method: string, path: string, headers: Headers, body?: object) {
  const response = await fetch(service.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text).data;
}

type Authorization = { readonly authorization: string };
const logins = new WeakMap<object, Promise<Authorization>>();

/** Logs in once per service and account: a client address may log in ten times a minute. */
function logIn(service: Service, account: Demo['user'], ability: 'tenant' | 'admin'): Promise<Authorization> {
  const login = logins.get(account) ?? newLogin(service, account, ability);
  logins.set(account, login);
  return login;
}

async function newLogin(service: Service, { email, password }: Demo['user'], ability: string): Promise<Authorization> {
  const { access_token } = await call(service, 'POST', '/api/auth/login', {}, { email, password, ability });
  return { authorization: `Bearer ${access_token}` };
}

/** Accepts the invitation of a tenant as a user. */
async function acceptInvitation(service: Service, auth: Authorization, tenantId: string): Promise<void> {
  const invitations = '/api/v1/account/invitations';
  const open: { id: string; tenant_id: string }[] = await call(service, 'GET', invitations, auth);
  const id = open.find(({ tenant_id }) => tenant_id === tenantId)?.id;
  await call(service, 'POST', `${invitations}/${id}/accept`, auth);
}

/**
 * Creates a tenant of its own, so that pages and languages do not meet each other's data. It is empty, or has what the
 * tenant of a reader who started the demo has: its product and its entitlements.
 */
export async function createWorld(
  service: Service,
  name: string,
  { hasDemoProduct = false }: { readonly hasDemoProduct?: boolean } = {},
): Promise<World> {
  const { admin, user } = service.demo;
  const adminAuth = await logIn(service, admin, 'admin');
  const tenant = await call(service, 'POST', '/api/v1/admin/tenants', adminAuth, { name, owner_email: user.email });
  await acceptInvitation(service, await logIn(service, user, 'tenant'), tenant.id);
  await call(service, 'PATCH', `/api/v1/admin/tenants/${tenant.id}`, adminAuth, { limits: unlimited });
  const owner = { ...(await logIn(service, user, 'tenant')), 'x-tenant-id': tenant.id };
  const create = (path: string, body: object) => call(service, 'POST', `/api/v1/tenant/${path}`, owner, body);
  const product = hasDemoProduct ? await create('products', demoProduct) : null;
  if (hasDemoProduct) for (const entitlement of demoEntitlements) await create('entitlements', entitlement);
  const values = new Map<string, Promise<string>>();
  const sources: Readonly<Record<string, () => Promise<string>>> = {
    LICENSING_URL: async () => service.url,
    LICENSING_TENANT_ID: async () => tenant.id,
    LICENSING_TOKEN: async () => (await create('access-tokens', { name: 'Guides', role: 'admin' })).token,
    LICENSING_API_KEY: async () => (await create('api-keys', { name: 'Guides' })).key,
    LICENSE_KEY: () => createSampleLicense(create, product),
    LEMONSQUEEZY_URL: startLemonSqueezy,
    LEMONSQUEEZY_API_KEY: async () => otherProductToken,
    DATA_DIR: async () => service.dataDir,
    KEYGEN_URL: startKeygen,
    KEYGEN_TOKEN: async () => keygenToken,
    CRYPTLEX_URL: startCryptlex,
    CRYPTLEX_TOKEN: async () => otherProductToken,
    PORT: async () => String(await freePort()),
  };
  return {
    url: service.url,
    async variable(name) {
      if (!values.has(name)) {
        const value = sources[name]?.();
        if (value !== undefined) values.set(name, value);
      }
      return values.get(name);
    },
  };
}

const limits = ['products', 'licenses', 'activations', 'api_keys', 'webhooks', 'members'] as const;
const unlimited = Object.fromEntries(limits.map((name) => [name, 'unlimited']));

/** Returns the key of a license of the product `editor`, under a policy that most pages can use. */
async function createSampleLicense(
  create: (path: string, body: object) => Promise<{ id: string; key: string }>,
  product: { readonly id: string } | null,
) {
  const { id: product_id } = product ?? (await create('products', demoProduct));
  const policy = await create('policies', {
    product_id,
    code: 'standard',
    name: 'Standard',
    duration_days: 365,
    max_activations: 3,
  });
  const license = await create('licenses', { policy_id: policy.id, holder: { name: 'Ada Lovelace' } });
  return license.key;
}

/** The world of a reader who started the demo. */
export function demoWorld(service: Service): World {
  const { url, demo } = service;
  const values: Readonly<Record<string, string>> = {
    LICENSING_API_KEY: demo.apiKey,
    LICENSING_TENANT_ID: demo.tenant.id,
    LICENSE_KEY: demo.tenant.licenseKey,
    OWNER_PASSWORD: demo.user.password,
  };
  const createToken = async () => {
    const owner = await logIn(service, demo.user, 'tenant');
    const body = { name: 'Quickstart', role: 'admin' };
    return (await call(service, 'POST', '/api/v1/tenant/access-tokens', owner, body)).token as string;
  };
  return { url, variable: async (name) => (name === 'LICENSING_TOKEN' ? createToken() : values[name]) };
}
