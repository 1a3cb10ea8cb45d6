import { type Static, Type } from 'typebox';
import { fileQuery } from '../../../http/file-export.ts';
import { described, Nullable, PageQuery, strictObject, TimestampIn, TimestampOut, Uuid } from '../../../http/schema.ts';
import { EntitlementCode, entitlementFields } from '../entitlements/grant-schemas.ts';
import { LicenseHolder, licenseFilters, ReasonIn } from '../licenses/schemas.ts';
import { ActivationLimit, Days, Months } from '../policies/schemas.ts';

/** An operation that lists its licenses names at most this many. */
const idsMax = 1000;

const ActionType = Type.Union(
  [
    Type.Literal('extend'),
    Type.Literal('set_expiry'),
    Type.Literal('change_policy'),
    Type.Literal('set_limit'),
    Type.Literal('grant_entitlement'),
    Type.Literal('suspend'),
    Type.Literal('reinstate'),
    Type.Literal('revoke'),
  ],
  {
    title: 'BulkActionType',
    description:
      '`extend`: `duration_days` or `duration_months` later than the end. `set_expiry`: `expires_at`. `change_policy`: `policy_id`. ' +
      "`set_limit`: `max_activations`, the license's own limit of devices. `grant_entitlement`: `entitlement`. The " +
      'others need no further field.',
  },
);

const Grant = strictObject(
  {
    code: EntitlementCode,
    ...entitlementFields,
    expires_at: Type.Optional(Nullable(TimestampIn, { description: 'The override applies until this time.' })),
  },
  {
    title: 'BulkGrant',
    description: 'An override that each license gets. It replaces an override with the same code.',
    examples: [{ code: 'export', value: true }],
  },
);

export const BulkAction = strictObject(
  {
    type: ActionType,
    duration_days: Type.Optional(described(Days, 'Days of 24 hours, for `extend`.')),
    duration_months: Type.Optional(
      described(Months, "Months of the calendar in the tenant's time zone, for `extend`; a year has 12."),
    ),
    expires_at: Type.Optional(
      Nullable(TimestampIn, { description: 'The new end, for `set_expiry`; null: the licenses never expire.' }),
    ),
    policy_id: Type.Optional(described(Uuid, 'The new policy, for `change_policy`.')),
    max_activations: Type.Optional(
      Nullable(ActivationLimit, {
        description: 'The limit of devices, for `set_limit`; null: the limit of the policy.',
      }),
    ),
    entitlement: Type.Optional(Grant),
  },
  {
    title: 'BulkAction',
    description: 'What happens to each license.',
    examples: [{ type: 'extend', duration_days: 30 }],
  },
);
export type BulkAction = Static<typeof BulkAction>;

/** The filters of the licenses of an operation. */
export const BulkFilter = strictObject(licenseFilters, {
  title: 'LicenseFilter',
  description: 'The licenses that match all filters; without a filter every license.',
  examples: [{ status: 'active', expires_within_days: 14 }],
});
export type BulkFilter = Static<typeof BulkFilter>;

export const CreateBulkOperation = strictObject(
  {
    filter: Type.Optional(BulkFilter),
    ids: Type.Optional(
      Type.Array(Uuid, {
        minItems: 1,
        maxItems: idsMax,
        uniqueItems: true,
        description: 'The ids of the licenses. Send either `ids` or `filter`.',
      }),
    ),
    action: BulkAction,
    reason: ReasonIn,
    notify_holder: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the holders get the mails that single changes cause.' }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({ default: false, description: 'True: answers what the operation would do, and does nothing.' }),
    ),
  },
  {
    title: 'CreateBulkOperation',
    description: 'A change of many licenses.',
    examples: [
      {
        filter: { status: 'active', expires_within_days: 14 },
        action: { type: 'extend', duration_days: 30 },
        reason: 'Outage of 20 November',
        dry_run: true,
      },
    ],
  },
);
export type CreateBulkOperation = Static<typeof CreateBulkOperation>;

const Refusal = Type.Object(
  {
    code: Type.String({ description: 'The code that a single change would be refused with.' }),
    message: Type.String({ description: 'Why, for people.' }),
    count: Type.Integer({ description: 'The number of licenses that were refused for this reason.' }),
  },
  { title: 'BulkRefusal', description: 'Why licenses cannot be changed.' },
);
/** Why licenses were refused, with their number. */
export type Refusal = Static<typeof Refusal>;

