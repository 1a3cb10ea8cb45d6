import { type Static, Type } from 'typebox';
import { strictObject, TimestampOut } from '../../../http/schema.ts';
import { Fingerprint } from '../activations/schemas.ts';

export const IssueCertificate = strictObject({
  fingerprint: Type.Optional(Fingerprint),
  ttl_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000_000,
      description: "Seconds of validity, at most the policy's `offline_ttl_seconds_max`. That is also the default.",
    }),
  ),
});
export type IssueCertificate = Static<typeof IssueCertificate>;

export const Certificate = Type.Object({
  certificate: Type.String({ description: 'A compact JWS (EdDSA) of type `license+jwt`.' }),
  expires_at: TimestampOut,
});
export type Certificate = Static<typeof Certificate>;
