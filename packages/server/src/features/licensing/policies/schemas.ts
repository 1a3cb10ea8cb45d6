import { type Static, Type } from 'typebox';
import {
  FilterText,
  Metadata,
  Name,
  Nullable,
  PageQuery,
  SearchText,
  strictObject,
  TimestampOut,
  Uuid,
} from '../../../http/schema.ts';
import { EntitlementCode, entitlementFields, entitlementsMax } from '../entitlements/grant-schemas.ts';

const expiryBasis = Type.Union([
  Type.Literal('creation'),
  Type.Literal('first_validation'),
  Type.Literal('first_activation'),
]);
const expiryStrategy = Type.Union([Type.Literal('deny'), Type.Literal('allow')]);
const renewalBasis = Type.Union([Type.Literal('from_expiry'), Type.Literal('from_now')]);

/** At most 36,500 days (about a hundred years), so that every date of a license fits a timestamp. */
const Days = Type.Integer({ minimum: 1, maximum: 36_500 });
/** A number of activations, used by policies and by licenses that override their policy. */
export const ActivationLimit = Type.Integer({ minimum: 0, maximum: 1_000_000 });

const PolicyEntitlements = Type.Array(strictObject({ code: EntitlementCode, ...entitlementFields }), {
  maxItems: entitlementsMax,
});

const fields = {
  code: Type.String({ pattern: '^[a-z0-9-]{1,64}$', description: 'Unique within the product.' }),
  name: Name,
  duration_days: Nullable(Days),
  expiry_basis: expiryBasis,
  expiry_strategy: expiryStrategy,
  grace_days: Type.Integer({
    minimum: 0,
    maximum: 36_500,
    description: 'Days after `expires_at` during which the verdict stays valid.',
  }),
  renewal_basis: renewalBasis,
  maintenance_days: Nullable(Days),
  max_activations: Nullable(ActivationLimit),
  activation_overage_percent: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: 'Percentage by which activations may exceed the limit, rounded down: 50 on a limit of 2 admits 3.',
    }),
  ),
  require_activation: Type.Boolean(),
  lease_seconds: Nullable(
    Type.Integer({
      minimum: 5,
      maximum: 31_536_000,
      description: 'Seconds without a heartbeat after which an activation expires and frees its seat.',
    }),
  ),
  max_deactivations: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'Maximum self-service deactivations; deactivations by the vendor do not count.',
    }),
  ),
  offline_ttl_seconds_max: Type.Integer({ minimum: 60, maximum: 315_360_000 }),
  key_prefix: Nullable(Type.String({ pattern: '^[A-Za-z0-9]([A-Za-z0-9_-]{0,18}[A-Za-z0-9])?$' })),
  entitlements: PolicyEntitlements,
  metadata: Metadata,
};

export const Policy = Type.Object({
  id: Uuid,
  product_id: Uuid,
  code: Type.String(),
  name: Type.String(),
  duration_days: Nullable(Type.Integer()),
  expiry_basis: expiryBasis,
  expiry_strategy: expiryStrategy,
  grace_days: Type.Integer(),
  renewal_basis: renewalBasis,
  maintenance_days: Nullable(Type.Integer()),
  max_activations: Nullable(Type.Integer()),
  activation_overage_percent: Nullable(Type.Integer()),
  require_activation: Type.Boolean(),
  lease_seconds: Nullable(Type.Integer()),
  max_deactivations: Nullable(Type.Integer()),
  offline_ttl_seconds_max: Type.Integer(),
  key_prefix: Nullable(Type.String()),
  entitlements: Type.Array(Type.Object({ code: Type.String(), ...entitlementFields })),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  created_at: TimestampOut,
  updated_at: TimestampOut,
});
export type Policy = Static<typeof Policy>;

const optionalFields = {
  duration_days: Type.Optional(fields.duration_days),
  expiry_basis: Type.Optional(fields.expiry_basis),
  expiry_strategy: Type.Optional(fields.expiry_strategy),
  grace_days: Type.Optional(fields.grace_days),
  renewal_basis: Type.Optional(fields.renewal_basis),
  maintenance_days: Type.Optional(fields.maintenance_days),
  max_activations: Type.Optional(fields.max_activations),
  activation_overage_percent: Type.Optional(fields.activation_overage_percent),
  require_activation: Type.Optional(fields.require_activation),
  lease_seconds: Type.Optional(fields.lease_seconds),
  max_deactivations: Type.Optional(fields.max_deactivations),
  offline_ttl_seconds_max: Type.Optional(fields.offline_ttl_seconds_max),
  key_prefix: Type.Optional(fields.key_prefix),
  entitlements: Type.Optional(Nullable(fields.entitlements)),
  metadata: Type.Optional(Nullable(fields.metadata)),
};

export const CreatePolicy = strictObject({ product_id: Uuid, code: fields.code, name: fields.name, ...optionalFields });
export type CreatePolicy = Static<typeof CreatePolicy>;

export const UpdatePolicy = strictObject({
  code: Type.Optional(fields.code),
  name: Type.Optional(fields.name),
  ...optionalFields,
});
export type UpdatePolicy = Static<typeof UpdatePolicy>;

export const PoliciesQuery = PageQuery({
  product_id: Type.Optional(Uuid),
  code: Type.Optional(FilterText(64, 'The complete code. Policies of several products can have the same code.')),
  q: Type.Optional(SearchText('Words. Each must be a prefix of a word of the name or the code. Case is ignored.')),
});
export type PoliciesQuery = Static<typeof PoliciesQuery>;
