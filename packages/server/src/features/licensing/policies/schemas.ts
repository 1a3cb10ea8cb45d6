import { type Static, Type } from 'typebox';
import {
  Archived,
  described,
  FilterText,
  Metadata,
  MetadataOut,
  Name,
  Nullable,
  PageQuery,
  SearchText,
  strictObject,
  TimestampOut,
  Uuid,
  withDefaults,
} from '../../../http/schema.ts';
import { EntitlementCode, entitlementFields, entitlementsMax } from '../entitlements/grant-schemas.ts';

const expiryBasis = Type.Union(
  [Type.Literal('creation'), Type.Literal('first_validation'), Type.Literal('first_activation')],
  { title: 'ExpiryBasis', description: 'The event from which `duration_days` or `duration_months` counts.' },
);
const expiryStrategy = Type.Union([Type.Literal('deny'), Type.Literal('allow')], {
  title: 'ExpiryStrategy',
  description: 'Whether an expired license gets a negative verdict, or a valid one with the code `LICENSE.EXPIRED`.',
});
const renewalBasis = Type.Union(
  [Type.Literal('from_expiry'), Type.Literal('from_now'), Type.Literal('from_expiry_or_now')],
  {
    title: 'RenewalBasis',
    description: 'Whether a renewal counts from the expiry, from the present time, or from the later of the two.',
  },
);

const fingerprintMatching = Type.Union([Type.Literal('exact'), Type.Literal('most'), Type.Literal('any')], {
  title: 'FingerprintMatching',
  description:
    'How the service recognises a device whose fingerprint is not activated. `exact`: it does not. `most`: more than half of ' +
    'the stored `components` are equal. `any`: one of them is equal.',
});

const text = {
  code: 'Unique within the product: lower-case letters, digits and hyphens.',
  duration_days: 'Days from `expiry_basis` to the expiry of a license. Null with a null `duration_months`: perpetual.',
  duration_months:
    "Months of the calendar from `expiry_basis` to the expiry of a license, in the tenant's timezone. January 31 and one " +
    'month are February 28. Excludes `duration_days`.',
  ends_with_month:
    "Whether a license expires only at the end of the month of its expiry, in the tenant's timezone. Renewals too.",
  archived_at: 'Since when no licenses are issued under the policy; null: they are.',
  grace_days: 'Days after `expires_at` during which the verdict stays valid, with the code `LICENSE.IN_GRACE`.',
  maintenance_days: 'Days during which new releases are included; null: all releases are included.',
  max_activations: 'Maximum active devices of a license; null: unlimited.',
  activation_overage_percent:
    'Percentage by which activations may exceed the limit, rounded down: 50 on a limit of 2 admits 3; null: unlimited.',
  require_activation: 'Whether a verdict is valid only for an activated fingerprint.',
  trial_requires_email:
    'Whether a trial without a key works only after its email address is confirmed with a code from a mail.',
  lease_seconds:
    'Seconds without a heartbeat after which an activation expires; null: never. A new value starts at the change for every ' +
    'active device.',
  max_deactivations:
    'Maximum self-service deactivations; null: unlimited. Those by the vendor, and of devices above limit and overage, do ' +
    'not count.',
  offline_ttl_seconds_max: 'Maximum validity of an offline certificate, in seconds.',
  key_prefix: "The prefix of generated keys; null: the tenant's `license_key_prefix`.",
  holder_may_replace_key: 'Whether the holder of a license may replace its key in the portal.',
  entitlements: 'The entitlements that every license of the policy has.',
};

/** At most 36,500 days (about a hundred years), so that every date of a license fits a timestamp. */
export const Days = Type.Integer({ minimum: 1, maximum: 36_500 });
/** At most 1,200 months, which are a hundred years. */
export const Months = Type.Integer({ minimum: 1, maximum: 1200 });
/** A number of activations, used by policies and by licenses that override their policy. */
export const ActivationLimit = Type.Integer({ minimum: 0, maximum: 1_000_000 });

const PolicyEntitlement = strictObject(
  { code: EntitlementCode, ...entitlementFields },
  {
    title: 'PolicyEntitlement',
    description: 'An entitlement as a policy grants it.',
    examples: [{ code: 'renders', limit: 1000, reset: 'month', overage: 'deny' }],
  },
);
const PolicyEntitlements = Type.Array(PolicyEntitlement, {
  maxItems: entitlementsMax,
  description: text.entitlements,
});

