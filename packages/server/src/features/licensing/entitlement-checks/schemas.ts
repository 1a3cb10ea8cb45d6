import { type Static, Type } from 'typebox';
import { Nullable, strictObject, TimestampOut } from '../../../http/schema.ts';
import { EntitlementCode, entitlementsMax } from '../entitlements/grant-schemas.ts';

/** The codes that a question names. */
export const EntitlementCodes = Type.Array(EntitlementCode, { maxItems: entitlementsMax });

export const CheckEntitlements = strictObject({ entitlements: Type.Optional(EntitlementCodes) });
export type CheckEntitlements = Static<typeof CheckEntitlements>;

const ofMetered = 'Null unless the entitlement is metered and granted';

/** What a license says about one entitlement, in a check and in a verdict. */
export const EntitlementCheck = Type.Object({
  code: Type.String(),
  type: Nullable(
    Type.String({ description: '`boolean`, `value` or `metered`; null when neither policy nor license names it.' }),
  ),
  has_access: Type.Boolean(),
  value: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
  limit: Nullable(Type.Integer({ description: 'Null: any quantity.' })),
  usage: Nullable(Type.Integer({ description: `What was used in the period that runs. ${ofMetered}.` })),
  remaining: Nullable(Type.Integer({ description: `${ofMetered}, and without a limit.` })),
  overage: Nullable(Type.String({ description: `\`deny\` or \`allow\`. ${ofMetered}.` })),
  resets_at: Nullable(TimestampOut),
  expires_at: Nullable(TimestampOut),
  source: Nullable(Type.String({ description: '`license` or `policy`.' })),
  reason: Nullable(
    Type.String({
      description:
        'Null with access; else `ENTITLEMENT.NOT_GRANTED`, `ENTITLEMENT.EXPIRED`, `ENTITLEMENT.LIMIT_REACHED`, or ' +
        'the code of the verdict on the license.',
    }),
  ),
});

export const EntitlementChecks = Type.Object({ entitlements: Type.Array(EntitlementCheck) });
export type EntitlementChecks = Static<typeof EntitlementChecks>;
