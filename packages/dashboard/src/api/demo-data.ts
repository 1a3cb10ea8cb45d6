import { onPlatform, onSurface } from './endpoints.ts';

/** Deletes a tenant of the demo. */
export const removeDemoData = onSurface.DELETE('/api/v1/tenant/demo-data');

/** Reads whether the installation has demo data. */
export const platformDemoDataQuery = onPlatform.one('/api/v1/admin/demo-data', ['demo-data'], {
  staleTime: 5 * 60_000,
});

/** Deletes the demo's tenants. */
export const removePlatformDemoData = onPlatform.DELETE('/api/v1/admin/demo-data');
