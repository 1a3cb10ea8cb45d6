import { Type } from 'typebox';
import { Nullable } from '../../../http/schema.ts';

/** 1 to 64 characters: letters, digits and `._:-`, the first one a letter or a digit. */
export const entitlementCodePattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;
/** The schema of an entitlement code. */
export const EntitlementCode = Type.String({
  title: 'EntitlementCode',
  pattern: entitlementCodePattern.source,
  description: 'The code of an entitlement: letters, digits and `._:-`.',
  examples: ['export'],
});

/** A number in the safe integer range of JavaScript, so that JSON parsers keep every digit of an integer. */
const ExactNumber = Type.Number({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

/** The fields of a grant, in a policy and in a license that overrides it. */
export const entitlementFields = {
  value: Type.Optional(
    Type.Union([Type.String({ maxLength: 1000 }), ExactNumber, Type.Boolean(), Type.Null()], {
      description:
        'The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants.',
    }),
  ),
  limit: Type.Optional(
    Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 }), {
      description: 'The quantity that may be used per period; null: unlimited. Only for metered entitlements.',
    }),
  ),
  reset: Type.Optional(
    Type.Union(
      [Type.Literal('none'), Type.Literal('day'), Type.Literal('week'), Type.Literal('month'), Type.Literal('year')],
      {
        title: 'ResetPeriod',
        description:
          "The period of the counter, in the tenant's time zone; `none`: it never resets, which is the default of a policy.",
      },
    ),
  ),
  overage: Type.Optional(
    Type.Union([Type.Literal('deny'), Type.Literal('allow')], {
      title: 'OverageMode',
      description: 'Whether usage above the limit is refused or counted. A policy refuses it by default.',
    }),
  ),
};

/** The maximum number of entitlements of one policy or license. */
export const entitlementsMax = 200;
