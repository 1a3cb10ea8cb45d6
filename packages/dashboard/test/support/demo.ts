import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '../../../../tools/browser/chromium.ts';
import { type Service, startService } from '../../../guides/test/support/service.ts';
import { signIn } from './screen.ts';

const dist = join(import.meta.dirname, '..', '..', 'dist');

/** The paths of the application's URL tree, such as `/licenses/:licenseId`; the build lists them. */
export const routes: readonly string[] = Object.keys(JSON.parse(readFileSync(join(dist, 'routes.json'), 'utf8')));

/** A service with the data of the demo, and the sessions of its owner and its admin. */
export interface DemoService extends Service {
  readonly userToken: string;
  readonly adminToken: string;
  /** Returns the URL of a path of the URL tree, with the id of an object of the demo in place of each parameter. */
  urlOf(route: string): Promise<string>;
  /** Logs a window in at both areas. */
  signIn(page: Page): Promise<void>;
}

/** Per path segment before an id: where the objects with such ids are listed. */
const tenantLists: Readonly<Record<string, string>> = {
  // A license that is in use shows more than a new one.
  licenses: '/api/v1/tenant/activations',
  // The product that has releases.
  products: '/api/v1/tenant/products?code=editor',
  'webhook-endpoints': '/api/v1/tenant/webhooks',
  batches: '/api/v1/tenant/license-batches',
  invoices: '/api/v1/billing/invoices',
};
const adminLists: Readonly<Record<string, string>> = {
  products: '/api/v1/admin/catalog/products',
  plans: '/api/v1/admin/catalog/plans',
  coupons: '/api/v1/admin/catalog/coupons',
};

async function dataOf(response: Response): Promise<unknown> {
  const body = (await response.json()) as { data: unknown };
  if (!response.ok) throw new Error(`${response.url} failed: ${JSON.stringify(body)}`);
  return body.data;
}

/** Parts of addresses that name no row. */
const fixedValues: Readonly<Record<string, string>> = { ':type': 'license.issued' };

/** Starts the service with the data of `npm start`. */
export async function startDemo(): Promise<DemoService> {
  const service = await startService();
  const { url, demo } = service;
  const logIn = async (account: { email: string; password: string }, ability: 'tenant' | 'admin') => {
    const body = JSON.stringify({ ...account, ability });
    const headers = { 'content-type': 'application/json' };
    const data = await dataOf(await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body }));
    return (data as { access_token: string }).access_token;
  };
  const userToken = await logIn(demo.user, 'tenant');
  const adminToken = await logIn(demo.admin, 'admin');

  /** The demo leaves these lists of the platform empty. */
  const create = (path: string, body: object) =>
    fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await create('/api/v1/admin/catalog/products', { code: 'licensing', name: 'Licensing' });
  await create('/api/v1/admin/catalog/coupons', { code: 'WELCOME20', percent_off: 20, duration: 'once' });
  await create('/api/v1/admin/feature-flags', {
    key: 'new-checkout',
    definition: { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'off' },
  });

  const headersOf = (token: string) => ({ authorization: `Bearer ${token}`, 'x-tenant-id': demo.tenant.id });

  /** Nor does the demo change licenses in bulk. Its jobs do these in the background. */
  async function createBulkWork(): Promise<void> {
    const headers = { ...headersOf(userToken), 'content-type': 'application/json' };
    const post = async (path: string, body: object) =>
      dataOf(await fetch(`${url}/api/v1/tenant${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));
    const policy_id = await firstId('/api/v1/tenant/policies', userToken);
    await post('/license-batches', { name: 'For the reseller', policy_id, count: 20 });
    const action = { type: 'set_limit', max_activations: 4 };
    await post('/bulk-operations', { filter: { status: 'active', policy_id }, action });
  }

  async function firstId(path: string, token: string): Promise<string> {
    const headers = headersOf(token);
    const list = (await dataOf(await fetch(url + path, { headers }))) as {
      id?: string;
      license_id?: string;
      email?: string;
    }[];
    const [first] = list;
    if (first === undefined) throw new Error(`The demo has nothing at ${path}: add it to the demo data.`);
    // A customer is identified by an address.
    return first.license_id ?? first.id ?? encodeURIComponent(first.email ?? '');
  }

  await createBulkWork();
  const known = new Map<string, Promise<string>>();
  async function tenantList(segment: string): Promise<string> {
    if (segment !== 'releases') return tenantLists[segment] ?? `/api/v1/tenant/${segment}`;
    return `/api/v1/tenant/products/${await idFor('tenant', 'products')}/releases?status=published`;
  }
  async function idFor(area: 'tenant' | 'admin', segment: string): Promise<string> {
    const path = area === 'tenant' ? await tenantList(segment) : (adminLists[segment] ?? `/api/v1/admin/${segment}`);
    const found = known.get(path) ?? firstId(path, area === 'tenant' ? userToken : adminToken);
    known.set(path, found);
    return await found;
  }

  return {
    ...service,
    userToken,
    adminToken,
    async urlOf(route) {
      const tenantPrefix = '/admin/tenants/:tenantId';
      const ofTenant = route === tenantPrefix || route.startsWith(`${tenantPrefix}/`);
      const prefix = ofTenant ? `/admin/tenants/${demo.tenant.id}` : '';
      const segments = (ofTenant ? route.slice(tenantPrefix.length) : route).split('/');
      const area = route.startsWith('/admin') && !ofTenant ? 'admin' : 'tenant';
      const filled = await Promise.all(
        segments.map((segment, index) =>
          segment.startsWith(':') && !(segment in fixedValues)
            ? idFor(area, segments[index - 1] ?? '')
            : (fixedValues[segment] ?? segment),
        ),
      );
      return prefix + filled.join('/');
    },
    async signIn(page) {
      await signIn(page, { token: userToken, tenantId: demo.tenant.id });
      await signIn(page, { token: adminToken, area: 'admin' });
    },
  };
}

/** Paths that a visitor without a session opens. */
export const publicRoutes: ReadonlySet<string> = new Set([
  '/login',
  '/two-factor',
  '/register',
  '/verify-email',
  '/change-email',
  '/revert-email',
  '/undo-two-factor',
  '/forgot-password',
  '/reset-password',
  '/accept-invitation',
  '/admin/login',
  '/single-sign-on',
]);

/** Waits until a screen shows its content: its heading, and neither a skeleton nor a running request. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  // Chromium never reports it if a frame, such as a preview, was replaced while it loaded. What loads still has a skeleton.
  await page.waitForLoadState('networkidle', { timeout: 15_000 }).catch(() => undefined);
  await page.waitForFunction(
    () => document.querySelector('[aria-busy="true"], .mantine-Skeleton-root[data-visible="true"]') === null,
  );
}
