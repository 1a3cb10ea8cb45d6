import { type Static, type TProperties, Type } from 'typebox';
import { Nullable, PageQuery, strictObject, TimestampOut, Uuid, withDefaults } from '../../../http/schema.ts';
import { EntitlementCode } from '../../licensing/entitlements/grant-schemas.ts';
import { versionPattern } from './version.ts';

const ReleaseStatus = Type.Union([Type.Literal('draft'), Type.Literal('published'), Type.Literal('yanked')], {
  title: 'ReleaseStatus',
  description: '`yanked`: withdrawn; nobody is offered it any more.',
});
const Platform = Type.Union(
  [Type.Literal('windows'), Type.Literal('macos'), Type.Literal('linux'), Type.Literal('any')],
  { title: 'ReleasePlatform', description: 'The operating system of a file.' },
);
const Arch = Type.Union(
  [
    Type.Literal('x64'),
    Type.Literal('arm64'),
    Type.Literal('x86'),
    Type.Literal('arm'),
    Type.Literal('universal'),
    Type.Literal('any'),
  ],
  { title: 'ReleaseArch', description: 'The processor of a file.' },
);

/** The parameters of a question for a platform and a processor. */
export const RequestedPlatform = Platform;
export const RequestedArch = Arch;

const text = {
  version: 'A semantic version, unique within the product.',
  channel: '`stable`, `beta`, `alpha`, or a name of your own.',
  notes: 'Markdown.',
  minimum_entitlements: 'The entitlements that a license needs for the release.',
  url: 'The address of the file, https; with `download_storage` of the product it may be private.',
  signature: 'The signature that the updater verifies.',
  artifacts: 'The files.',
};

export const Version = Type.String({
  pattern: versionPattern,
  maxLength: 50,
  description: text.version,
  examples: ['2.4.0'],
});
export const Channel = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,31}$',
  description: text.channel,
  examples: ['stable'],
});

/** The part of a file that a download shows. */
export const artifactFields = {
  id: Uuid,
  platform: Platform,
  arch: Arch,
  file_name: Type.String(),
  size: Type.Integer({ description: 'In bytes.' }),
  sha256: Type.String(),
};

const exampleArtifact = {
  platform: 'windows',
  arch: 'x64',
  file_name: 'Editor-2.4.0.exe',
  url: 'https://downloads.example.com/Editor-2.4.0.exe',
  size: 73_400_320,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};

const ReleaseArtifact = Type.Object(
  {
    ...artifactFields,
    url: Type.String({ description: text.url }),
    signature: Nullable(Type.String(), { description: text.signature }),
  },
  { title: 'ReleaseArtifact', description: 'A file of a release.' },
);
export type ReleaseArtifact = Static<typeof ReleaseArtifact>;

export const Release = Type.Object(
  {
    id: Uuid,
    product_id: Uuid,
    version: Type.String({ description: text.version }),
    channel: Type.String({ description: text.channel }),
    status: ReleaseStatus,
    notes: Type.String({ description: text.notes }),
    released_at: Nullable(TimestampOut, { description: 'When it was published.' }),
    minimum_entitlements: Type.Array(Type.String(), { description: text.minimum_entitlements }),
    yanked_reason: Nullable(Type.String()),
    downloads_count: Type.Integer(),
    artifacts: Type.Array(ReleaseArtifact, { description: text.artifacts }),
    created_at: TimestampOut,
    updated_at: TimestampOut,
  },
  {
    title: 'Release',
    description: 'A version of a product.',
    examples: [
      {
        id: '019a9b1c-5a00-7c3e-8f21-4b6d9e0a1c2e',
        product_id: '019a9b1c-5a00-7c3e-8f21-4b6d9e0a1c2d',
        version: '2.4.0',
        channel: 'stable',
        status: 'published',
        notes: 'Faster exports.',
        released_at: '2026-11-20T17:42:00.123456Z',
        minimum_entitlements: [],
        yanked_reason: null,
        downloads_count: 12,
        artifacts: [{ id: '019a9b1c-5a00-7c3e-8f21-4b6d9e0a1c2f', ...exampleArtifact, signature: null }],
        created_at: '2026-11-20T17:42:00.123456Z',
        updated_at: '2026-11-20T17:42:00.123456Z',
      },
    ],
  },
);
export type Release = Static<typeof Release>;

/** Without what a path, a header or a terminal could read as something else. */
const FileName = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9 ._+()-]{0,199}$',
  description: 'Its ending tells updaters what it is.',
});

const WriteArtifact = strictObject(
  {
    platform: Platform,
    arch: Arch,
    file_name: FileName,
    url: Type.String({ minLength: 1, maxLength: 2000, description: text.url }),
    size: Type.Integer({ minimum: 1, maximum: 1_000_000_000_000, description: 'In bytes.' }),
    sha256: Type.String({ pattern: '^[0-9a-fA-F]{64}$', description: 'Hexadecimal.' }),
    signature: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 4000, pattern: '^[\\x20-\\x7e\\r\\n]+$' }), {
        description: text.signature,
      }),
    ),
  },
  { title: 'WriteReleaseArtifact', description: 'A file of a release.' },
);

const writable = {
  version: Version,
  channel: Type.Optional(Channel),
  notes: Type.Optional(Type.String({ maxLength: 20_000, pattern: '^[^\\u0000]*$', description: text.notes })),
  minimum_entitlements: Type.Optional(
    Type.Array(EntitlementCode, { maxItems: 50, uniqueItems: true, description: text.minimum_entitlements }),
  ),
  artifacts: Type.Optional(Type.Array(WriteArtifact, { maxItems: 50, description: text.artifacts })),
} satisfies TProperties;

export const CreateRelease = strictObject(
  withDefaults(writable, { channel: 'stable', notes: '', minimum_entitlements: [], artifacts: [] }),
  {
    title: 'CreateRelease',
    description: 'A new draft of a release.',
    examples: [{ version: '2.4.0', notes: 'Faster exports.', artifacts: [exampleArtifact] }],
  },
);
export type CreateRelease = Static<typeof CreateRelease>;

export const UpdateRelease = strictObject(
  { ...writable, version: Type.Optional(Version) },
  {
    title: 'UpdateRelease',
    description: 'The fields of a draft to change; `artifacts` replaces all files.',
    examples: [{ notes: 'Faster exports.' }],
  },
);
export type UpdateRelease = Static<typeof UpdateRelease>;

export const YankRelease = strictObject(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: '^[^\\p{Cc}]+$',
      description: 'Why, for the users of the tenant.',
    }),
  },
  { title: 'YankRelease', description: 'Why a release is withdrawn.', examples: [{ reason: 'It loses files.' }] },
);

export const ReleasesQuery = PageQuery({ status: Type.Optional(ReleaseStatus), channel: Type.Optional(Channel) });
export type ReleasesQuery = Static<typeof ReleasesQuery>;

const Day = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  description: 'A day in UTC.',
  examples: ['2026-11-20'],
});

export const ReleaseDownloadsQuery = strictObject({ from: Type.Optional(Day), to: Type.Optional(Day) });
export type ReleaseDownloadsQuery = Static<typeof ReleaseDownloadsQuery>;

export const ReleaseDownloads = Type.Object(
  { day: Day, count: Type.Integer() },
  {
    title: 'ReleaseDownloads',
    description: 'The downloads of a day.',
    examples: [{ day: '2026-11-20', count: 12 }],
  },
);
export type ReleaseDownloads = Static<typeof ReleaseDownloads>;

/** The path parameters of one release. */
export const ReleaseParams = Type.Object({ id: Uuid, release_id: Uuid });