const counts = {
  total: Nullable(Type.Integer(), {
    description: 'The number of licenses that matched at the beginning; null: more than 100,000.',
  }),
  changed: Type.Integer({ description: 'The number of licenses that were changed.' }),
  unchanged: Type.Integer({ description: 'The number of licenses that already were as the action makes them.' }),
  refused: Type.Integer({ description: 'The number of licenses that cannot be changed like this.' }),
  refusals: Type.Array(Refusal, { description: 'The reasons of the refusals, at most 20.' }),
};

const Change = Type.Object(
  {
    field: Type.String({ description: 'The field; `entitlements.` with a code for an override.' }),
    old: Type.Unknown({ description: 'The value before.' }),
    new: Type.Unknown({ description: 'The value after.' }),
  },
  { title: 'BulkChange', description: 'A changed field of a license.' },
);

const Example = Type.Object(
  {
    license_id: Uuid,
    key: Type.String(),
    holder: LicenseHolder,
    changes: Type.Array(Change),
  },
  { title: 'BulkExample', description: 'A license that would change.' },
);

const exampleCounts = {
  total: 42,
  changed: 40,
  unchanged: 0,
  refused: 2,
  refusals: [
    {
      code: 'LICENSE.TRANSITION_INVALID',
      message: 'The license has no expiry date. Set one instead of extending it.',
      count: 2,
    },
  ],
};

export const BulkPreview = Type.Object(
  {
    ...counts,
    examples: Type.Array(Example, { description: 'Up to five licenses that would change.' }),
    offline_until: Nullable(TimestampOut, {
      description: 'When the last certificate ends after `suspend` or `revoke`; null if none works.',
    }),
  },
  {
    title: 'BulkPreview',
    description: 'What an operation would do.',
    examples: [
      {
        ...exampleCounts,
        examples: [
          {
            license_id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f708',
            key: 'PRO-FR718-6TX3B-NM7TR-TKVYT-KMPJT',
            holder: { name: 'Ada Lovelace', email: 'ada@example.com', reference: null },
            changes: [{ field: 'expires_at', old: '2026-11-28T00:00:00.000000Z', new: '2026-12-28T00:00:00.000000Z' }],
          },
        ],
        offline_until: null,
      },
    ],
  },
);
export type BulkPreview = Static<typeof BulkPreview>;

const StoredAction = Type.Unsafe<BulkAction | { readonly type: 'undo' }>({
  type: 'object',
  title: 'BulkActionDone',
  description: 'The action as it was requested; `{ "type": "undo" }` for an undo.',
  additionalProperties: true,
  examples: [{ type: 'extend', duration_days: 30 }],
});

const StoredFilter = Type.Unsafe<BulkFilter>({
  type: 'object',
  title: 'BulkFilterUsed',
  description: 'The filters as they were requested.',
  additionalProperties: true,
});

export const BulkOperation = Type.Object(
  {
    id: Uuid,
    action: StoredAction,
    filter: Nullable(StoredFilter, { description: 'Null if the licenses were listed, and for an undo.' }),
    reason: Nullable(Type.String()),
    notify_holder: Type.Boolean(),
    state: Type.Union([Type.Literal('running'), Type.Literal('done'), Type.Literal('cancelled')], {
      title: 'BulkOperationState',
      description: '`cancelled`: what was changed until then is kept, and can be undone.',
    }),
    ...counts,
    undoes: Nullable(Uuid, { description: 'The operation whose changes this one takes back.' }),
    undone_by: Nullable(Uuid, { description: 'The operation that takes this one back.' }),
    created_at: TimestampOut,
    ended_at: Nullable(TimestampOut),
  },
  {
    title: 'BulkOperation',
    description: 'A change of many licenses, which a job makes.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f723',
        action: { type: 'extend', duration_days: 30 },
        filter: { status: 'active', expires_within_days: 14 },
        reason: 'Outage of 20 November',
        notify_holder: false,
        state: 'done',
        ...exampleCounts,
        undoes: null,
        undone_by: null,
        created_at: '2026-11-20T17:42:00.123456Z',
        ended_at: '2026-11-20T17:42:03.000000Z',
      },
    ],
  },
);
export type BulkOperation = Static<typeof BulkOperation>;

export const BulkOperationsQuery = PageQuery({});
export type BulkOperationsQuery = Static<typeof BulkOperationsQuery>;

/** The query of the file of changes. */
export const BulkChangesQuery = strictObject({ ...fileQuery });
