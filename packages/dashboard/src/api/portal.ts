import { onSurface } from './endpoints.ts';
import type { components } from './schema.gen.ts';

export type PortalSettings = components['schemas']['PortalSettings'];
export type UpdatePortalSettings = components['schemas']['UpdatePortalSettings'];
export type Brand = components['schemas']['Brand'];
export type UpdateBrand = components['schemas']['UpdateBrand'];
export type PortalLink = components['schemas']['PortalLink'];

/** Reads the settings of the tenant's portal. */
export const portalQuery = onSurface.one('/api/v1/tenant/portal', ['portal'], { staleTime: 5 * 60_000 });

/** Reads how the tenant presents itself to the holders of its licenses. */
export const brandQuery = onSurface.one('/api/v1/tenant/brand', ['brand'], { staleTime: 5 * 60_000 });

/** Changes the settings of the portal that `body` contains. */
export const updatePortal = onSurface.PUT('/api/v1/tenant/portal');

/** Checks the DNS record of the portal's domain. */
export const verifyPortalDomain = onSurface.POST('/api/v1/tenant/portal/domain/verify');

/** Changes the parts of the brand that `body` contains. */
export const updateBrand = onSurface.PUT('/api/v1/tenant/brand');

/** Creates a link that logs the holder of a license in to the portal, once. */
export const createPortalLink = onSurface.POST('/api/v1/tenant/licenses/{id}/portal-link');
