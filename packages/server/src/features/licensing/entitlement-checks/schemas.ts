import { type Static, Type } from 'typebox';
import { described, Nullable, strictObject, TimestampOut } from '../../../http/schema.ts';
import { EntitlementCode, entitlementsMax } from '../entitlements/grant-schemas.ts';

/** The entitlement codes of a request. */
export const EntitlementCodes = Type.Array(EntitlementCode, {
  maxItems: entitlementsMax,
  description: 'The codes of the entitlements to check.',
  examples: [['export']],
});

export const CheckEntitlements = strictObject(
  {
    entitlements: Type.Optional(
      described(EntitlementCodes, 'The codes of the entitlements to check. Default: all entitlements of the license.'),
    ),
  },
  {
    title: 'CheckEntitlements',
    description: 'Asks whether a license grants entitlements.',
    examples: [{ entitlements: ['export', 'renders'] }],
  },
);
export type CheckEntitlements = Static<typeof CheckEntitlements>;

const ofMetered = 'Null unless the entitlement is metered and granted';

/** The example of a check in the OpenAPI document. */
export const exampleCheck = {
  code: 'renders',
  type: 'metered',
  has_access: true,
  value: null,
  limit: 1000,
  usage: 250,
  remaining: 750,
  overage: 'deny',
  resets_at: '2026-12-01T00:00:00.000000Z',
  expires_at: null,
  source: 'policy',
  reason: null,
};

/** The result for one entitlement, in an entitlement check and in a verdict. */
export const EntitlementCheck = Type.Object(
  {
    code: Type.String(),
    type: Nullable(Type.String(), {
      description: '`boolean`, `value` or `metered`; null when neither policy nor license lists it.',
    }),
    has_access: Type.Boolean({ description: 'Whether the license may use the entitlement now.' }),
    value: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
      description: 'The granted value, if the type is `value`.',
    }),
    limit: Nullable(Type.Integer(), { description: 'The quantity per period; null: unlimited.' }),
    usage: Nullable(Type.Integer(), { description: `The quantity used in the current period. ${ofMetered}.` }),
    remaining: Nullable(Type.Integer(), {
      description:
        'The quantity left in the current period. Null unless the entitlement is metered, granted and limited.',
    }),
    overage: Nullable(Type.String(), { description: `\`deny\` or \`allow\`. ${ofMetered}.` }),
    resets_at: Nullable(TimestampOut, {
      description: 'The end of the current period; null: the counter never resets.',
    }),
    expires_at: Nullable(TimestampOut, { description: 'The end of the grant; null: the end of the license.' }),
    source: Nullable(Type.String(), { description: 'The origin of the grant: `license` or `policy`.' }),
    reason: Nullable(Type.String(), {
      description:
        'Null with access. Without access `ENTITLEMENT.NOT_GRANTED`, `ENTITLEMENT.EXPIRED`, ' +
        '`ENTITLEMENT.LIMIT_REACHED`, or the code of the verdict on the license.',
    }),
  },
  { title: 'EntitlementCheck', description: 'The access of a license to one entitlement.', examples: [exampleCheck] },
);

export const EntitlementChecks = Type.Object(
  { entitlements: Type.Array(EntitlementCheck, { description: 'One entry per code.' }) },
  {
    title: 'EntitlementChecks',
    description: 'One answer per entitlement.',
    examples: [{ entitlements: [exampleCheck] }],
  },
);
export type EntitlementChecks = Static<typeof EntitlementChecks>;
