import { type Static, Type } from 'typebox';

/** An Ed25519 public key as a JWK (RFC 8037, section 2). */
const PublicJwk = Type.Object(
  {
    kty: Type.Literal('OKP'),
    crv: Type.Literal('Ed25519'),
    x: Type.String({ description: 'The public key, base64url.' }),
    kid: Type.String({ description: 'The thumbprint of the key (RFC 7638).' }),
    alg: Type.Literal('EdDSA'),
    use: Type.Literal('sig'),
  },
  { title: 'JsonWebKey', description: 'An Ed25519 public key (RFC 8037).' },
);
export type PublicJwk = Static<typeof PublicJwk>;

/** A JWK Set (RFC 7517, section 5). */
export const Jwks = Type.Object(
  { keys: Type.Array(PublicJwk) },
  {
    title: 'JsonWebKeySet',
    description: 'The public signing keys of a tenant (RFC 7517). During a rotation it contains the old key as well.',
    examples: [
      {
        keys: [
          {
            kty: 'OKP',
            crv: 'Ed25519',
            x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
            kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
            alg: 'EdDSA',
            use: 'sig',
          },
        ],
      },
    ],
  },
);

/** `tenantId` has no pattern, so that a malformed id gets the same 404 as an unknown one. */
export const JwksParams = Type.Object({ tenantId: Type.String({ description: 'The id of the tenant.' }) });
