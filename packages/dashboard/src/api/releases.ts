import type { Surface } from '../surfaces.ts';
import { onSurface } from './endpoints.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

export type Release = components['schemas']['Release'];
export type Artifact = Release['artifacts'][number];
export type ReleaseInput = components['schemas']['CreateRelease'];

/** Query-key prefix of releases. */
export const releasesKey = (surface: Surface) => keyOf(surface, 'releases');

/** Reads one page of the releases of a product, the newest version first. */
export const releasesQuery = onSurface.list('/api/v1/tenant/products/{id}/releases', ['releases', 'list']);

/** Reads one release. */
export const releaseQuery = onSurface.one('/api/v1/tenant/products/{id}/releases/{release_id}', ['releases', 'one']);

/** Reads how often the files of a release were downloaded on each day since `from`. */
export const releaseDownloadsQuery = onSurface.one('/api/v1/tenant/products/{id}/releases/{release_id}/downloads', [
  'releases',
  'downloads',
]);

/** Creates a draft. */
export const createRelease = onSurface.POST('/api/v1/tenant/products/{id}/releases');

/** Changes a draft. Refused with 409 once it is published. */
export const updateRelease = onSurface.PUT('/api/v1/tenant/products/{id}/releases/{release_id}');

/** Deletes a draft. */
export const deleteRelease = onSurface.DELETE('/api/v1/tenant/products/{id}/releases/{release_id}');

/** Offers a draft to the licenses that permit it. */
export const publishRelease = onSurface.POST('/api/v1/tenant/products/{id}/releases/{release_id}/publish');

/** Takes a published release back, so that nobody can download it. */
export const yankRelease = onSurface.POST('/api/v1/tenant/products/{id}/releases/{release_id}/yank');
