import { Type } from 'typebox';
import { Nullable } from '../../../http/schema.ts';

export const entitlementCodePattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;
export const EntitlementCode = Type.String({ pattern: entitlementCodePattern.source });

/** A number that JavaScript, and so the caller's JSON, holds to the last digit when it is whole. */
const ExactNumber = Type.Number({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

/** What an entitlement gives, in a policy and in a license that overrides it. */
export const entitlementFields = {
  value: Type.Optional(
    Type.Union([Type.String({ maxLength: 1000 }), ExactNumber, Type.Boolean(), Type.Null()], {
      description: '`false` withholds it: how a license takes away what its policy grants.',
    }),
  ),
  limit: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 }))),
  reset: Type.Optional(
    Type.Union([
      Type.Literal('none'),
      Type.Literal('day'),
      Type.Literal('week'),
      Type.Literal('month'),
      Type.Literal('year'),
    ]),
  ),
  overage: Type.Optional(Type.Union([Type.Literal('deny'), Type.Literal('allow')])),
};

/** The most entitlements that one policy or license has. */
export const entitlementsMax = 200;
