import { describe, expect, test } from 'vitest';
import { tenantResources } from '../../src/surfaces/tenant-resources.ts';
import { useTenant } from '../support/accounts.ts';
import { liveRoutes, registeredRoutes, withoutNames } from '../support/routes.ts';

const suite = useTenant();

type Methods = Readonly<Record<string, readonly string[]>>;

interface Surfaces {
  readonly tenant: Methods;
  readonly admin: Methods;
}

const readOnly = { '': ['GET'], '/{}': ['GET'] };
const everything = { '': ['GET', 'POST'], '/{}': ['DELETE', 'GET', 'PUT'] };
const releases = {
  '/{}/releases': ['GET', 'POST'],
  '/{}/releases/{}': ['DELETE', 'GET', 'PUT'],
  '/{}/releases/{}/publish': ['POST'],
  '/{}/releases/{}/yank': ['POST'],
  '/{}/releases/{}/downloads': ['GET'],
};
const readReleases = {
  '/{}/releases': ['GET'],
  '/{}/releases/{}': ['GET'],
  '/{}/releases/{}/downloads': ['GET'],
};
const archivable = { ...everything, '/{}/archive': ['POST'], '/{}/unarchive': ['POST'] };
const licenses = {
  ...everything,
  '/{}/suspend': ['POST'],
  '/{}/reinstate': ['POST'],
  '/{}/revoke': ['POST'],
  '/{}/renew': ['POST'],
  '/{}/rotate-key': ['POST'],
  '/{}/convert': ['POST'],
  '/{}/validate': ['POST'],
  '/{}/certificate': ['POST'],
  '/{}/activations': ['POST'],
  '/{}/checks': ['GET'],
  '/{}/entitlements': ['GET'],
  '/{}/portal-link': ['POST'],
  '/{}/sale': ['GET'],
  '/import': ['POST'],
  '/imports/{}': ['GET'],
  '/imports/{}/cancel': ['POST'],
  '/export': ['GET'],
};

const customers = {
  '': ['GET'],
  '/{}': ['DELETE', 'GET', 'PUT'],
  '/{}/export': ['GET'],
  '/{}/notes': ['GET', 'POST'],
  '/{}/notes/{}': ['DELETE'],
};
const bulkOperations = {
  '': ['GET', 'POST'],
  '/{}': ['GET'],
  '/{}/cancel': ['POST'],
  '/{}/undo': ['POST'],
  '/{}/changes': ['GET'],
};
const batches = { '': ['GET', 'POST'], '/{}': ['GET'], '/{}/keys': ['GET'], '/{}/cancel': ['POST'] };

const webhooks = {
  ...everything,
  '/{}/test': ['POST'],
  '/{}/rotate-secret': ['POST'],
  '/{}/recover': ['POST'],
};

const connections = {
  ...everything,
  '/{}/catalog': ['GET'],
  '/{}/offers': ['GET', 'POST'],
  '/{}/offers/{}': ['DELETE', 'PUT'],
  '/{}/events': ['GET'],
  '/{}/events/{}': ['GET'],
  '/{}/events/{}/retry': ['POST'],
  '/{}/sales': ['GET'],
  '/{}/sales/{}': ['GET'],
  '/{}/sales/{}/apply': ['POST'],
  '/{}/comparisons': ['GET', 'POST'],
  '/{}/comparisons/{}': ['GET'],
  '/{}/comparisons/{}/apply': ['POST'],
  '/{}/comparisons/{}/cancel': ['POST'],
  '/{}/comparisons/{}/differences': ['GET'],
  '/{}/comparisons/{}/differences/{}/apply': ['POST'],
  '/{}/test-sale': ['POST'],
};

/** Section 3 of the contract, for the existing resources. */
const contract: Readonly<Record<string, Surfaces>> = {
  '/overview': { tenant: { '': ['GET'], '/figures': ['GET'] }, admin: { '': ['GET'], '/figures': ['GET'] } },
  '/products': {
    tenant: { ...archivable, ...releases, '/{}/allow-trial': ['POST'] },
    admin: { ...readOnly, ...readReleases },
  },
  '/policies': { tenant: { ...archivable, '/{}/copy-to-live': ['POST'] }, admin: readOnly },
  '/close': { tenant: { '': ['POST'] }, admin: {} },
  '/test-tenant': { tenant: { '': ['DELETE', 'GET', 'POST'] }, admin: { '': ['DELETE', 'GET', 'POST'] } },
  '/licenses': { tenant: licenses, admin: licenses },
  '/connections': { tenant: connections, admin: connections },
  '/bulk-operations': { tenant: bulkOperations, admin: bulkOperations },
  '/license-batches': { tenant: batches, admin: batches },
  '/customers': { tenant: customers, admin: customers },
  '/activations': { tenant: { '': ['GET'], '/{}': ['DELETE', 'GET'] }, admin: { '': ['GET'] } },
  '/entitlements': { tenant: everything, admin: { '': ['GET'] } },
  '/usage': { tenant: { '': ['GET'], '/series': ['GET'] }, admin: { '': ['GET'], '/series': ['GET'] } },
  '/demo-data': { tenant: { '': ['GET', 'DELETE'] }, admin: { '': ['GET', 'DELETE'] } },
  '/api-keys': {
    tenant: { ...everything, '/{}/rotate': ['POST'] },
    admin: { '': ['GET', 'POST'], '/{}': ['DELETE', 'PUT'], '/{}/rotate': ['POST'] },
  },
  '/access-tokens': {
    tenant: { '': ['GET', 'POST'], '/{}': ['DELETE', 'GET'] },
    admin: { '': ['GET'], '/{}': ['DELETE'] },
  },
  '/webhooks': { tenant: webhooks, admin: webhooks },
  '/webhook-deliveries': { tenant: { ...readOnly, '/{}/resend': ['POST'] }, admin: readOnly },
  '/settings': { tenant: { '': ['GET', 'PUT'] }, admin: { '': ['GET', 'PUT'] } },
  '/brand': { tenant: { '': ['GET', 'PUT'] }, admin: { '': ['GET', 'PUT'] } },
  '/portal': {
    tenant: { '': ['GET', 'PUT'], '/domain/verify': ['POST'] },
    admin: { '': ['GET', 'PUT'], '/domain/verify': ['POST'] },
  },
  '/mails': {
    tenant: { '': ['GET', 'POST'], '/{}': ['GET'], '/{}/resend': ['POST'] },
    admin: { '': ['GET', 'POST'], '/{}': ['GET'], '/{}/resend': ['POST'] },
  },
  '/mail-settings': {
    tenant: { '': ['GET', 'PUT'], '/server': ['DELETE', 'PUT'] },
    admin: { '': ['GET', 'PUT'] },
  },
  '/mail-templates': {
    tenant: { '': ['GET'], '/{}': ['DELETE', 'GET', 'PUT'], '/{}/preview': ['POST'], '/{}/test': ['POST'] },
    admin: readOnly,
  },
  '/notifications': {
    tenant: { '': ['GET', 'POST'], '/unread-count': ['GET'], '/{}/read': ['POST'], '/read-all': ['POST'] },
    admin: { '': ['GET', 'POST'] },
  },
  '/dev-tools/snapshot': { tenant: { '': ['GET'] }, admin: { '': ['GET'] } },
  '/members': { tenant: { '': ['GET', 'POST'], '/{}': ['DELETE', 'PUT'] }, admin: { '': ['GET'] } },
  '/audit-logs': { tenant: { '': ['GET'], '/export': ['GET'] }, admin: { '': ['GET'], '/export': ['GET'] } },
};

