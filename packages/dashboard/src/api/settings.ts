import { onSurface } from './endpoints.ts';
import type { components } from './schema.gen.ts';

/** Reads the settings of the surface's tenant. */
export const settingsQuery = onSurface.one('/api/v1/tenant/settings', ['settings'], { staleTime: 5 * 60_000 });

export type Settings = components['schemas']['Settings'];
export type UpdateSettings = components['schemas']['UpdateSettings'];

/** Changes the settings that `body` contains. */
export const updateSettings = onSurface.PUT('/api/v1/tenant/settings');
