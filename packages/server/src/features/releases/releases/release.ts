import type { ReleaseArtifactsTable, ReleasesTable } from '../../../db/tables/tenant/releases.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import type { CreateRelease, Release, UpdateRelease } from './schemas.ts';
import { versionSort } from './version.ts';

/** A release with its files, in their order. */
export interface ReleaseWithFiles {
  readonly row: ReleasesTable;
  readonly artifacts: readonly ReleaseArtifactsTable[];
}

/** Returns the API representation of a release. */
export function presentRelease({ row, artifacts }: ReleaseWithFiles, downloads: number): Release {
  const { version_sort: _sort, minimum_entitlements_json, created_at, updated_at, yanked_reason, ...rest } = row;
  return {
    ...rest,
    minimum_entitlements: JSON.parse(minimum_entitlements_json),
    yanked_reason,
    downloads_count: downloads,
    artifacts: artifacts.map(({ release_id: _release, position: _position, ...artifact }) => artifact),
    created_at,
    updated_at,
  };
}

/** Returns a file as a holder sees it, without its address. */
export function presentFile({ id, platform, arch, file_name, size, sha256 }: ReleaseArtifactsTable) {
  return { id, platform, arch, file_name, size, sha256 };
}

/** Returns the draft of a release with the fields that `input` contains; the others are empty. */
export function newRelease(productId: string, input: CreateRelease, at: Timestamp): ReleaseWithFiles {
  const row: ReleasesTable = {
    id: newId(),
    product_id: productId,
    version: input.version,
    version_sort: versionSort(input.version),
    channel: 'stable',
    status: 'draft',
    notes: '',
    released_at: null,
    minimum_entitlements_json: '[]',
    yanked_reason: null,
    created_at: at,
    updated_at: at,
  };
  return applyReleaseInput({ row, artifacts: [] }, input);
}

/** Returns a copy with the fields that `input` contains. A file that stays as it is keeps its id. */
export function applyReleaseInput({ row, artifacts }: ReleaseWithFiles, input: UpdateRelease): ReleaseWithFiles {
  const version = input.version ?? row.version;
  const codes = input.minimum_entitlements;
  return {
    row: {
      ...row,
      version,
      version_sort: versionSort(version),
      channel: input.channel ?? row.channel,
      notes: input.notes ?? row.notes,
      minimum_entitlements_json: codes === undefined ? row.minimum_entitlements_json : JSON.stringify(codes.toSorted()),
    },
    artifacts: input.artifacts === undefined ? artifacts : filesOf(row.id, artifacts, input.artifacts),
  };
}

function filesOf(
  releaseId: string,
  before: readonly ReleaseArtifactsTable[],
  input: NonNullable<UpdateRelease['artifacts']>,
): ReleaseArtifactsTable[] {
  const kept = new Map(before.map((file) => [file.sha256 + file.url, file.id]));
  return input.map((file, position) => {
    const sha256 = file.sha256.toLowerCase();
    const same = sha256 + file.url;
    const id = kept.get(same) ?? newId();
    kept.delete(same);
    return { ...file, id, release_id: releaseId, position, sha256, signature: file.signature ?? null };
  });
}
