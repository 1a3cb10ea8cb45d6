export type * from './api-types.ts';
export {
  type CertificateClaims,
  type CertificateVerdict,
  type CertifiedLicense,
  type VerifyCertificateOptions,
  verifyCertificate,
} from './certificate.ts';
export {
  type Deleted,
  LicensingClient,
  type LicensingClientOptions,
  type ReportedUsage,
  type ValidateOptions,
} from './client.ts';
export { type ErrorDetail, LicensingError } from './error.ts';
export type { Jwks, PublicJwk } from './jws.ts';
export type { CallOptions, ConnectionOptions, CreateOptions, Fetch } from './request.ts';
