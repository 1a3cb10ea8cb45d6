import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';
import type { Area } from './session.ts';

/** Who is logged in, and the tenants of the person. */
export type Me = components['schemas']['CurrentSubject'];

/** A tenant of the current user. */
export type TenantMembership = components['schemas']['TenantMembership'];

/** Returns the tenant to open: the chosen one, or the only one, or the only one that is not a test copy. */
export function tenantOf({ tenants }: Me, chosenId: string | null): TenantMembership | undefined {
  const live = tenants.filter(({ live_tenant_id }) => live_tenant_id === null);
  const [only] = tenants.length === 1 ? tenants : live.length === 1 ? live : [];
  return tenants.find(({ id }) => id === chosenId) ?? only;
}

/** Returns true if a tenant is the test copy of another one; false while the current user is not known. */
export function isTestTenant(me: Me | undefined, tenantId: string | null): boolean {
  return me?.tenants.some(({ id, live_tenant_id }) => id === tenantId && live_tenant_id !== null) === true;
}

/** Reads the current user of an area. */
export function meQuery(area: Area) {
  const surface = { area, tenantId: null };
  return queryOptions({
    queryKey: keyOf(surface, 'me'),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/auth/me')),
    staleTime: 60_000,
  });
}

/** Starts to read the current user, before the code that shows the answer is loaded. */
export function prefetchMe(client: QueryClient, area: Area): void {
  void client.prefetchQuery({ ...meQuery(area), staleTime: Number.POSITIVE_INFINITY });
}
