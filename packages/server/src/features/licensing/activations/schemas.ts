import { type Static, Type } from 'typebox';
import {
  described,
  FilterText,
  includeDetails,
  Metadata,
  MetadataOut,
  Nullable,
  PageQuery,
  SearchText,
  strictObject,
  TimestampOut,
  Uuid,
  withDefaults,
} from '../../../http/schema.ts';
import { type ActivationRefusal, AppVersion } from '../device-history/schemas.ts';
import { exampleLicense, KeyParams, LicenseHolder } from '../licenses/schemas.ts';
import { type Components, componentsMax } from './components.ts';

const ActivationStatus = Type.Union([Type.Literal('active'), Type.Literal('expired'), Type.Literal('deactivated')], {
  title: 'ActivationStatus',
  description: '`expired`: no heartbeat arrived before the lease ended.',
});

const text = {
  fingerprint: 'Identifies the device to its license. Your application computes it.',
  name: 'The name of the device that people recognise.',
  hostname: 'The host name of the device.',
  platform: 'The operating system of the device, in words of your choice.',
};

/** The example of an activation in the OpenAPI document. */
export const exampleActivation = {
  id: '019a9b1c-9f01-7b84-8d2e-6c7a1f0b3e59',
  license_id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f708',
  fingerprint: '5f8c1e0b7a2d4936',
  name: "Ada's laptop",
  hostname: 'ada-laptop',
  platform: 'macos',
  ip: '203.0.113.7',
  status: 'active',
  last_heartbeat_at: '2026-11-21T08:15:30.000000Z',
  lease_expires_at: null,
  metadata: {},
  created_at: '2026-11-20T17:50:00.000000Z',
};

export const Activation = Type.Object(
  {
    id: Uuid,
    license_id: Uuid,
    fingerprint: Type.String({ description: text.fingerprint }),
    name: Nullable(Type.String(), { description: text.name }),
    hostname: Nullable(Type.String(), { description: text.hostname }),
    platform: Nullable(Type.String(), { description: text.platform }),
    ip: Nullable(Type.String(), {
      description: 'The IP address that sent the activation; null: the vendor activated the device.',
    }),
    status: ActivationStatus,
    last_heartbeat_at: described(TimestampOut, 'The time of the newest heartbeat, at first of the activation.'),
    lease_expires_at: Nullable(TimestampOut, {
      description: 'The activation expires at this time without a heartbeat; null: it never expires.',
    }),
    metadata: MetadataOut,
    created_at: TimestampOut,
  },
  { title: 'Activation', description: 'A device that uses a license.', examples: [exampleActivation] },
);
export type Activation = Static<typeof Activation>;

export const ActivationDetails = Type.Object(
  {
    ...Activation.properties,
    components: Type.Optional(
      Type.Array(Type.String(), { description: 'The names of its components. Only with `include=details`.' }),
    ),
    license: Type.Optional(
      Type.Object(
        { key: Type.String({ description: 'The license key.' }), holder: LicenseHolder },
        { title: 'ActivatedLicense', description: 'The license that the device uses. Only with `include=details`.' },
      ),
    ),
  },
  {
    title: 'ActivationDetails',
    description: 'A device, on request with the license that it uses.',
    examples: [{ ...exampleActivation, license: { key: exampleLicense.key, holder: exampleLicense.holder } }],
  },
);
export type ActivationDetails = Static<typeof ActivationDetails>;

declare module '../../tenant-core/events/event.ts' {
  interface EventDataTypes {
    'activation.created': Activation;
    'activation.deactivated': Activation;
    'activation.expired': Activation;
    'activation.limit_reached': ActivationRefusal;
  }
}

/** Identifies a device to its license. The vendor's application computes it. */
export const Fingerprint = Type.String({
  minLength: 1,
  maxLength: 255,
  description: `${text.fingerprint} Unicode spellings (NFC, NFD) are the same device.`,
  examples: ['5f8c1e0b7a2d4936'],
});

const componentValue = Type.String({ pattern: '^[ -~]{1,128}$' });

/** The components of a device. */
export const DeviceComponents = Type.Unsafe<Components>({
  title: 'DeviceComponents',
  type: 'object',
  minProperties: 1,
  maxProperties: componentsMax,
  propertyNames: Type.String({ pattern: '^[a-z][a-z0-9_]{0,31}$' }),
  additionalProperties: componentValue,
  description:
    'Parts of the device and their hashes. Without `fingerprint`, the fingerprint is the hexadecimal SHA-256 of the sorted ' +
    'lines `name=value`, joined by line feeds.',
  examples: [{ board: '3f1c', disk: '9a07', mac: 'c2d1' }],
});

