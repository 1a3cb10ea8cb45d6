import { type Static, Type } from 'typebox';
import { Nullable } from '../../../http/schema.ts';
import { EntitlementCheck } from '../entitlement-checks/schemas.ts';

const { code, type, value, limit, expires_at } = EntitlementCheck.properties;

/** The claims of an offline certificate. */
export const CertificateClaims = Type.Object(
  {
    iss: Type.String({ description: 'The `PUBLIC_URL` of the service.' }),
    aud: Type.String({ description: 'The id of the tenant.' }),
    sub: Type.String({ description: 'The id of the license.' }),
    iat: Type.Integer({ description: 'When the certificate was issued, in seconds since 1970.' }),
    nbf: Type.Integer({ description: 'Refuse the certificate before this time, in seconds since 1970.' }),
    exp: Type.Integer({ description: 'Refuse the certificate after this time, in seconds since 1970.' }),
    jti: Type.String({ description: 'The id of the certificate.' }),
    key_hint: Type.String({ description: 'The masked key of the license.' }),
    product: Type.String({ description: 'The code of the product.' }),
    policy: Type.String({ description: 'The code of the policy.' }),
    fingerprint: Nullable(Type.String({ description: 'The device; null: the certificate names none.' })),
    entitlements: Type.Array(Type.Object({ code, type, value, limit, expires_at }, { title: 'CertifiedEntitlement' }), {
      description: 'The granted entitlements. Each ends at its own `expires_at`.',
    }),
  },
  { title: 'CertificateClaims', description: 'The claims of an offline certificate: a JWS of type `license+jwt`.' },
);
export type CertificateClaims = Static<typeof CertificateClaims>;
