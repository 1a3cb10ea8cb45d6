import { type Static, Type } from 'typebox';
import { Nullable } from '../../../http/schema.ts';
import { type VerdictCode, verdictCatalog } from './verdict-catalog.ts';

/** The code of a verdict. */
export const VerdictCodeName = Type.Unsafe<VerdictCode>({
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
    code: VerdictCodeName,
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
