import { type Static, Type } from 'typebox';
import { described, Nullable, strictObject, TimestampOut } from '../../../http/schema.ts';
import { handlePattern } from './handle.ts';

const text = {
  handle: 'The part of the address that is yours: lower-case letters, digits and hyphens. Null: none was chosen yet.',
  is_enabled: 'Whether holders can open the portal. Switched off, it keeps its handle.',
  release_devices: "Holders may free the seats of their devices, within the policy's `max_deactivations`.",
  replace_key: 'Holders may replace a key under a policy with `holder_may_replace_key`.',
  offline_activation: 'Holders may activate a device without a network by exchanging files.',
};

export const PortalPermissions = Type.Object(
  {
    release_devices: Type.Boolean({ description: text.release_devices }),
    replace_key: Type.Boolean({ description: text.replace_key }),
    offline_activation: Type.Boolean({ description: text.offline_activation }),
  },
  { title: 'PortalPermissions', description: 'What holders may do in the portal.' },
);
export type PortalPermissions = Static<typeof PortalPermissions>;

const examplePermissions = { release_devices: true, replace_key: true, offline_activation: true };

const domainText = 'The domain of your own at which the portal is; null: none.';

export const PortalDomain = Type.Object(
  {
    name: Type.String(),
    txt_name: Type.String({ description: 'The name of the DNS record of type TXT that proves it.' }),
    txt_value: Type.String({ description: 'Its value.' }),
    verified_at: Nullable(TimestampOut, { description: 'Null: not proved.' }),
  },
  { title: 'PortalDomain', description: domainText },
);
export type PortalDomain = Static<typeof PortalDomain>;

export const PortalSettings = Type.Object(
  {
    handle: Nullable(Type.String(), { description: text.handle }),
    is_enabled: Type.Boolean({ description: text.is_enabled }),
    url: Nullable(Type.String(), { description: 'The address of the portal; null without a handle.' }),
    domain: Nullable(PortalDomain),
    permissions: PortalPermissions,
  },
  {
    title: 'PortalSettings',
    description: 'The settings of the portal for the holders of licenses.',
    examples: [
      {
        handle: 'acme',
        is_enabled: true,
        url: 'https://licenses.example.com/portal/acme',
        domain: null,
        permissions: examplePermissions,
      },
    ],
  },
);
export type PortalSettings = Static<typeof PortalSettings>;

export const UpdatePortalSettings = strictObject(
  {
    handle: Type.Optional(
      Type.String({
        pattern: handlePattern,
        minLength: 3,
        maxLength: 40,
        description: `${text.handle.replace(' Null: none was chosen yet.', '')} Unique in the service; links with the former one end.`,
        examples: ['acme'],
      }),
    ),
    is_enabled: Type.Optional(Type.Boolean({ description: text.is_enabled })),
    domain: Type.Optional(
      Nullable(Type.String({ maxLength: 253 }), { description: `${domainText} Another one must be proved.` }),
    ),
    permissions: Type.Optional(
      strictObject(
        {
          release_devices: Type.Optional(Type.Boolean({ description: text.release_devices })),
          replace_key: Type.Optional(Type.Boolean({ description: text.replace_key })),
          offline_activation: Type.Optional(Type.Boolean({ description: text.offline_activation })),
        },
        { title: 'UpdatePortalPermissions', description: 'The permissions of holders to change.' },
      ),
    ),
  },
  {
    title: 'UpdatePortalSettings',
    description: 'The settings of the portal to change. A field that is left out keeps its value.',
    examples: [{ handle: 'acme', is_enabled: true, permissions: { replace_key: false } }],
  },
);
export type UpdatePortalSettings = Static<typeof UpdatePortalSettings>;

export const PortalLink = Type.Object(
  {
    url: Type.String({ description: 'The address that logs the holder in, once.' }),
    expires_at: described(TimestampOut, 'The link no longer works after this time.'),
  },
  {
    title: 'PortalLink',
    description: 'A link that logs the holder of a license in to the portal.',
    examples: [
      {
        url: 'https://licenses.example.com/portal/acme#token=0dG9rZW4tdG9rZW4tdG9rZW4tdG9rZW4tdG9rZW4tdG8',
        expires_at: '2026-11-20T18:42:00.123456Z',
      },
    ],
  },
);
export type PortalLink = Static<typeof PortalLink>;