const fields = {
  code: Type.String({ pattern: '^[a-z0-9-]{1,64}$', description: text.code, examples: ['pro-yearly'] }),
  name: described(Name, 'The name that users see.'),
  duration_days: Nullable(Days, { description: text.duration_days }),
  duration_months: Nullable(Months, { description: text.duration_months }),
  ends_with_month: Type.Boolean({ description: text.ends_with_month }),
  expiry_basis: expiryBasis,
  expiry_strategy: expiryStrategy,
  grace_days: Type.Integer({ minimum: 0, maximum: 36_500, description: text.grace_days }),
  renewal_basis: renewalBasis,
  maintenance_days: Nullable(Days, { description: text.maintenance_days }),
  max_activations: Nullable(ActivationLimit, { description: text.max_activations }),
  activation_overage_percent: Nullable(Type.Integer({ minimum: 0, maximum: 10_000 }), {
    description: text.activation_overage_percent,
  }),
  require_activation: Type.Boolean({ description: text.require_activation }),
  fingerprint_matching: fingerprintMatching,
  trial_requires_email: Type.Boolean({ description: text.trial_requires_email }),
  lease_seconds: Nullable(Type.Integer({ minimum: 5, maximum: 31_536_000 }), { description: text.lease_seconds }),
  max_deactivations: Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000 }), {
    description: text.max_deactivations,
  }),
  offline_ttl_seconds_max: Type.Integer({
    minimum: 60,
    maximum: 315_360_000,
    description: text.offline_ttl_seconds_max,
  }),
  key_prefix: Nullable(Type.String({ pattern: '^[A-Za-z0-9]([A-Za-z0-9_-]{0,18}[A-Za-z0-9])?$' }), {
    description: text.key_prefix,
    examples: ['PRO'],
  }),
  holder_may_replace_key: Type.Boolean({ description: text.holder_may_replace_key }),
  entitlements: PolicyEntitlements,
  metadata: Metadata,
};

const examplePolicy = {
  id: '019a9b1c-6b40-7d11-a2c4-0e9f3b7d5a18',
  product_id: '019a9b1c-5a00-7c3e-8f21-4b6d9e0a1c2d',
  code: 'pro-yearly',
  name: 'Pro, one year',
  duration_days: null,
  duration_months: 12,
  expiry_basis: 'creation',
  expiry_strategy: 'deny',
  grace_days: 7,
  renewal_basis: 'from_expiry_or_now',
  maintenance_days: null,
  max_activations: 3,
  activation_overage_percent: 0,
  require_activation: true,
  fingerprint_matching: 'exact',
  ends_with_month: false,
  trial_requires_email: false,
  lease_seconds: null,
  max_deactivations: null,
  offline_ttl_seconds_max: 604_800,
  key_prefix: 'PRO',
  holder_may_replace_key: false,
  entitlements: [
    { code: 'export', value: true },
    { code: 'renders', limit: 1000, reset: 'month', overage: 'deny' },
  ],
  metadata: {},
  archived_at: null,
  created_at: '2026-11-20T17:42:00.123456Z',
  updated_at: '2026-11-20T17:42:00.123456Z',
};

export const Policy = Type.Object(
  {
    id: Uuid,
    product_id: described(Uuid, 'The product that the policy belongs to.'),
    code: Type.String({ description: 'Unique within the product.' }),
    name: Type.String(),
    duration_days: Nullable(Type.Integer(), { description: text.duration_days }),
    duration_months: Nullable(Type.Integer(), { description: text.duration_months }),
    expiry_basis: expiryBasis,
    expiry_strategy: expiryStrategy,
    grace_days: Type.Integer({ description: text.grace_days }),
    renewal_basis: renewalBasis,
    maintenance_days: Nullable(Type.Integer(), { description: text.maintenance_days }),
    max_activations: Nullable(Type.Integer(), { description: text.max_activations }),
    activation_overage_percent: Nullable(Type.Integer(), { description: text.activation_overage_percent }),
    require_activation: Type.Boolean({ description: text.require_activation }),
    fingerprint_matching: fingerprintMatching,
    ends_with_month: Type.Boolean({ description: text.ends_with_month }),
    trial_requires_email: Type.Boolean({ description: text.trial_requires_email }),
    lease_seconds: Nullable(Type.Integer(), { description: text.lease_seconds }),
    max_deactivations: Nullable(Type.Integer(), { description: text.max_deactivations }),
    offline_ttl_seconds_max: Type.Integer({ description: text.offline_ttl_seconds_max }),
    key_prefix: Nullable(Type.String(), { description: text.key_prefix }),
    holder_may_replace_key: Type.Boolean({ description: text.holder_may_replace_key }),
    entitlements: Type.Array(PolicyEntitlement, { description: text.entitlements }),
    metadata: MetadataOut,
    archived_at: Nullable(TimestampOut, { description: text.archived_at }),
    created_at: TimestampOut,
    updated_at: TimestampOut,
  },
  {
    title: 'Policy',
    description: 'A template of licenses: their term, their devices and their entitlements.',
    examples: [examplePolicy],
  },
);
export type Policy = Static<typeof Policy>;

