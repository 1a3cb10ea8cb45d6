import { type Static, Type } from 'typebox';
import {
  FilterText,
  Metadata,
  Nullable,
  PageQuery,
  SearchText,
  strictObject,
  TimestampIn,
  TimestampOut,
  Uuid,
} from '../../../http/schema.ts';
import { EntitlementCode, entitlementFields, entitlementsMax } from '../entitlements/grant-schemas.ts';
import { ActivationLimit } from '../policies/schemas.ts';
import { licenseKeyMaxLength, ownKeyPattern } from './license-key.ts';

const LicenseStatus = Type.Union([
  Type.Literal('pending'),
  Type.Literal('active'),
  Type.Literal('suspended'),
  Type.Literal('revoked'),
  Type.Literal('expired'),
]);

export const License = Type.Object({
  id: Uuid,
  product_id: Uuid,
  policy_id: Uuid,
  key: Type.String(),
  status: LicenseStatus,
  holder: Type.Object({
    name: Nullable(Type.String()),
    email: Nullable(Type.String()),
    reference: Nullable(Type.String()),
  }),
  starts_at: TimestampOut,
  expires_at: Nullable(TimestampOut),
  maintenance_expires_at: Nullable(TimestampOut),
  max_activations: Nullable(Type.Integer()),
  entitlements: Type.Array(
    Type.Object({
      code: Type.String(),
      ...entitlementFields,
      expires_at: Type.Optional(Nullable(TimestampOut)),
    }),
  ),
  activations_count: Type.Integer({ description: 'Activations that count at this moment.' }),
  deactivations_count: Type.Integer({ description: 'How often devices deactivated themselves.' }),
  last_validated_at: Nullable(TimestampOut),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  created_at: TimestampOut,
  updated_at: TimestampOut,
});
export type License = Static<typeof License>;

declare module '../../tenant-core/events/event-data.ts' {
  interface EventDataTypes {
    'license.created': License;
    'license.updated': License;
    'license.suspended': License;
    'license.reinstated': License;
    'license.revoked': License;
    'license.renewed': License;
    'license.expiring': License;
    'license.expired': License;
    'license.deleted': License;
  }
}

const holderName = Nullable(Type.String({ minLength: 1, maxLength: 200 }));
const holderEmail = Nullable(Type.String({ maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$' }));
const holderReference = Nullable(Type.String({ minLength: 1, maxLength: 200 }));

const fields = {
  holder: strictObject({
    name: Type.Optional(holderName),
    email: Type.Optional(holderEmail),
    reference: Type.Optional(holderReference),
  }),
  expires_at: Nullable(TimestampIn),
  maintenance_expires_at: Nullable(TimestampIn),
  max_activations: Nullable(ActivationLimit),
  entitlements: Type.Array(
    strictObject({ code: EntitlementCode, ...entitlementFields, expires_at: Type.Optional(Nullable(TimestampIn)) }),
    {
      maxItems: entitlementsMax,
      description:
        'Goes before what the policy grants, until its own `expires_at`. Fields left out are the policy’s; `null` clears one.',
    },
  ),
};

const changeableFields = {
  holder: Type.Optional(Nullable(fields.holder)),
  starts_at: Type.Optional(TimestampIn),
  expires_at: Type.Optional(fields.expires_at),
  maintenance_expires_at: Type.Optional(fields.maintenance_expires_at),
  max_activations: Type.Optional(fields.max_activations),
  entitlements: Type.Optional(Nullable(fields.entitlements)),
  metadata: Type.Optional(Nullable(Metadata)),
};

export const CreateLicense = strictObject({
  policy_id: Uuid,
  product_id: Type.Optional(Uuid),
  key: Type.Optional(
    Type.String({
      pattern: ownKeyPattern,
      description: 'A key of your own: letters, digits and what else stands in a URL path without encoding.',
    }),
  ),
  ...changeableFields,
});
export type CreateLicense = Static<typeof CreateLicense>;

export const UpdateLicense = strictObject({ policy_id: Type.Optional(Uuid), ...changeableFields });
export type UpdateLicense = Static<typeof UpdateLicense>;

/** The body of an action that has nothing to say: none, or an empty object. */
export const NoFields = strictObject({});

const licenseFilters = {
  status: Type.Optional(LicenseStatus),
  product_id: Type.Optional(Uuid),
  policy_id: Type.Optional(Uuid),
  key: Type.Optional(FilterText(licenseKeyMaxLength, 'The whole key.')),
  holder_email: Type.Optional(FilterText(254, 'The whole address, as it was given.')),
  holder_reference: Type.Optional(FilterText(200, 'The whole reference, as it was given.')),
  expires_before: Type.Optional(Type.Unsafe<string>({ ...TimestampIn, description: 'Ends before this moment.' })),
  expires_after: Type.Optional(Type.Unsafe<string>({ ...TimestampIn, description: 'Ends at this moment or later.' })),
  metadata_key: Type.Optional(FilterText(254, 'Its metadata have this key at the top level.')),
  metadata_value: Type.Optional(
    Type.String({
      maxLength: 254,
      description:
        'The value under `metadata_key`, which must be there too: a text as it is, anything else as JSON (`true`, `5`).',
    }),
  ),
  q: Type.Optional(
    SearchText(
      'Words, all of which must be found in any case and without accents: as the beginning of the key, or of a word ' +
        "of the holder's name, e-mail address or reference.",
    ),
  ),
};

export const LicensesQuery = PageQuery(licenseFilters);
export type LicensesQuery = Static<typeof LicensesQuery>;
/** The filters of the list of licenses; absent ones let everything through. */
export type LicenseFilters = Omit<LicensesQuery, 'limit' | 'cursor'>;

/** The license key in the paths of the Integration API. It has no pattern: a malformed key is an unknown key. */
export const KeyParams = Type.Object({ key: Type.String() });