/** The rule that a request names its device. */
export const namesDevice = { allOf: [{ anyOf: [{ required: ['fingerprint'] }, { required: ['components'] }] }] };

/** The fields of a request by which a device names itself. */
export const deviceFields = {
  fingerprint: Type.Optional(Fingerprint),
  components: Type.Optional(DeviceComponents),
};

function Label(description: string) {
  return Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 255 }), { description }));
}

export const CreateActivation = strictObject(
  withDefaults(
    {
      ...deviceFields,
      name: Label(text.name),
      hostname: Label(text.hostname),
      platform: Label(text.platform),
      app_version: Type.Optional(AppVersion),
      metadata: Type.Optional(Nullable(Metadata, { description: 'Your own data about the device.' })),
    },
    { name: null, hostname: null, platform: null, metadata: {} },
  ),
  {
    ...namesDevice,
    title: 'CreateActivation',
    description: 'Activates a device, which has a fingerprint, components, or both.',
    examples: [{ fingerprint: '5f8c1e0b7a2d4936', name: "Ada's laptop", hostname: 'ada-laptop', platform: 'macos' }],
  },
);
export type CreateActivation = Static<typeof CreateActivation>;

/** A device to activate, with its own fingerprint or that of its components. */
export type NewActivation = CreateActivation & { readonly fingerprint: string };

const exampleSeat = {
  id: exampleActivation.id,
  name: "Ada'…",
  platform: 'macos',
  last_heartbeat_at: exampleActivation.last_heartbeat_at,
  created_at: exampleActivation.created_at,
  is_this_device: false,
};

const LicensedDevice = Type.Object(
  {
    id: described(Uuid, 'The id of the activation: `deactivate` releases it.'),
    name: Nullable(Type.String(), {
      description:
        'The beginning of the name of the device, otherwise of its host name: at most 4 characters and at most half ' +
        'of it, and `…`.',
    }),
    platform: Nullable(Type.String(), { description: text.platform }),
    last_heartbeat_at: described(TimestampOut, 'The time of the newest heartbeat, at first of the activation.'),
    created_at: described(TimestampOut, 'When the device was activated.'),
    is_this_device: Type.Boolean({ description: 'Whether the device has the `fingerprint` of the request.' }),
  },
  {
    title: 'LicensedDevice',
    description: 'A device that holds a seat of the license, as its holder may see it.',
    examples: [exampleSeat],
  },
);
export type LicensedDevice = Static<typeof LicensedDevice>;

/** One page of the devices of a license. */
export const LicensedDevices = Type.Object(
  {
    activations: Type.Array(LicensedDevice, { description: 'The devices that hold a seat, newest activation first.' }),
    next_cursor: Nullable(Type.String(), { description: 'The `cursor` of the next page; null: this is the last one.' }),
  },
  {
    title: 'LicensedDevices',
    description: 'A page of the devices that use a license.',
    examples: [{ activations: [exampleSeat], next_cursor: null }],
  },
);
export type LicensedDevices = Static<typeof LicensedDevices>;

export const ListLicensedDevices = strictObject(
  {
    fingerprint: Type.Optional(described(Fingerprint, 'This device: `is_this_device` says which one it is.')),
    components: deviceFields.components,
    ...PageQuery({}).properties,
  },
  {
    title: 'ListLicensedDevices',
    description: 'Asks for the devices that use a license.',
    examples: [{ fingerprint: '5f8c1e0b7a2d4936' }],
  },
);
export type ListLicensedDevices = Static<typeof ListLicensedDevices>;

export const KeyAndIdParams = Type.Object({
  ...KeyParams.properties,
  id: described(Uuid, 'The id of the activation.'),
});

const include = includeDetails('Adds the key and the holder of the license.');

/** The query of one activation. */
export const ActivationQuery = strictObject(include);

export const ActivationsQuery = PageQuery({
  ...include,
  license_id: Type.Optional(described(Uuid, 'Return only activations of this license.')),
  status: Type.Optional(described(ActivationStatus, 'Return only activations with this status.')),
  fingerprint: Type.Optional(FilterText(255, 'The complete fingerprint. Several licenses can have the same one.')),
  q: Type.Optional(
    SearchText(
      'The beginning of the fingerprint; or words by which `GET /licenses` finds the license with its own `q`.',
    ),
  ),
});
export type ActivationsQuery = Static<typeof ActivationsQuery>;