/** A policy as it is read alone. */
export const PolicyDetail = Type.Object(
  {
    ...Policy.properties,
    is_deletable: Type.Boolean({
      description:
        'Whether the policy can be deleted: no license was ever issued under it, and it is not the trial of its product.',
    }),
  },
  {
    title: 'PolicyDetail',
    description: 'A policy, and whether it can be deleted.',
    examples: [{ ...examplePolicy, is_deletable: false }],
  },
);

const optionalFields = {
  duration_days: Type.Optional(fields.duration_days),
  duration_months: Type.Optional(fields.duration_months),
  expiry_basis: Type.Optional(fields.expiry_basis),
  expiry_strategy: Type.Optional(fields.expiry_strategy),
  grace_days: Type.Optional(fields.grace_days),
  renewal_basis: Type.Optional(fields.renewal_basis),
  maintenance_days: Type.Optional(fields.maintenance_days),
  max_activations: Type.Optional(fields.max_activations),
  activation_overage_percent: Type.Optional(fields.activation_overage_percent),
  require_activation: Type.Optional(fields.require_activation),
  fingerprint_matching: Type.Optional(fields.fingerprint_matching),
  ends_with_month: Type.Optional(fields.ends_with_month),
  trial_requires_email: Type.Optional(fields.trial_requires_email),
  lease_seconds: Type.Optional(fields.lease_seconds),
  max_deactivations: Type.Optional(fields.max_deactivations),
  offline_ttl_seconds_max: Type.Optional(fields.offline_ttl_seconds_max),
  key_prefix: Type.Optional(fields.key_prefix),
  holder_may_replace_key: Type.Optional(fields.holder_may_replace_key),
  entitlements: Type.Optional(Nullable(fields.entitlements, { description: text.entitlements })),
  metadata: Type.Optional(Nullable(fields.metadata, { description: 'Your own data; null empties it.' })),
};

/**
 * The values of fields that a new policy leaves out: perpetual, unlimited activations, no activation required. Offline
 * certificates live at most 604,800 s, which is 7 days.
 */
export const policyDefaults = {
  duration_days: null,
  duration_months: null,
  expiry_basis: 'creation',
  expiry_strategy: 'deny',
  grace_days: 0,
  renewal_basis: 'from_expiry_or_now',
  maintenance_days: null,
  max_activations: null,
  activation_overage_percent: 0,
  require_activation: false,
  fingerprint_matching: 'exact',
  ends_with_month: false,
  trial_requires_email: false,
  lease_seconds: null,
  max_deactivations: null,
  offline_ttl_seconds_max: 604_800,
  key_prefix: null,
  holder_may_replace_key: false,
  entitlements: [],
  metadata: {},
} as const;

export const CreatePolicy = strictObject(
  withDefaults(
    {
      product_id: described(Uuid, 'The product that the policy belongs to.'),
      code: fields.code,
      name: fields.name,
      ...optionalFields,
    },
    policyDefaults,
  ),
  {
    title: 'CreatePolicy',
    description: 'A new policy: the terms of its licenses.',
    examples: [
      {
        product_id: examplePolicy.product_id,
        code: 'pro-yearly',
        name: 'Pro, one year',
        duration_months: 12,
        grace_days: 7,
        max_activations: 3,
        require_activation: true,
        key_prefix: 'PRO',
        entitlements: examplePolicy.entitlements,
      },
    ],
  },
);
export type CreatePolicy = Static<typeof CreatePolicy>;

export const UpdatePolicy = strictObject(
  { code: Type.Optional(fields.code), name: Type.Optional(fields.name), ...optionalFields },
  {
    title: 'UpdatePolicy',
    description: 'The fields of a policy to change. A field that is left out keeps its value; null clears it.',
    examples: [{ max_activations: 5, grace_days: 14 }],
  },
);
export type UpdatePolicy = Static<typeof UpdatePolicy>;

export const PoliciesQuery = PageQuery({
  archived: Archived,
  product_id: Type.Optional(described(Uuid, 'Return only policies of this product.')),
  code: Type.Optional(FilterText(64, 'The complete code. Policies of several products can have the same code.')),
  q: Type.Optional(SearchText('Words. Each must be a prefix of a word of the name or the code. Case is ignored.')),
});
export type PoliciesQuery = Static<typeof PoliciesQuery>;
