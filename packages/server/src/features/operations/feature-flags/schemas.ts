import { type Static, Type } from 'typebox';
import { Nullable, PageQuery, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';

/** Clients put it into URLs as it is. */
const FlagKey = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
  description: 'Unique: what applications ask for. Letters, digits, dots, hyphens and underscores.',
});

/** What is in it is checked where it is written, so that every mistake is told with its path. */
const Definition = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description:
    "A flag in flagd's own words (https://flagd.dev/reference/flag-definitions/): `state` ENABLED or DISABLED, " +
    '`variants` of one type, `defaultVariant` (null: the value in the code that asks), and optionally `targeting` and ' +
    '`metadata`. At most 32 KiB. A rule stands alone: `$ref` and `$evaluators` are refused.',
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

const fields = {
  key: FlagKey,
  description: Nullable(Type.String({ maxLength: 2000 })),
  definition: Definition,
};

export const FeatureFlag = Type.Object({
  id: Uuid,
  key: Type.String(),
  description: Nullable(Type.String()),
  definition: Type.Record(Type.String(), Type.Unknown()),
  created_at: TimestampOut,
  updated_at: TimestampOut,
});
export type FeatureFlag = Static<typeof FeatureFlag>;

export const CreateFeatureFlag = strictObject({
  key: fields.key,
  description: Type.Optional(fields.description),
  definition: fields.definition,
});
export type CreateFeatureFlag = Static<typeof CreateFeatureFlag>;

export const UpdateFeatureFlag = strictObject({
  key: Type.Optional(fields.key),
  description: Type.Optional(fields.description),
  definition: Type.Optional(fields.definition),
});
export type UpdateFeatureFlag = Static<typeof UpdateFeatureFlag>;

export const FeatureFlagsQuery = PageQuery({ key: Type.Optional(FlagKey) });
export type FeatureFlagsQuery = Static<typeof FeatureFlagsQuery>;
