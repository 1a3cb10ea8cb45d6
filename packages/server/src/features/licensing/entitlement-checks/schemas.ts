import { type Static, Type } from 'typebox';
import { Nullable, strictObject, TimestampOut } from '../../../http/schema.ts';
import { EntitlementCode, entitlementsMax } from '../entitlements/grant-schemas.ts';

/** The entitlement codes of a request. */
export const EntitlementCodes = Type.Array(EntitlementCode, { maxItems: entitlementsMax });

export const CheckEntitlements = strictObject({ entitlements: Type.Optional(EntitlementCodes) });
export type CheckEntitlements = Static<typeof CheckEntitlements>;

const ofMetered = 'Null unless the entitlement is metered and granted';

/** The result for one entitlement, in an entitlement check and in a verdict. */
export const EntitlementCheck = Type.Object({
  code: Type.String(),
  type: Nullable(
    Type.String({ description: '`boolean`, `value` or `metered`; null when neither policy nor license lists it.' }),
  ),
  has_access: Type.Boolean(),
  value: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
  limit: Nullable(Type.Integer({ description: 'Null: unlimited.' })),
  usage: Nullable(Type.Integer({ description: `The quantity used in the current period. ${ofMetered}.` })),
  remaining: Nullable(
    Type.Integer({
      description:
        'The quantity left in the current period. Null unless the entitlement is metered, granted and limited.',
    }),
  ),
  overage: Nullable(Type.String({ description: `\`deny\` or \`allow\`. ${ofMetered}.` })),
  resets_at: Nullable(TimestampOut),
  expires_at: Nullable(TimestampOut),
  source: Nullable(Type.String({ description: 'The origin of the grant: `license` or `policy`.' })),
  reason: Nullable(
    Type.String({
      description:
        'Null with access. Without access `ENTITLEMENT.NOT_GRANTED`, `ENTITLEMENT.EXPIRED`, ' +
        '`ENTITLEMENT.LIMIT_REACHED`, or the code of the verdict on the license.',
    }),
  ),
});

export const EntitlementChecks = Type.Object({ entitlements: Type.Array(EntitlementCheck) });
export type EntitlementChecks = Static<typeof EntitlementChecks>;
