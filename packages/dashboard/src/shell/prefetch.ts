import type { QueryClient } from '@tanstack/react-query';
import { meQuery, tenantOf } from '../api/me.ts';
import { selectedTenantId } from '../api/session.ts';
import { settingsQuery } from '../api/settings.ts';
import type { SurfaceId } from '../surfaces.ts';

/** Starts to read something of the tenant that the user opens, as soon as it is known which one that is. */
export async function prefetchForTenant(
  client: QueryClient,
  read: (tenant: SurfaceId) => Promise<unknown>,
): Promise<void> {
  // The frame shows that the user cannot be read.
  const me = await client.ensureQueryData(meQuery('tenant')).catch(() => undefined);
  const tenant = me && tenantOf(me, selectedTenantId());
  if (tenant?.status === 'active') await read({ area: 'tenant', tenantId: tenant.id });
}

/** Starts to read the settings of the tenant: all times of a screen are rendered again when its time zone arrives later. */
export function prefetchSettings(client: QueryClient): Promise<void> {
  return prefetchForTenant(client, (tenant) => client.prefetchQuery(settingsQuery(tenant)));
}
