import { type Static, Type } from 'typebox';
import { described, Nullable, strictObject, TimestampOut } from '../../../http/schema.ts';
import { deviceFields, Fingerprint } from '../activations/schemas.ts';
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
    entitlements: Type.Array(
      Type.Object(
        { code, type, value, limit, expires_at },
        { title: 'CertifiedEntitlement', description: 'An entitlement in a certificate.' },
      ),
      {
        description: 'The granted entitlements. Each ends at its own `expires_at`.',
      },
    ),
    license_expires_at: Nullable(TimestampOut, {
      description: 'When the license ends, without its grace period; null: never. The certificate may end earlier.',
    }),
    maintenance_expires_at: Nullable(TimestampOut, {
      description: 'The license does not cover releases after this time; null: it covers every release.',
    }),
    holder_name: Nullable(Type.String(), {
      description: 'The name of the holder: personal data that everybody who has the certificate can read.',
    }),
    seats: Nullable(Type.Integer(), {
      description: "The effective limit of activations: the license's own, otherwise its policy's. Null: unlimited.",
    }),
  },
  { title: 'CertificateClaims', description: 'The claims of an offline certificate: a JWS of type `license+jwt`.' },
);
export type CertificateClaims = Static<typeof CertificateClaims>;

export const IssueCertificate = strictObject(
  {
    fingerprint: Type.Optional(
      described(Fingerprint, 'Binds the certificate to this device, which must be active if the policy requires it.'),
    ),
    components: deviceFields.components,
    ttl_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000_000,
        description: "Seconds of validity, at most the policy's `offline_ttl_seconds_max`. That is also the default.",
        examples: [86_400],
      }),
    ),
  },
  {
    title: 'IssueCertificate',
    description: 'Requests a certificate, which an application verifies without a network.',
    examples: [{ fingerprint: '5f8c1e0b7a2d4936', ttl_seconds: 86_400 }],
  },
);
export type IssueCertificate = Static<typeof IssueCertificate>;

export const Certificate = Type.Object(
  {
    certificate: Type.String({
      contentMediaType: 'application/jwt',
      contentSchema: CertificateClaims,
      description: 'A compact JWS (EdDSA) of type `license+jwt`.',
    }),
    expires_at: described(TimestampOut, 'The end of the certificate.'),
  },
  {
    title: 'Certificate',
    description: 'A license that can be checked without a network.',
    examples: [
      {
        certificate: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImxpY2Vuc2Urand0Iiwia2lkIjoi4oCmIn0.eyJpc3MiOiLigKYifQ.c2lnbmF0dXJl',
        expires_at: '2026-11-22T08:15:30.000000Z',
      },
    ],
  },
);
export type Certificate = Static<typeof Certificate>;
