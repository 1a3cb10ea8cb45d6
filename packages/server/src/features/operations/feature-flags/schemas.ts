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
    'A definition of flagd (https://flagd.dev/reference/flag-definitions/): `state` ENABLED or DISABLED, `variants` of ' +
    "one type, and optionally `defaultVariant` (absent or null: the application's own value), `targeting` and " +
    '`metadata`. At most 32 KiB, without `$ref` and `$evaluators`.',
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
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f727',
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
  {
    title: 'CreateFeatureFlag',
    description: 'A new feature flag, with a definition in the format of flagd.',
    examples: [exampleFlag],
  },
);
export type CreateFeatureFlag = Static<typeof CreateFeatureFlag>;

/** The body of a change of a flag. Absent fields do not change. */
export const UpdateFeatureFlag = strictObject(
  {
    key: Type.Optional(fields.key),
    description: Type.Optional(fields.description),
    definition: Type.Optional(fields.definition),
  },
  {
    title: 'UpdateFeatureFlag',
    description: 'The fields of a feature flag to change.',
    examples: [{ description: null }],
  },
);
export type UpdateFeatureFlag = Static<typeof UpdateFeatureFlag>;

/** The body of a trial of a definition. */
export const TryFeatureFlag = strictObject(
  {
    definition: Definition,
    tenant_id: described(Uuid, 'The tenant for which the definition is evaluated.'),
    context: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'What the rules can refer to, as an application would send it. At most 16 KiB.',
      }),
    ),
  },
  {
    title: 'TryFeatureFlag',
    description: 'Evaluates a definition without storing it.',
    examples: [
      {
        definition: exampleFlag.definition,
        tenant_id: '019a9b00-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
        context: { country: 'gb' },
      },
    ],
  },
);
export type TryFeatureFlag = Static<typeof TryFeatureFlag>;

/** The result of a trial: what OFREP would answer. */
export const FeatureFlagTrial = Type.Object(
  {
    value: Type.Unknown({ description: "The value of the flag; null if the application's default applies." }),
    variant: Nullable(Type.String(), { description: 'The name of the chosen variant.' }),
    reason: Type.String({
      description: 'STATIC, TARGETING_MATCH, DEFAULT (no rule matched), DISABLED, or ERROR.',
    }),
    error: Nullable(Type.String(), { description: 'Why the rules could not be evaluated.' }),
    context: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'The complete context, with `targetingKey`, `tenant_id` and `plan` of the tenant.',
    }),
  },
  { title: 'FeatureFlagTrial', description: 'The result of a feature flag for the given context.' },
);
export type FeatureFlagTrial = Static<typeof FeatureFlagTrial>;

/** The query of the list of flags. */
export const FeatureFlagsQuery = PageQuery({ key: Type.Optional(described(FlagKey, 'The complete key.')) });
export type FeatureFlagsQuery = Static<typeof FeatureFlagsQuery>;
