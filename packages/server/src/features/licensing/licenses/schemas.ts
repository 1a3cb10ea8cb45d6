import { type Static, Type } from 'typebox';
import {
  described,
  FilterText,
  Metadata,
  MetadataOut,
  Nullable,
  PageQuery,
  SearchText,
  strictObject,
  TimestampIn,
  TimestampOut,
  Uuid,
  withDefaults,
} from '../../../http/schema.ts';
import { EntitlementCode, entitlementFields, entitlementsMax } from '../entitlements/grant-schemas.ts';
import { Days, Months } from '../policies/schemas.ts';
import {
  holderFields,
  maintenanceText,
  nullableColumns,
  nullableExamples,
  schemasOf,
  valueFilters,
} from './columns.ts';
import { ownKeyPattern } from './license-key.ts';

/** The status of a license in a response. */
export const LicenseStatus = Type.Union(
  [
    Type.Literal('pending'),
    Type.Literal('active'),
    Type.Literal('suspended'),
    Type.Literal('revoked'),
    Type.Literal('expired'),
  ],
  {
    title: 'LicenseStatus',
    description: '`pending` before `starts_at`; `expired` after `expires_at`. `revoked` is permanent.',
  },
);

const text = {
  holder: 'The person or company that the license was issued to.',
  starts_at: 'The license is pending before this time.',
  override_expires_at: 'The override applies until this time; null: it has no end.',
};

const LicenseEntitlement = Type.Object(
  {
    code: EntitlementCode,
    ...entitlementFields,
    expires_at: Type.Optional(Nullable(TimestampOut, { description: text.override_expires_at })),
  },
  { title: 'LicenseEntitlement', description: 'An entitlement of a license that overrides its policy.' },
);

/** The holder of a license in a response. */
export const LicenseHolder = Type.Object(schemasOf(holderFields, 'output'), {
  title: 'LicenseHolder',
  description: text.holder,
});

/** The example of a license in the OpenAPI document. */
export const exampleLicense = {
  id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f708',
  product_id: '019a9b1c-5a00-7c3e-8f21-4b6d9e0a1c2d',
  policy_id: '019a9b1c-6b40-7d11-a2c4-0e9f3b7d5a18',
  key: 'PRO-FR718-6TX3B-NM7TR-TKVYT-KMPJT',
  status: 'active',
  status_reason: null,
  batch_id: null,
  holder: { name: 'Ada Lovelace', email: 'ada@example.com', reference: 'customer-1042' },
  starts_at: '2026-11-20T17:42:00.123456Z',
  ...nullableExamples,
  entitlements: [],
  activations_count: 1,
  deactivations_count: 0,
  last_validated_at: '2026-11-21T08:15:30.000000Z',
  metadata: { order: '2026-1042' },
  created_at: '2026-11-20T17:42:00.123456Z',
  updated_at: '2026-11-20T17:42:00.123456Z',
};

export const License = Type.Object(
  {
    id: Uuid,
    product_id: described(Uuid, 'The product of the policy.'),
    policy_id: Uuid,
    key: Type.String({ description: 'The license key that the holder enters; unique within the tenant.' }),
    status: LicenseStatus,
    status_reason: Nullable(Type.String(), {
      description: 'Why the license was suspended, reinstated or revoked; null if nobody said why.',
    }),
    batch_id: Nullable(Uuid, { description: 'The batch that the license was issued in; null: alone.' }),
    holder: LicenseHolder,
    starts_at: described(TimestampOut, text.starts_at),
    ...schemasOf(nullableColumns, 'output'),
    entitlements: Type.Array(LicenseEntitlement, { description: "Overrides of the policy's entitlements." }),
    activations_count: Type.Integer({ description: 'The number of activations that are active now.' }),
    deactivations_count: Type.Integer({ description: 'The number of self-service deactivations.' }),
    last_validated_at: Nullable(TimestampOut, {
      description: 'The time of the newest validation; null before the first.',
    }),
    metadata: MetadataOut,
    created_at: TimestampOut,
    updated_at: TimestampOut,
  },
  {
    title: 'License',
    description: 'The right of a holder to use a product under a policy.',
    examples: [exampleLicense],
  },
);
export type License = Static<typeof License>;

