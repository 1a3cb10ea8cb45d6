import type { ReleaseArtifactsTable } from '../../../db/tables/tenant/releases.ts';

/** Which files are meant; a release without one is not offered. */
export interface WantedFiles {
  readonly platforms: readonly ReleaseArtifactsTable['platform'][];
  /** Absent: of every processor. */
  readonly archs?: readonly ReleaseArtifactsTable['arch'][];
  /** Only files with a signature. */
  readonly signed?: true;
}

/** Returns the files that run on a platform and a processor. */
export function filesFor(
  platform: ReleaseArtifactsTable['platform'],
  arch: ReleaseArtifactsTable['arch'],
): WantedFiles {
  return {
    platforms: [...new Set([platform, 'any'] as const)],
    archs: [...new Set([arch, 'universal', 'any'] as const)],
  };
}