const prefixes = { tenant: '/api/v1/tenant', admin: '/api/v1/admin/tenants/{}' } as const;

function contractRoutes(surface: 'tenant' | 'admin'): string[] {
  return Object.entries(contract).flatMap(([resource, surfaces]) =>
    Object.entries(surfaces[surface]).flatMap(([path, methods]) =>
      methods.map((method) => `${method} ${prefixes[surface]}${resource}${path}`),
    ),
  );
}

const routesBelow = (prefix: string) =>
  registeredRoutes(suite.app).filter((route) => route.split(' ')[1]?.startsWith(`${prefix}/`));

describe.each(['tenant', 'admin'] as const)('the %s surface', (surface) => {
  test(`the ${surface} surface has exactly the routes of the contract`, () => {
    expect(routesBelow(prefixes[surface]).sort()).toEqual(contractRoutes(surface).sort());
  });

  test(`the ${surface} surface has exactly the routes of the list of tenant resources`, () => {
    const expected = tenantResources.flatMap((resource) =>
      resource.routes(suite.app.services).flatMap(({ method, url }) => {
        const { adminAccess } = resource;
        const isOpen =
          surface === 'tenant' || adminAccess === 'everything' || (adminAccess[url]?.includes(String(method)) ?? false);
        return isOpen ? [`${String(method)} ${withoutNames(prefixes[surface] + resource.prefix + url)}`] : [];
      }),
    );
    expect(routesBelow(prefixes[surface]).sort()).toEqual(expected.sort());
  });
});

test('the list of tenant resources grants admins only paths and methods that the resource has', () => {
  for (const { prefix, routes, adminAccess } of tenantResources) {
    if (adminAccess === 'everything') continue;
    const existing = routes(suite.app.services).map(({ method, url }) => `${String(method)} ${url}`);
    const opened = Object.entries(adminAccess).flatMap(([url, methods]) => methods.map((method) => `${method} ${url}`));
    expect(existing, prefix).toEqual(expect.arrayContaining(opened));
  }
});

/** Only browsers open these, and the responses are redirects. */
const redirects = ['GET /api/v1/auth/oidc/start', 'GET /api/v1/auth/oidc/callback'];

test('the OpenAPI document contains every route of the API that programs call', () => {
  const documented = liveRoutes(suite.app).map(({ method, path }) => `${method} ${withoutNames(path)}`);
  const ofApi = registeredRoutes(suite.app).filter((route) => / \/(api|ofrep)\//.test(route));
  expect(ofApi).toEqual(expect.arrayContaining(redirects));
  const registered = ofApi.filter((route) => !redirects.includes(route));
  expect(registered.filter((route) => !documented.includes(route))).toEqual([]);
  expect(registered.length).toBeGreaterThan(40);
});

const allMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Every path that admins have, with the methods that they cannot use there. */
const closedToAdmins = Object.entries(contract).flatMap(([resource, surfaces]) =>
  Object.entries(surfaces.admin).flatMap(([path, allowed]) =>
    allMethods
      .filter((method) => !allowed.includes(method))
      .map((method) => ({ method, path: resource + path, allow: withHead(allowed) })),
  ),
);

function withHead(methods: readonly string[]): string {
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort().join(', ');
}

test.each(closedToAdmins)(
  'the request $method $path of an admin gets a 405 with Allow: $allow',
  async ({ method, path, allow }) => {
    const url = `/api/v1/admin/tenants/${suite.tenant.id}${path.replace('{}', suite.tenant.apiKeyId)}`;
    const refused = await suite.app.request({ method, url, headers: suite.admin.auth });
    expect([refused.status, refused.body.error.code]).toEqual([405, 'ROUTE.METHOD_NOT_ALLOWED']);
    expect(refused.headers['allow']).toBe(allow);
  },
);
