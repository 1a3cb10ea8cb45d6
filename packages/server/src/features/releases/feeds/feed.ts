import type { ReleaseArtifactsTable, ReleasesTable } from '../../../db/tables/tenant/releases.ts';

/** A release with the files that an updater may choose from. */
export interface FeedRelease {
  readonly release: ReleasesTable;
  readonly files: readonly ReleaseArtifactsTable[];
}

/** Returns the address at which an updater downloads a file with its headers. */
export type AddressOf = (file: ReleaseArtifactsTable) => string;

/** Returns the function that builds addresses of files. They end with the name of the file, in which updaters look for its kind. */
export function addressesAt(publicUrl: string): AddressOf {
  return ({ id, release_id, file_name }) =>
    `${publicUrl}/api/v1/integration/releases/${release_id}/artifacts/${id}/download/${encodeURIComponent(file_name)}`;
}

/** Returns when a release was published. */
export function publishedAt({ released_at, updated_at }: Pick<ReleasesTable, 'released_at' | 'updated_at'>): string {
  return released_at ?? updated_at;
}
