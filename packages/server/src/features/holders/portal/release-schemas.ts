import { Type } from 'typebox';
import { Nullable, TimestampOut, Uuid } from '../../../http/schema.ts';
import { artifactFields } from '../../releases/releases/schemas.ts';
import { PortalLicenseParams } from './schemas.ts';

const PortalArtifact = Type.Object(artifactFields, { title: 'PortalArtifact', description: 'A file of a version.' });

export const PortalVersion = Type.Object(
  {
    id: Uuid,
    version: Type.String(),
    channel: Type.String(),
    released_at: TimestampOut,
    notes: Type.String({ description: 'Markdown.' }),
    permitted: Type.Boolean(),
    code: Nullable(Type.String(), { description: 'Why the license does not permit it; null: it does.' }),
    artifacts: Type.Array(PortalArtifact),
  },
  {
    title: 'PortalVersion',
    description: 'A version that the holder of a license may download, or may not.',
    examples: [
      {
        id: '019a9b1c-5a00-7c3e-8f21-4b6d9e0a1c2e',
        version: '2.4.0',
        channel: 'stable',
        released_at: '2026-11-20T17:42:00.123456Z',
        notes: 'Faster exports.',
        permitted: false,
        code: 'LICENSE.MAINTENANCE_EXPIRED',
        artifacts: [],
      },
    ],
  },
);

export const PortalFileParams = Type.Object({
  ...PortalLicenseParams.properties,
  release_id: Uuid,
  artifact_id: Uuid,
});
