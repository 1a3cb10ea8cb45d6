import type { Artifact, Release, ReleaseInput } from '../../api/releases.ts';

type ArtifactInput = NonNullable<ReleaseInput['artifacts']>[number];

/** What the person enters about a file. */
export interface ArtifactValues {
  readonly platform: Artifact['platform'];
  readonly arch: Artifact['arch'];
  readonly file_name: string;
  readonly url: string;
  readonly size: number | '';
  readonly sha256: string;
  readonly signature: string;
}

/** A file of which nothing is known. */
export const unknownArtifact: ArtifactValues = {
  platform: 'any',
  arch: 'any',
  file_name: '',
  url: '',
  size: '',
  sha256: '',
  signature: '',
};

/** Returns a file of a draft as the form has it. */
function valuesOfArtifact({ id: _, signature, ...rest }: Artifact): ArtifactValues {
  return { ...rest, signature: signature ?? '' };
}

/** Returns a file as the API takes it. */
function inputOfArtifact({ file_name, url, size, sha256, signature, ...target }: ArtifactValues): ArtifactInput {
  return {
    ...target,
    file_name: file_name.trim(),
    url: url.trim(),
    size: Number(size),
    sha256: sha256.trim().toLowerCase(),
    signature: signature.trim() === '' ? null : signature.trim(),
  };
}

/** As the service accepts it: without what a path or a header could read as something else. */
const fileName = /^[A-Za-z0-9][A-Za-z0-9 ._+()-]{0,199}$/;

/** Returns the messages about the wrong fields of files, by the path of each field. */
function artifactErrors(artifacts: readonly ArtifactValues[]): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const [index, { file_name, url, size, sha256 }] of artifacts.entries()) {
    const path = (field: keyof ArtifactValues) => `artifacts.${index}.${field}`;
    if (!fileName.test(file_name.trim())) {
      errors[path('file_name')] = 'Enter a name of letters, digits, spaces and . _ + ( ) - only.';
    }
    if (!url.trim().startsWith('https://'))
      errors[path('url')] = 'Enter the address of the file. It begins with https://.';
    if (size === '' || size <= 0) errors[path('size')] = 'Enter the size in bytes.';
    if (!/^[0-9a-f]{64}$/i.test(sha256.trim())) errors[path('sha256')] = 'Enter 64 hexadecimal digits.';
  }
  return errors;
}

/** What the person enters about a release. */
export interface ReleaseValues extends Record<string, unknown> {
  readonly version: string;
  readonly channel: string;
  readonly notes: string;
  readonly minimum_entitlements: string[];
  readonly artifacts: ArtifactValues[];
}

const empty: ReleaseValues = { version: '', channel: 'stable', notes: '', minimum_entitlements: [], artifacts: [] };

/** Returns a release as the form has it; undefined: a new one. */
export function valuesOf(release: Release | undefined): ReleaseValues {
  if (release === undefined) return empty;
  const { version, channel, notes, minimum_entitlements, artifacts } = release;
  const lists = { minimum_entitlements, artifacts: artifacts.map(valuesOfArtifact) };
  return { version, channel, notes, ...lists };
}

/** Returns a release as the API takes it. */
export function inputOf({ version, channel, notes, minimum_entitlements, artifacts }: ReleaseValues): ReleaseInput {
  return {
    version: version.trim(),
    channel: channel.trim(),
    notes: notes.trim(),
    minimum_entitlements,
    artifacts: artifacts.map(inputOfArtifact),
  };
}

/** The form of a semantic version; the service judges the details. */
const versionPattern = /^\d+\.\d+\.\d+([-+].+)?$/;
const channelPattern = /^[a-z][a-z0-9-]{0,31}$/;

/** Returns the messages about the wrong fields of a release, by the path of each field. */
export function releaseErrors({ version, channel, artifacts }: ReleaseValues): Record<string, string> {
  return {
    ...(!versionPattern.test(version.trim()) && { version: 'Enter a version such as 1.4.0 or 2.0.0-beta.1.' }),
    ...(!channelPattern.test(channel.trim()) && { channel: 'Enter a name of small letters, digits and - only.' }),
    ...artifactErrors(artifacts),
  };
}
