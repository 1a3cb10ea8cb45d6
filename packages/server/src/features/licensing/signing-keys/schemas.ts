import { type Static, Type } from 'typebox';

/** An Ed25519 key as RFC 8037 writes it. */
const PublicJwk = Type.Object({
  kty: Type.Literal('OKP'),
  crv: Type.Literal('Ed25519'),
  x: Type.String({ description: 'The public key, base64url.' }),
  kid: Type.String({ description: 'The thumbprint of the key (RFC 7638).' }),
  alg: Type.Literal('EdDSA'),
  use: Type.Literal('sig'),
});
export type PublicJwk = Static<typeof PublicJwk>;

/** A JWK Set (RFC 7517, section 5). */
export const Jwks = Type.Object({ keys: Type.Array(PublicJwk) });

export const JwksParams = Type.Object({ tenantId: Type.String() });
