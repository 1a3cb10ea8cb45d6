import { type Static, Type } from 'typebox';
import {
  described,
  Nullable,
  PageQuery,
  strictObject,
  TimestampOut,
  Uuid,
  withDefaults,
} from '../../../http/schema.ts';

/** The key of a flag. The pattern allows only characters that clients can put into a URL without escaping. */
const FlagKey = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
  description:
    'The unique key with which applications evaluate the flag: letters, digits, dots, hyphens and underscores.',
  examples: ['new-editor'],
});

/** The schema accepts any object. `definitionProblems` checks the content and reports every mistake with its path. */
const Definition = Type.Unsafe<Record<string, unknown>>({
  title: 'FlagDefinition',
  type: 'object',
  additionalProperties: true,
  description:
    'A flag definition in the format of flagd (https://flagd.dev/reference/flag-definitions/): `state` ENABLED or ' +
    'DISABLED, `variants` of one type, and optionally `defaultVariant` (absent or null: the default value in the ' +
    "application's code), `targeting` and `metadata`. At most 32 KiB. `$ref` and `$evaluators` are refused, because a " +
    'rule cannot refer to another flag.',
  examples: [
    { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'off' },
    {
      state: 'ENABLED',
      variants: { red: '#f00', blue: '#00f' },
      defaultVariant: 'red',
      targeting: { if: [{ in: [{ var: 'plan' }, ['team', 'business']] }, 'blue'] },
    },
  ],
});

const descriptionText = 'A note for the admins of the platform.';

const fields = {
  key: FlagKey,
  description: Nullable(Type.String({ maxLength: 2000 }), { description: descriptionText }),
  definition: Definition,
};

const exampleFlag = {
  key: 'new-editor',
  description: 'The new editor, for paying tenants.',
  definition: { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'off' },
};

/** A feature flag as admins see it. */
export const FeatureFlag = Type.Object(
  {
    id: Uuid,
    key: Type.String({ description: 'The unique key with which applications evaluate the flag.' }),
    description: Nullable(Type.String(), { description: descriptionText }),
    definition: Definition,
    created_at: TimestampOut,
    updated_at: TimestampOut,
  },
  {
    title: 'FeatureFlag',
    description: 'A flag that applications evaluate for a tenant.',
    examples: [
      {
        id: '019a9b54-8100-7387-8498-6fa9b0c1d2e3',
        ...exampleFlag,
        created_at: '2026-11-20T17:42:00.123456Z',
        updated_at: '2026-11-20T17:42:00.123456Z',
      },
    ],
  },
);
export type FeatureFlag = Static<typeof FeatureFlag>;

/** The body of a request that creates a flag. */
export const CreateFeatureFlag = strictObject(
  withDefaults(
    { key: fields.key, description: Type.Optional(fields.description), definition: fields.definition },
    { description: null },
  ),
  { title: 'CreateFeatureFlag', examples: [exampleFlag] },
);
export type CreateFeatureFlag = Static<typeof CreateFeatureFlag>;

/** The body of a change of a flag. Absent fields do not change. */
export const UpdateFeatureFlag = strictObject(
  {
    key: Type.Optional(fields.key),
    description: Type.Optional(fields.description),
    definition: Type.Optional(fields.definition),
  },
  { title: 'UpdateFeatureFlag', examples: [{ description: null }] },
);
export type UpdateFeatureFlag = Static<typeof UpdateFeatureFlag>;

/** The query of the list of flags. */
export const FeatureFlagsQuery = PageQuery({ key: Type.Optional(described(FlagKey, 'The complete key.')) });
export type FeatureFlagsQuery = Static<typeof FeatureFlagsQuery>;
