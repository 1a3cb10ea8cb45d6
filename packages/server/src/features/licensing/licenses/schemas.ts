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
  activations_count: Type.Integer({ description: 'The number of activations that are active now.' }),
  deactivations_count: Type.Integer({ description: 'The number of self-service deactivations.' }),
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
        'Overrides the entitlements of the policy by code, until its own `expires_at`. Fields that are left out come ' +
        'from the policy; `null` clears a field.',
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
      description:
        'A key of your own: letters, digits, and other characters that need no encoding in a URL path. The first ' +
        'character must be a letter or a digit. Default: a generated key.',
    }),
  ),
  ...changeableFields,
});
export type CreateLicense = Static<typeof CreateLicense>;

export const UpdateLicense = strictObject({ policy_id: Type.Optional(Uuid), ...changeableFields });
export type UpdateLicense = Static<typeof UpdateLicense>;

/** The body of an action without parameters: absent, or an empty object. */
export const NoFields = strictObject({});

const licenseFilters = {
  status: Type.Optional(LicenseStatus),
  product_id: Type.Optional(Uuid),
  policy_id: Type.Optional(Uuid),
  key: Type.Optional(FilterText(licenseKeyMaxLength, 'The complete key.')),
  holder_email: Type.Optional(FilterText(254, 'The complete address, in the stored spelling.')),
  holder_reference: Type.Optional(FilterText(200, 'The complete reference, in the stored spelling.')),
  expires_before: Type.Optional(
    Type.Unsafe<string>({ ...TimestampIn, description: 'Return only licenses that expire before this time.' }),
  ),
  expires_after: Type.Optional(
    Type.Unsafe<string>({ ...TimestampIn, description: 'Return only licenses that expire at this time or later.' }),
  ),
  metadata_key: Type.Optional(FilterText(254, 'The metadata contain this key at the top level.')),
  metadata_value: Type.Optional(
    Type.String({
      maxLength: 254,
      description:
        'The value of `metadata_key`, which is then required. Strings are written as they are, other values as JSON ' +
        '(`true`, `5`).',
    }),
  ),
  q: Type.Optional(
    SearchText(
      "Words. Each must be a prefix of the key, or of a word of the holder's name, e-mail address or reference. Case " +
        'and accents are ignored.',
    ),
  ),
};

export const LicensesQuery = PageQuery(licenseFilters);
export type LicensesQuery = Static<typeof LicensesQuery>;
/** The filters of the list of licenses. An absent filter matches every license. */
export type LicenseFilters = Omit<LicensesQuery, 'limit' | 'cursor'>;

/** The license key in the paths of the Integration API. It has no pattern: a malformed key is an unknown key. */
export const KeyParams = Type.Object({ key: Type.String() });
