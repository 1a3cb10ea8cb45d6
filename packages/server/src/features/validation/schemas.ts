import { type Static, Type } from 'typebox';
import { Nullable, strictObject, TimestampIn, TimestampOut } from '../../http/schema.ts';
import { Activation, Fingerprint } from '../activations/schemas.ts';
import { EntitlementCode, entitlementsMax } from '../entitlements/grant-schemas.ts';
import { License } from '../licenses/schemas.ts';

export const ValidateLicense = strictObject({
  product: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: "The id or the code of the license's product." }),
  ),
  fingerprint: Type.Optional(Fingerprint),
  entitlements: Type.Optional(Type.Array(EntitlementCode, { maxItems: entitlementsMax })),
  version_released_at: Type.Optional(TimestampIn),
  nonce: Type.Optional(Type.String({ maxLength: 255, description: 'Comes back as it is.' })),
});
export type ValidateLicense = Static<typeof ValidateLicense>;

export const Verdict = Type.Object({
  valid: Type.Boolean(),
  code: Type.String({ description: 'Why; `LICENSE.VALID` when there is nothing else to say.' }),
  detail: Type.String(),
  checked_at: TimestampOut,
  nonce: Nullable(Type.String()),
  license: Nullable(License),
  activation: Nullable(Activation),
  entitlements: Type.Array(
    Type.Object({
      code: Type.String(),
      has_access: Type.Boolean(),
      value: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
      limit: Nullable(Type.Integer()),
      expires_at: Nullable(TimestampOut),
      source: Nullable(Type.String({ description: '`license` or `policy`.' })),
      reason: Nullable(Type.String({ description: 'Null with access.' })),
    }),
  ),
});
export type Verdict = Static<typeof Verdict>;