declare module '../../tenant-core/events/event.ts' {
  interface EventDataTypes {
    'license.created': License;
    'license.updated': License;
    'license.suspended': License;
    'license.reinstated': License;
    'license.revoked': License;
    'license.renewed': License;
    'license.converted': License;
    'license.expiring': License;
    'license.expired': License;
    'license.deleted': License;
  }
}

const LicenseHolderInput = strictObject(schemasOf(holderFields, 'input'), {
  title: 'LicenseHolderInput',
  description: text.holder,
});

const LicenseEntitlementInput = strictObject(
  {
    code: EntitlementCode,
    ...entitlementFields,
    expires_at: Type.Optional(Nullable(TimestampIn, { description: text.override_expires_at })),
  },
  {
    title: 'LicenseEntitlementInput',
    description: 'An override of an entitlement of the policy.',
    examples: [{ code: 'renders', limit: 5000, expires_at: '2027-01-31T00:00:00Z' }],
  },
);

const changeableFields = {
  holder: Type.Optional(Nullable(LicenseHolderInput, { description: `${text.holder} Null clears all of its fields.` })),
  starts_at: Type.Optional(described(TimestampIn, text.starts_at)),
  ...schemasOf(nullableColumns, 'input'),
  entitlements: Type.Optional(
    Nullable(Type.Array(LicenseEntitlementInput, { maxItems: entitlementsMax }), {
      description:
        'Overrides the entitlements of the policy by code, until its own `expires_at`. Fields that are left out come ' +
        'from the policy; `null` clears a field.',
    }),
  ),
  metadata: Type.Optional(Nullable(Metadata, { description: 'Your own data; null empties it.' })),
};

/** Whether the holder gets a mail about the change. */
const notifyHolder = Type.Optional(
  Type.Boolean({
    description:
      'Whether the holder gets a mail about it, if the license has an address. Default: the settings of the tenant and ' +
      'of the product decide.',
  }),
);

const creationFields = {
  ...changeableFields,
  holder: Type.Optional(
    Nullable(LicenseHolderInput, { description: `${text.holder} Fields that are left out are null.` }),
  ),
  starts_at: Type.Optional(described(TimestampIn, `${text.starts_at} Default: the present time.`)),
  expires_at: Type.Optional(
    Nullable(TimestampIn, { description: 'The end of the license. If absent, the policy determines it.' }),
  ),
  maintenance_expires_at: Type.Optional(
    Nullable(TimestampIn, { description: `${maintenanceText} If absent, the policy determines it.` }),
  ),
};

export const CreateLicense = strictObject(
  withDefaults(
    {
      policy_id: described(Uuid, 'The policy that the license is issued under.'),
      product_id: Type.Optional(described(Uuid, "Must be the policy's product. Default: the policy's product.")),
      key: Type.Optional(
        Type.String({
          pattern: ownKeyPattern,
          description:
            'A key of your own: letters, digits, and other characters that need no encoding in a URL path. The first ' +
            'character must be a letter or a digit. Default: a generated key.',
          examples: ['ACME-2026-1042'],
        }),
      ),
      ...creationFields,
      notify_holder: notifyHolder,
    },
    { max_activations: null, entitlements: [], metadata: {} },
  ),
  {
    title: 'CreateLicense',
    description: 'A new license of a policy.',
    examples: [
      {
        policy_id: exampleLicense.policy_id,
        holder: exampleLicense.holder,
        metadata: exampleLicense.metadata,
      },
    ],
  },
);
export type CreateLicense = Static<typeof CreateLicense>;

export const UpdateLicense = strictObject(
  {
    policy_id: Type.Optional(described(Uuid, 'Moves the license to another policy of the same product.')),
    ...changeableFields,
    notify_holder: notifyHolder,
  },
  {
    title: 'UpdateLicense',
    description: 'The fields of a license to change. A field that is left out keeps its value; null clears it.',
    examples: [{ max_activations: 5, expires_at: '2028-01-31T00:00:00Z' }],
  },
);
export type UpdateLicense = Static<typeof UpdateLicense>;

/** Why a change is made. */
export const ReasonIn = Type.Optional(
  Nullable(FilterText(500, 'Why, for people: it is kept in the audit record and, with a status, in the license.')),
);

