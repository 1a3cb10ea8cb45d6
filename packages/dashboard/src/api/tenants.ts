import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { onPlatform } from './endpoints.ts';
import { platformApi, platformKey } from './platform.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

export type Tenant = components['schemas']['Tenant'];
export type TenantDetail = components['schemas']['TenantDetail'];
export type UpdateTenant = components['schemas']['UpdateTenant'];

/** Reads one tenant as admins see it. */
export const tenantQuery = onPlatform.one('/api/v1/admin/tenants/{id}', ['tenants'], { query: { include: 'storage' } });

/** Reads one page of the tenants, newest first. */
export const tenantsQuery = onPlatform.list('/api/v1/admin/tenants', ['tenants', 'list']);

export type FoundLicense = components['schemas']['FoundLicenses']['licenses'][number];

/** Searches the tenants for a license by its key, some of them per page. */
export function licenseLookup(key: string) {
  return infiniteQueryOptions({
    queryKey: platformKey('licenses', key),
    queryFn: ({ pageParam: after }) =>
      dataOf(
        platformApi().GET('/api/v1/admin/licenses', { params: { query: { key, ...(after !== null && { after }) } } }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    enabled: key !== '',
    // Each search is recorded.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Creates a tenant with its database. */
export const createTenant = onPlatform.POST('/api/v1/admin/tenants');

/** Changes a tenant. */
export const updateTenant = onPlatform.PATCH('/api/v1/admin/tenants/{id}');

const plansMax = 100;

/** Reads the plans that the platform sells. */
export const platformPlansQuery = onPlatform.one('/api/v1/admin/catalog/plans', ['plans', 'all'], {
  query: { limit: plansMax },
  staleTime: 60_000,
});

/** Reads how an active tenant uses the limits of its plan. */
export function limitUsesQuery(tenantId: string) {
  const surface = { area: 'admin', tenantId } as const;
  return queryOptions({
    queryKey: keyOf(surface, 'overview', 'limits'),
    queryFn: async () => (await dataOf(apiOf(surface).GET('/api/v1/tenant/overview'))).limits,
  });
}

const membersMax = 100;

/** Reads the first members of an active tenant. */
export function tenantMembersQuery(tenantId: string) {
  const surface = { area: 'admin', tenantId } as const;
  return queryOptions({
    queryKey: keyOf(surface, 'members', 'platform'),
    queryFn: () => bodyOf(apiOf(surface).GET('/api/v1/tenant/members', { params: { query: { limit: membersMax } } })),
  });
}
