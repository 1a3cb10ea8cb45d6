import { queryOptions } from '@tanstack/react-query';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';
import type { Area } from './session.ts';

/** Who is logged in, and the tenants of the person. */
export type Me = components['schemas']['CurrentSubject'];

/** A tenant of the current user. */
export type TenantMembership = components['schemas']['TenantMembership'];

/** Reads the current user of an area. */
export function meQuery(area: Area) {
  const surface = { area, tenantId: null };
  return queryOptions({
    queryKey: keyOf(surface, 'me'),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/auth/me')),
    staleTime: 60_000,
  });
}
