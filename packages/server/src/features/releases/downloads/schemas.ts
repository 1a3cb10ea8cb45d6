import { type Static, Type } from 'typebox';
import { Nullable, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { artifactFields, Channel, RequestedArch, RequestedPlatform, Version } from '../releases/schemas.ts';

const ProductName = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'The code or the id of the product.',
  examples: ['editor'],
});
const LicenseKey = Type.String({ minLength: 1, maxLength: 255, description: 'The key of the license.' });

const currentVersion = Type.Optional({ ...Version, description: 'The version that is installed.' });

export const FindRelease = strictObject(
  {
    product: ProductName,
    license_key: Type.Optional(LicenseKey),
    channel: Type.Optional({ ...Channel, default: 'stable' }),
    platform: RequestedPlatform,
    arch: RequestedArch,
    current_version: currentVersion,
  },
  {
    title: 'FindRelease',
    description: 'Asks for the newest release that a license permits.',
    examples: [
      {
        product: 'editor',
        license_key: 'EDIT-7Q2M9-XK4TD-P8R3W-J6HNC-5VBAE',
        platform: 'windows',
        arch: 'x64',
        current_version: '2.3.1',
      },
    ],
  },
);
export type FindRelease = Static<typeof FindRelease>;

const OfferedArtifact = Type.Object(
  { ...artifactFields, signature: Nullable(Type.String()) },
  { title: 'OfferedArtifact', description: 'A file of a release, without its address.' },
);

const OfferedRelease = Type.Object(
  {
    id: Uuid,
    version: Type.String(),
    channel: Type.String(),
    notes: Type.String({ description: 'Markdown.' }),
    released_at: TimestampOut,
    artifacts: Type.Array(OfferedArtifact),
  },
  { title: 'OfferedRelease', description: 'A release that a license permits.' },
);

export const LatestRelease = Type.Object(
  {
    release: Nullable(OfferedRelease, {
      description: 'The newest permitted release that is newer than `current_version`.',
    }),
    newest: Nullable(
      Type.Object(
        {
          version: Type.String(),
          released_at: TimestampOut,
          code: Nullable(Type.String(), { description: 'Why the license does not permit it; null: it does.' }),
          detail: Nullable(Type.String()),
        },
        { title: 'NewestRelease', description: 'The newest release of the channel.' },
      ),
    ),
    newest_permitted: Nullable(
      Type.Object(
        { version: Type.String() },
        { title: 'PermittedRelease', description: 'The newest release that the license permits.' },
      ),
    ),
  },
  {
    title: 'LatestRelease',
    description: 'The update for a license, and what it misses.',
    examples: [
      {
        release: null,
        newest: {
          version: '3.0.0',
          released_at: '2026-11-20T17:42:00.123456Z',
          code: 'LICENSE.MAINTENANCE_EXPIRED',
          detail: 'The maintenance of the license expired before this version was released.',
        },
        newest_permitted: { version: '2.4.0' },
      },
    ],
  },
);
export type LatestRelease = Static<typeof LatestRelease>;

export const DownloadRelease = strictObject(
  { license_key: LicenseKey },
  {
    title: 'DownloadRelease',
    description: 'Asks for the link to a file.',
    examples: [{ license_key: 'EDIT-7Q2M9-XK4TD-P8R3W-J6HNC-5VBAE' }],
  },
);

export const ReleaseDownload = Type.Object(
  {
    url: Type.String(),
    expires_at: Nullable(TimestampOut, { description: 'Until when the link works; null: always.' }),
    file_name: Type.String(),
    size: Type.Integer(),
    sha256: Type.String(),
  },
  {
    title: 'ReleaseDownload',
    description: 'The link to a file, and what to compare it with.',
    examples: [
      {
        url: 'https://downloads.example.com/Editor-2.4.0.exe',
        expires_at: null,
        file_name: 'Editor-2.4.0.exe',
        size: 73_400_320,
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      },
    ],
  },
);
export type ReleaseDownload = Static<typeof ReleaseDownload>;

/** The path parameters of a file. */
export const FileParams = Type.Object({ id: Uuid, artifact_id: Uuid });
/** The same with the name of the file, which updaters read. */
export const NamedFileParams = Type.Object({ ...FileParams.properties, file_name: Type.String() });