/** The body of an action that can cause a mail to the holder: absent, or an object. */
export const ActionFields = strictObject(
  { notify_holder: notifyHolder },
  { title: 'LicenseAction', description: 'How an action on a license is carried out.', examples: [{}] },
);

/** The body of a suspension or a reinstatement: absent, or an object. */
export const TransitionFields = strictObject(
  { reason: ReasonIn, notify_holder: notifyHolder },
  {
    title: 'LicenseTransition',
    description: 'How the status of a license is changed, and why.',
    examples: [{ reason: 'The payment was charged back.' }],
  },
);

/** The body of a renewal: absent, or an object. */
export const RenewalFields = strictObject(
  {
    duration_days: Type.Optional(described(Days, "Days by which the license is extended instead of the policy's.")),
    duration_months: Type.Optional(
      described(Months, "Months of the calendar by which the license is extended instead of the policy's duration."),
    ),
    notify_holder: notifyHolder,
    dry_run: Type.Optional(
      Type.Boolean({ description: 'Return the license as it would be after the renewal, and change nothing.' }),
    ),
  },
  {
    title: 'LicenseRenewal',
    description:
      "How a license is renewed. Without a duration, by its policy's. With one, both dates that are set move by it: " +
      '`expires_at` and `maintenance_expires_at`. A renewal has at most one duration.',
    examples: [{ duration_months: 12 }],
  },
);
export type RenewalFields = Static<typeof RenewalFields>;

/** The body of a revocation, which sends no mail: absent, or an object. */
export const RevocationFields = strictObject(
  { reason: ReasonIn },
  { title: 'LicenseRevocation', description: 'Why a license is revoked.', examples: [{ reason: 'Refunded.' }] },
);

/** What the body of any action can contain. */
export type ActionInput = Static<typeof TransitionFields>;

/** The filters of the list, of an export and of a change of many licenses. */
export const licenseFilters = {
  status: Type.Optional(described(LicenseStatus, 'Return only licenses with this status.')),
  product_id: Type.Optional(described(Uuid, 'Return only licenses of this product.')),
  policy_id: Type.Optional(described(Uuid, 'Return only licenses of this policy.')),
  batch_id: Type.Optional(described(Uuid, 'Return only licenses of this batch.')),
  ...valueFilters,
  expires_before: Type.Optional(described(TimestampIn, 'Return only licenses that expire before this time.')),
  expires_after: Type.Optional(described(TimestampIn, 'Return only licenses that expire at this time or later.')),
  expires_within_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3650,
      description: 'Return only licenses that expire within so many days of 24 hours from now.',
    }),
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
      "Words. Each must be a prefix of the key, its end of at least four characters, or a prefix of a word of the holder's " +
        'name, email address or reference. A key can have spaces instead of its dashes. Case and accents are ignored.',
    ),
  ),
};

const include = Type.Optional(
  Type.Literal('details', {
    description: 'Adds the names of the product and the policy, and the effective limit of devices.',
  }),
);

/** The query of one license. */
export const LicenseQuery = strictObject({ include });

export const LicensesQuery = PageQuery({
  ...licenseFilters,
  include,
  sort: Type.Optional(
    Type.Union(
      [
        Type.Literal('-created_at'),
        Type.Literal('created_at'),
        Type.Literal('expires_at'),
        Type.Literal('-expires_at'),
      ],
      {
        title: 'LicenseSort',
        default: '-created_at',
        description: 'The order; `-` is descending. Licenses without an end are the last to expire.',
      },
    ),
  ),
});
export type LicensesQuery = Static<typeof LicensesQuery>;
/** The order of the list of licenses. */
export type LicenseSort = NonNullable<LicensesQuery['sort']>;
/** The filters of the list of licenses. An absent filter matches every license. */
export type LicenseFilters = Omit<LicensesQuery, 'limit' | 'cursor' | 'sort' | 'include'>;

/** The license key in the paths of the Integration API. It has no pattern: a malformed key is an unknown key. */
export const KeyParams = Type.Object({
  key: Type.String({
    description:
      'The license key. White space around it does not count. A generated key is also found in lower case and with other ' +
      'or missing dashes, as people type it; a key of your own only as it is.',
  }),
});
