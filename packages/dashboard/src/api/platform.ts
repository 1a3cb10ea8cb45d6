import { apiOf } from './client.ts';
import { keyOf } from './query-client.ts';

/** The surface of the platform's own resources, outside any tenant. */
export const platform = { area: 'admin', tenantId: null } as const;

/** Returns the client of the platform's own resources. */
export const platformApi = () => apiOf(platform);

/** Returns the key of a query of the platform. */
export const platformKey = (...rest: readonly unknown[]) => keyOf(platform, ...rest);
