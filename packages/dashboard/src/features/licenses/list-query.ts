import type { QueryClient } from '@tanstack/react-query';
import { type LicenseFilters, licensesQuery } from '../../api/licenses.ts';
import { prefetchForTenant } from '../../shell/prefetch.ts';
import type { LicensesSearch } from './search.ts';

/** More than fit into a window. The layout of twice as many would block the window for longer. */
const limit = 25;

/** Returns the service's filters of a list of licenses. */
export function filtersOf({ expires_within, panel: _panel, ...rest }: LicensesSearch): LicenseFilters {
  return { ...rest, limit, ...(expires_within !== undefined && { expires_within_days: Number(expires_within) }) };
}

/** Starts to read the licenses of the user's tenant while the frame around the list is rendered. */
export function prefetchLicenses(client: QueryClient, search: LicensesSearch): Promise<void> {
  return prefetchForTenant(client, (tenant) => client.prefetchQuery(licensesQuery(tenant, filtersOf(search))));
}
