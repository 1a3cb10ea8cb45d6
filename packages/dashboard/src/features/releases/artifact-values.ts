import type { Artifact, ReleaseInput } from '../../api/releases.ts';

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
export function valuesOfArtifact({ id: _, signature, ...rest }: Artifact): ArtifactValues {
  return { ...rest, signature: signature ?? '' };
}

/** Returns a file as the API takes it. */
export function inputOfArtifact({ file_name, url, size, sha256, signature, ...target }: ArtifactValues): ArtifactInput {
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

/** Returns what is missing, by the path of the field. */
export function artifactErrors(artifacts: readonly ArtifactValues[]): Record<string, string> {
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
