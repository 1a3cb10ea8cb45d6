import { queryOptions } from '@tanstack/react-query';
import type { ReleaseSearch } from '../features/releases/search.ts';
import type { Surface } from '../surfaces.ts';
import { bodyOf, dataOf } from './body.ts';
import { apiOf } from './client.ts';
import { onSurface } from './endpoints.ts';
import { keyOf, listQuery } from './query-client.ts';
import type { components } from './schema.gen.ts';

export type Release = components['schemas']['Release'];
export type Artifact = Release['artifacts'][number];
export type ReleaseInput = components['schemas']['CreateRelease'];

/** Which release: its product and its id. */
export interface ReleaseId {
  readonly productId: string;
  readonly id: string;
}

const pathOf = ({ productId, id }: ReleaseId) => ({ path: { id: productId, release_id: id } });

/** Query-key prefix of releases. */
export const releasesKey = (surface: Surface) => keyOf(surface, 'releases');

/** Reads one page of the releases of a product, the newest version first. */
export function releasesQuery(
  surface: Surface,
  productId: string,
  query: Omit<ReleaseSearch, 'panel'>,
  limit?: number,
) {
  const filters = { ...query, ...(limit !== undefined && { limit }) };
  return listQuery([...releasesKey(surface), 'list', productId, filters], () =>
    bodyOf(
      apiOf(surface).GET('/api/v1/tenant/products/{id}/releases', {
        params: { path: { id: productId }, query: filters },
      }),
    ),
  );
}

/** Reads one release. */
export function releaseQuery(surface: Surface, release: ReleaseId) {
  return queryOptions({
    queryKey: [...releasesKey(surface), 'one', release],
    queryFn: () =>
      dataOf(apiOf(surface).GET('/api/v1/tenant/products/{id}/releases/{release_id}', { params: pathOf(release) })),
  });
}

/** Reads how often the files of a release were downloaded on each day since `from`. */
export function releaseDownloadsQuery(surface: Surface, release: ReleaseId, from: string) {
  return queryOptions({
    queryKey: [...releasesKey(surface), 'downloads', release, from],
    queryFn: () =>
      dataOf(
        apiOf(surface).GET('/api/v1/tenant/products/{id}/releases/{release_id}/downloads', {
          params: { ...pathOf(release), query: { from } },
        }),
      ),
  });
}

/** Creates a draft. */
export const createRelease = onSurface.POST('/api/v1/tenant/products/{id}/releases');

/** Changes a draft. Refused with 409 once it is published. */
export function updateRelease(surface: Surface, release: ReleaseId, body: components['schemas']['UpdateRelease']) {
  return dataOf(
    apiOf(surface).PUT('/api/v1/tenant/products/{id}/releases/{release_id}', { params: pathOf(release), body }),
  );
}

/** Deletes a draft. */
export function deleteRelease(surface: Surface, release: ReleaseId) {
  return dataOf(
    apiOf(surface).DELETE('/api/v1/tenant/products/{id}/releases/{release_id}', { params: pathOf(release) }),
  );
}

/** Offers a draft to the licenses that permit it. */
export function publishRelease(surface: Surface, release: ReleaseId) {
  return dataOf(
    apiOf(surface).POST('/api/v1/tenant/products/{id}/releases/{release_id}/publish', { params: pathOf(release) }),
  );
}

/** Takes a published release back, so that nobody can download it. */
export function yankRelease(surface: Surface, release: ReleaseId, reason: string) {
  return dataOf(
    apiOf(surface).POST('/api/v1/tenant/products/{id}/releases/{release_id}/yank', {
      params: pathOf(release),
      body: { reason },
    }),
  );
}
