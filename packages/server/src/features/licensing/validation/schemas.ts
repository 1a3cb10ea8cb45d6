import { type Static, Type } from 'typebox';
import { Nullable, strictObject, TimestampIn, TimestampOut } from '../../../http/schema.ts';
import { Activation, Fingerprint } from '../activations/schemas.ts';
import { EntitlementCheck, EntitlementCodes } from '../entitlement-checks/schemas.ts';
import { License } from '../licenses/schemas.ts';

export const ValidateLicense = strictObject({
  product: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The id or the code of the product that the license must belong to.',
    }),
  ),
  fingerprint: Type.Optional(Fingerprint),
  entitlements: Type.Optional(EntitlementCodes),
  version_released_at: Type.Optional(TimestampIn),
  nonce: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'The response contains it unchanged. With `proof` it is required and has 16 to 128 characters.',
    }),
  ),
  proof: Type.Optional(Type.Boolean({ description: 'Whether the verdict shall be signed.' })),
});
export type ValidateLicense = Static<typeof ValidateLicense>;

/** The license of a verdict: the license as the tenant's API presents it, with its effective limit of activations. */
const JudgedLicense = Type.Object({
  ...License.properties,
  max_activations: Nullable(
    Type.Integer({ description: "The effective limit: the license's own, otherwise its policy's. Null: unlimited." }),
  ),
});

export const Verdict = Type.Object({
  valid: Type.Boolean(),
  code: Type.String({ description: 'The reason for the verdict. `LICENSE.VALID`: valid without restrictions.' }),
  detail: Type.String(),
  checked_at: TimestampOut,
  nonce: Nullable(Type.String()),
  license: Nullable(JudgedLicense),
  activation: Nullable(Activation),
  entitlements: Type.Array(EntitlementCheck),
  proof: Type.Optional(
    Type.String({
      description:
        'The signed verdict, if the request asked for it: a compact JWS (EdDSA) of type `verdict+jwt`. Verify it with ' +
        'the JWK Set of the tenant, and compare its claims with the question, first of all the `nonce`.',
    }),
  ),
});
export type Verdict = Static<typeof Verdict>;
