import { type Static, Type } from 'typebox';
import { described, Email, Nullable, PageQuery, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { PendingTerm } from '../../licensing/licenses/details-schemas.ts';
import { LicenseStatus } from '../../licensing/licenses/schemas.ts';
import { PortalPermissions } from './settings-schemas.ts';

const handle = Type.String({ description: 'The handle of the portal.', examples: ['acme'] });

export const PortalParams = Type.Object({ handle });
export const PortalLicenseParams = Type.Object({ handle, id: described(Uuid, 'The id of the license.') });
export const PortalDeviceParams = Type.Object({
  ...PortalLicenseParams.properties,
  activation_id: described(Uuid, 'The id of the device.'),
});

export const Portal = Type.Object(
  {
    display_name: Type.String({ description: 'The name of the vendor.' }),
    logo_url: Nullable(Type.String(), { description: 'The address of the logo; null: there is none.' }),
    accent_color: Nullable(Type.String(), {
      description: 'The color of buttons and links, `#rrggbb`, on which white text is readable; null: the default.',
    }),
    support_email: Nullable(Type.String(), { description: 'The address that holders write to.' }),
    support_url: Nullable(Type.String(), { description: 'The page on which holders get help.' }),
    permissions: PortalPermissions,
  },
  {
    title: 'Portal',
    description: 'The page of a vendor for the holders of its licenses.',
    examples: [
      {
        display_name: 'Acme Software',
        logo_url: 'https://licenses.example.com/api/v1/portal/acme/logo?v=2c26b46b68ffc68f',
        accent_color: '#2f6fd0',
        support_email: 'support@example.com',
        support_url: 'https://example.com/help',
        permissions: { release_devices: true, replace_key: true, offline_activation: true },
      },
    ],
  },
);

/** An address of a holder, which is what the vendor entered: it may have forms that other fields refuse. */
const HolderEmail = described(Email, 'The address of the holder. Case is ignored.');

export const RequestPortalLogin = strictObject(
  { email: HolderEmail },
  {
    title: 'RequestPortalLogin',
    description: 'Asks for a mail with a code and a link.',
    examples: [{ email: 'ada@example.com' }],
  },
);

export const PortalLoginRequested = Type.Object(
  { requested: Type.Literal(true, { description: 'The same for every address.' }) },
  {
    title: 'PortalLoginRequested',
    description: 'If the address has a license, it gets a mail.',
    examples: [{ requested: true }],
  },
);

export const PortalCodeLogin = strictObject(
  {
    email: HolderEmail,
    code: Type.String({ pattern: '^[0-9]{6}$', description: 'The six digits of the mail.', examples: ['042318'] }),
  },
  {
    title: 'PortalCodeLogin',
    description: 'A login with the code of a mail.',
    examples: [{ email: 'ada@example.com', code: '042318' }],
  },
);

export const PortalLinkLogin = strictObject(
  {
    token: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The part of the link after `#token=`.',
      examples: ['0dG9rZW4tdG9rZW4tdG9rZW4tdG9rZW4tdG9rZW4tdG8'],
    }),
  },
  {
    title: 'PortalLinkLogin',
    description: 'A login with the link of a mail, or of the vendor.',
    examples: [{ token: '0dG9rZW4tdG9rZW4tdG9rZW4tdG9rZW4tdG9rZW4tdG8' }],
  },
);

const session = {
  email: Type.String({ description: 'The address that is logged in.' }),
  expires_at: described(TimestampOut, 'The end of the session.'),
};
const exampleSession = { email: 'ada@example.com', expires_at: '2026-11-21T05:42:00.123456Z' };

export const PortalSession = Type.Object(session, {
  title: 'HolderSession',
  description: 'Who is logged in to the portal.',
  examples: [exampleSession],
});

export const NewPortalSession = Type.Object(
  {
    token: Type.String({ description: 'Send it as `Authorization: Bearer …`. It is valid in this portal only.' }),
    ...session,
  },
  {
    title: 'NewHolderSession',
    description: 'A new session in the portal, of one email address.',
    examples: [{ token: `holder_${'3f9a'.repeat(16)}`, ...exampleSession }],
  },
);

export const PortalLoggedOut = Type.Object(
  { logged_out: Type.Literal(true) },
  { title: 'PortalLoggedOut', description: 'The session has ended.', examples: [{ logged_out: true }] },
);

