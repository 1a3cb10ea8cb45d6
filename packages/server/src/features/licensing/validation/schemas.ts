import { type Static, Type } from 'typebox';
import { Nullable, strictObject, TimestampIn, TimestampOut } from '../../../http/schema.ts';
import { Activation, Fingerprint } from '../activations/schemas.ts';
import { EntitlementCheck, EntitlementCodes } from '../entitlement-checks/schemas.ts';
import { License } from '../licenses/schemas.ts';
import { verdictCatalog } from './verdict-catalog.ts';
import type { VerdictCode } from './verdict-codes.ts';

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

const Code = Type.Unsafe<VerdictCode>({
  type: 'string',
  title: 'VerdictCode',
  enum: verdictCatalog.map(({ code }) => code),
  description:
    'The reason for a verdict. `LICENSE.VALID`: valid without restrictions. Later versions add codes: accept unknown ' +
    'ones, and let `valid` decide.',
});

/** The claims of a signed verdict, the JWS in `proof`. */
export const VerdictClaims = Type.Object(
  {
    iss: Type.String({ description: 'The `PUBLIC_URL` of the service.' }),
    aud: Type.String({ description: 'The id of the tenant.' }),
    sub: Nullable(Type.String({ description: 'The id of the license; null when no license has the key.' })),
    iat: Type.Integer({ description: 'When the verdict was signed, in seconds since 1970.' }),
    exp: Type.Integer({ description: 'Refuse the proof after this time, in seconds since 1970.' }),
    nonce: Nullable(Type.String({ description: 'The nonce of the question. Compare it with yours.' })),
    valid: Type.Boolean(),
    code: Code,
    key_hint: Type.String({ description: 'The masked key of the question.' }),
    product: Nullable(Type.String({ description: "The code of the license's product." })),
    fingerprint: Nullable(Type.String({ description: 'The fingerprint of the question.' })),
    entitlements: Type.Optional(
      Type.Array(Type.String(), { description: 'The entitlements of the question; absent if it had none.' }),
    ),
    version_released_at: Type.Optional(
      Type.String({ description: 'The release time of the question; absent if it had none.' }),
    ),
  },
  { title: 'VerdictClaims', description: 'The claims of a signed verdict: a JWS of type `verdict+jwt`.' },
);
export type VerdictClaims = Static<typeof VerdictClaims>;

export const Verdict = Type.Object({
  valid: Type.Boolean(),
  code: Code,
  detail: Type.String(),
  checked_at: TimestampOut,
  nonce: Nullable(Type.String()),
  license: Nullable(JudgedLicense),
  activation: Nullable(Activation),
  entitlements: Type.Array(EntitlementCheck),
  proof: Type.Optional(
    Type.String({
      contentMediaType: 'application/jwt',
      contentSchema: VerdictClaims,
      description:
        'The signed verdict, if the request asked for it: a compact JWS (EdDSA) of type `verdict+jwt`. Verify it with ' +
        'the JWK Set of the tenant, and compare its claims with the question, first of all the `nonce`.',
    }),
  ),
});
export type Verdict = Static<typeof Verdict>;
