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
} from './client.ts';
export type { LicensingCode, ProofReason, RefusalReason, SdkCode } from './codes.ts';
export { type ErrorDetail, LicensingError } from './error.ts';
export { type GuardEvents, LicenseGuard } from './guard/license-guard.ts';
export type { GuardClient, LicenseGuardOptions, StartOptions } from './guard/options.ts';
export type { GuardState, LicenseFacts } from './guard/state.ts';
export type { TrialUser } from './guard/trial.ts';
export type { UpdateCheck, UpdateQuestion } from './guard/update.ts';
export type { Jwks, PublicJwk } from './jws.ts';
export { ManagementClient, type ManagementClientOptions } from './management/client.ts';
export type {
  BackgroundImportOptions,
  ExportOptions,
  ImportContent,
  ImportOptions,
  RenewOptions,
  RevokeOptions,
  RotateKeyOptions,
  StatusOptions,
} from './management/licenses.ts';
export type { BulkChangeRequest } from './management/many-licenses.ts';
export type { FileOptions, List, Page } from './management/resource.ts';
export { messageFor } from './messages.ts';
export {
  type CertificateFile,
  type OfflineRequestOptions,
  offlineRequest,
  readCertificateFile,
} from './offline-files.ts';
export type { CallOptions, ConnectionOptions, CreateOptions, Fetch } from './request.ts';
export { memoryStore, type Store } from './stores/store.ts';
export { type WebStorage, webStore } from './stores/web-store.ts';
export type { Timers } from './timers.ts';
export type { UnknownWebhookEvent } from './unknown-webhook-event.ts';
export {
  type FlushResult,
  type RefusedUsage,
  UsageRecorder,
  type UsageRecorderEvents,
  type UsageRecorderOptions,
} from './usage-recorder.ts';
export { type VerdictClaims, type VerifiedVerdict, type VerifyVerdictOptions, verifyVerdict } from './verdict-proof.ts';
export { type VerifyWebhookOptions, verifyWebhook, type WebhookHeaders } from './webhook.ts';