const PortalEntitlement = Type.Object(
  {
    code: Type.String(),
    name: Type.String({ description: 'The name that people see.' }),
    type: Type.Union([Type.Literal('boolean'), Type.Literal('value'), Type.Literal('metered')]),
    value: Nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
    limit: Nullable(Type.Number(), { description: 'The limit of a metered entitlement; null: unlimited.' }),
    reset: Nullable(Type.String(), { description: 'The period of the limit, such as `month`; null: it never resets.' }),
    expires_at: Nullable(TimestampOut, { description: 'The end of the entitlement; null: with the license.' }),
  },
  { title: 'PortalEntitlement', description: 'What a license grants.' },
);

const PortalTerms = Type.Object(
  {
    duration_days: Nullable(Type.Integer(), { description: 'Days that a term lasts; null: see the months.' }),
    duration_months: Nullable(Type.Integer(), {
      description: 'Months of the calendar that a term lasts; null without days: without end.',
    }),
    runs_after_expiry: Type.Boolean({ description: 'Whether the license keeps working after its end.' }),
    requires_activation: Type.Boolean({ description: 'Whether the software works on activated devices only.' }),
    lease_seconds: Nullable(Type.Integer(), {
      description: 'Seconds after which a silent device frees its seat by itself; null: it never does.',
    }),
    offline_seconds: Type.Integer({ description: 'Seconds that a device works without a network at most.' }),
    entitlements: Type.Array(PortalEntitlement, { description: 'What the license grants now.' }),
  },
  { title: 'PortalTerms', description: 'What a license permits.' },
);

export const PortalLicense = Type.Object(
  {
    id: Uuid,
    product: Type.Object(
      { code: Type.String(), name: Type.String() },
      { title: 'PortalProduct', description: 'The product of a license.' },
    ),
    policy_name: Type.String({ description: 'The name of the terms.' }),
    is_trial: Type.Boolean(),
    holder_name: Nullable(Type.String(), { description: 'Whom the license was issued to.' }),
    order_number: Nullable(Type.String(), { description: 'The number of the order.' }),
    key_hint: Type.String({ description: 'The masked key.' }),
    status: LicenseStatus,
    works: Type.Boolean({ description: 'Whether the software accepts the license now.' }),
    starts_at: TimestampOut,
    expires_at: Nullable(TimestampOut, { description: 'The end of the license; null: none.' }),
    pending_term: Nullable(PendingTerm, { description: 'The term that has not begun; null: none.' }),
    grace_ends_at: Nullable(TimestampOut, {
      description: 'Until when the license works after its end; null: no longer.',
    }),
    maintenance_expires_at: Nullable(TimestampOut, {
      description: 'Releases after this time are not included; null: all releases are included.',
    }),
    seats: Type.Object(
      {
        used: Type.Integer({ description: 'The devices that hold a seat.' }),
        maximum: Nullable(Type.Integer(), { description: 'Null: unlimited.' }),
        admitted: Nullable(Type.Integer(), { description: 'Null: unlimited.' }),
      },
      { title: 'PortalSeats', description: 'The seats of a license.' },
    ),
    deactivations_left: Nullable(Type.Integer(), {
      description: 'How many devices the holder may still release; null: any number.',
    }),
    devices_to_release: Type.Integer({
      description: 'The devices above limit and overage. They can always be released, and this is not counted.',
    }),
    terms: PortalTerms,
    renewal_url: Nullable(Type.String(), { description: 'The page on which the license is renewed; null: none.' }),
    permissions: PortalPermissions,
    created_at: TimestampOut,
  },
  {
    title: 'PortalLicense',
    description: 'A license as its holder sees it.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f708',
        product: { code: 'editor', name: 'Editor' },
        policy_name: 'Pro, one year',
        is_trial: false,
        holder_name: 'Ada Lovelace',
        order_number: 'ORDER-2026-1042',
        key_hint: '…MPJT',
        status: 'active',
        works: true,
        starts_at: '2026-11-20T17:42:00.123456Z',
        expires_at: '2027-11-20T17:42:00.123456Z',
        pending_term: null,
        grace_ends_at: '2027-11-27T17:42:00.123456Z',
        maintenance_expires_at: null,
        seats: { used: 1, maximum: 3, admitted: 3 },
        deactivations_left: 2,
        devices_to_release: 0,
        terms: {
          duration_days: null,
          duration_months: 12,
          runs_after_expiry: false,
          requires_activation: true,
          lease_seconds: null,
          offline_seconds: 604_800,
          entitlements: [
            {
              code: 'renders',
              name: 'Renders',
              type: 'metered',
              value: null,
              limit: 1000,
              reset: 'month',
              expires_at: null,
            },
          ],
        },
        renewal_url: 'https://example.com/renew?license=019a9b1c-8e22-7f60-b1d7-93a4c5e6f708',
        permissions: { release_devices: true, replace_key: false, offline_activation: true },
        created_at: '2026-11-20T17:42:00.123456Z',
      },
    ],
  },
);
export type PortalLicense = Static<typeof PortalLicense>;

