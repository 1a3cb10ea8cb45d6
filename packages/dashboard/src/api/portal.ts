import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

export type PortalSettings = components['schemas']['PortalSettings'];
export type UpdatePortalSettings = components['schemas']['UpdatePortalSettings'];
export type Brand = components['schemas']['Brand'];
export type UpdateBrand = components['schemas']['UpdateBrand'];
export type PortalLink = components['schemas']['PortalLink'];

/** Reads the settings of the tenant's portal. */
export function portalQuery(surface: Surface) {
  return queryOptions({
    queryKey: keyOf(surface, 'portal'),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/portal')),
    staleTime: 5 * 60_000,
  });
}

/** Reads how the tenant presents itself to the holders of its licenses. */
export function brandQuery(surface: Surface) {
  return queryOptions({
    queryKey: keyOf(surface, 'brand'),
    queryFn: () => dataOf(apiOf(surface).GET('/api/v1/tenant/brand')),
    staleTime: 5 * 60_000,
  });
}

/** Changes the settings of the portal that `body` contains. */
export function updatePortal(surface: Surface, body: UpdatePortalSettings) {
  return dataOf(apiOf(surface).PUT('/api/v1/tenant/portal', { body }));
}

/** Checks the DNS record of the portal's domain. */
export function verifyPortalDomain(surface: Surface) {
  return dataOf(apiOf(surface).POST('/api/v1/tenant/portal/domain/verify'));
}

/** Changes the parts of the brand that `body` contains. */
export function updateBrand(surface: Surface, body: UpdateBrand) {
  return dataOf(apiOf(surface).PUT('/api/v1/tenant/brand', { body }));
}

/** Creates a link that logs the holder of a license in to the portal, once. */
export function createPortalLink(surface: Surface, licenseId: string) {
  const params = { path: { id: licenseId } };
  return dataOf(apiOf(surface).POST('/api/v1/tenant/licenses/{id}/portal-link', { params }));
}
