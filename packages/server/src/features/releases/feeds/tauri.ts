import { type Static, Type } from 'typebox';
import type { ReleaseArtifactsTable } from '../../../db/tables/tenant/releases.ts';
import { filesFor, type WantedFiles } from '../downloads/wanted-files.ts';
import { type AddressOf, type FeedRelease, publishedAt } from './feed.ts';

const platforms = { linux: 'linux', windows: 'windows', darwin: 'macos' } as const;
const archs = { x86_64: 'x64', aarch64: 'arm64', i686: 'x86', armv7: 'arm' } as const;

/** The names that Tauri puts in place of `{{target}}` and `{{arch}}`. */
export const TauriTarget = Type.Enum(Object.keys(platforms) as (keyof typeof platforms)[], {
  description: '`{{target}}` of Tauri.',
});
export const TauriArch = Type.Enum(Object.keys(archs) as (keyof typeof archs)[], {
  description: '`{{arch}}` of Tauri.',
});

/** The answer that Tauri reads: https://v2.tauri.app/plugin/updater/#dynamic-update-server */
export const TauriUpdate = Type.Object(
  {
    version: Type.String(),
    pub_date: Type.String(),
    url: Type.String(),
    signature: Type.String(),
    notes: Type.String(),
  },
  {
    title: 'TauriUpdate',
    description: 'An update as Tauri reads it.',
    examples: [
      {
        version: '2.4.0',
        pub_date: '2026-11-20T17:42:00.123456Z',
        url: 'https://licenses.example.com/api/v1/integration/releases/…',
        signature: 'dW50cnVzdGVkIGNvbW1lbnQ6',
        notes: 'Faster exports.',
      },
    ],
  },
);
export type TauriUpdate = Static<typeof TauriUpdate>;

/** Returns the files for a target of Tauri, which installs none without a signature. */
export function tauriFiles(target: keyof typeof platforms, arch: keyof typeof archs): WantedFiles {
  return { ...filesFor(platforms[target], archs[arch]), signed: true };
}

/** Returns the answer that Tauri reads, about the first signed file. */
export function tauriFeed({ release, files }: FeedRelease, addressOf: AddressOf): TauriUpdate | undefined {
  const isSigned = (file: ReleaseArtifactsTable) => file.signature !== null;
  const file = files.find(isSigned);
  if (file === undefined) return undefined;
  const { version, notes } = release;
  return { version, pub_date: publishedAt(release), url: addressOf(file), signature: file.signature ?? '', notes };
}