export const PortalPageQuery = PageQuery({});

export const PortalLicenseKey = Type.Object(
  { key: Type.String({ description: 'The whole license key.' }) },
  {
    title: 'PortalLicenseKey',
    description: 'The key of a license.',
    examples: [{ key: 'PRO-FR718-6TX3B-NM7TR-TKVYT-KMPJT' }],
  },
);

const exampleDevice = {
  id: '019a9b1c-9f01-7b84-8d2e-6c7a1f0b3e59',
  name: "Ada's laptop",
  platform: 'macos',
  last_seen_at: '2026-11-21T08:15:30.000000Z',
  lease_expires_at: null,
  created_at: '2026-11-20T17:50:00.000000Z',
};

export const PortalDevice = Type.Object(
  {
    id: Uuid,
    name: Nullable(Type.String(), { description: 'The name of the device, or its host name.' }),
    platform: Nullable(Type.String(), { description: 'The operating system of the device.' }),
    last_seen_at: described(TimestampOut, 'When the device was heard of last.'),
    lease_expires_at: Nullable(TimestampOut, {
      description: 'When the seat becomes free by itself unless the device is heard of; null: never.',
    }),
    created_at: described(TimestampOut, 'When the device was activated.'),
  },
  { title: 'PortalDevice', description: 'A device that holds a seat of a license.', examples: [exampleDevice] },
);
export type PortalDevice = Static<typeof PortalDevice>;

export const PortalRelease = Type.Object(
  {
    released: Type.Literal(true),
    deactivations_left: Nullable(Type.Integer(), {
      description: 'How many devices the holder may still release; null: any number.',
    }),
  },
  {
    title: 'PortalRelease',
    description: 'The seat of a device is free.',
    examples: [{ released: true, deactivations_left: 1 }],
  },
);

const exampleRequest = JSON.stringify({
  format: 'licensing-offline-request-v1',
  product: 'editor',
  fingerprint: '5f8c1e0b7a2d4936',
  name: "Ada's laptop",
  hostname: 'ada-laptop',
  platform: 'macos',
  created_at: '2026-11-20T17:42:00.000Z',
});

export const ActivateOffline = strictObject(
  {
    request: Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'The text of the request file that the application has written.',
      examples: [exampleRequest],
    }),
  },
  {
    title: 'ActivateOffline',
    description: 'Activates a device without a network.',
    examples: [{ request: exampleRequest }],
  },
);

export const OfflineActivation = Type.Object(
  {
    file_name: Type.String({ description: 'A name for the file.' }),
    file: Type.String({ description: 'The text of the certificate file. The application imports it unchanged.' }),
    expires_at: described(TimestampOut, 'Until when the device works without a network.'),
    device: PortalDevice,
  },
  {
    title: 'OfflineActivation',
    description: 'The certificate file of a device that was activated without a network.',
    examples: [
      {
        file_name: 'editor-certificate.json',
        file: JSON.stringify({
          format: 'licensing-offline-certificate-v1',
          product: 'editor',
          license_key: 'PRO-FR718-6TX3B-NM7TR-TKVYT-KMPJT',
          certificate: 'eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiLigKYifQ.c2lnbmF0dXJl',
          expires_at: '2026-11-27T17:42:00.000000Z',
        }),
        expires_at: '2026-11-27T17:42:00.000000Z',
        device: exampleDevice,
      },
    ],
  },
);
export type OfflineActivation = Static<typeof OfflineActivation>;
