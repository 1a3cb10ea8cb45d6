import type { TenantRole } from '../../src/db/tables/platform/identity.ts';
import type { TenantArea } from '../../src/http/routes/tenant-roles.ts';
import type { LiveRoute } from './routes.ts';

/** Section 3 of the contract: what each role of a tenant may do. */
const rights: Readonly<Record<TenantRole, Readonly<Partial<Record<TenantArea, 'read' | 'write'>>>>> = {
  owner: { licensing: 'write', catalog: 'write', administration: 'write', ownership: 'write', billing: 'write' },
  admin: { licensing: 'write', catalog: 'write', administration: 'write', ownership: 'read' },
  support: { licensing: 'write', catalog: 'read' },
  viewer: { licensing: 'read', catalog: 'read', administration: 'read', ownership: 'read' },
};

/** The roles of a tenant. */
export const rolesOfContract = Object.keys(rights) as readonly TenantRole[];

type Route = Pick<LiveRoute, 'method' | 'path'>;

/** Returns the area of an operation of a tenant, by the contract and not by the declaration of its route. */
export function tenantAreaOf({ path }: Pick<Route, 'path'>): TenantArea {
  if (path.startsWith('/api/v1/billing/')) return 'billing';
  const rest = path.slice('/api/v1/tenant'.length);
  if (/^\/(members|demo-data|close|test-tenant)\b/.test(rest)) return 'ownership';
  // Files with the data of many customers.
  if (/\/(export|changes|keys)$/.test(rest) && !rest.startsWith('/customers/')) return 'administration';
  if (/^\/(licenses|license-batches|bulk-operations|customers|activations|usage|mails)\b/.test(rest))
    return 'licensing';
  if (rest.endsWith('/allow-trial')) return 'licensing';
  return /^\/(products|policies|entitlements|settings)\b/.test(rest) ? 'catalog' : 'administration';
}

/** Returns true if the contract lets a role of a tenant use an operation of it or of its billing. */
export function mayUseTenant(role: TenantRole, route: Route): boolean {
  const access = rights[role][tenantAreaOf(route)];
  return access === 'write' || (access === 'read' && route.method === 'GET');
}
