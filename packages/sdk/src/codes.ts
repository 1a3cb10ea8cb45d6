import type { ErrorCode, VerdictCode } from './api-types.ts';

/** Why a signed statement, a certificate or a proof, is refused. */
export type RefusalReason =
  | 'MALFORMED'
  | 'ALGORITHM_REFUSED'
  | 'TYPE_REFUSED'
  | 'KEY_UNKNOWN'
  | 'SIGNATURE_INVALID'
  | 'ISSUER_MISMATCH'
  | 'AUDIENCE_MISMATCH'
  | 'NOT_YET_VALID'
  | 'EXPIRED'
  | 'FINGERPRINT_MISMATCH'
  | 'PRODUCT_MISMATCH';

/** Why a proof is refused besides. */
export type ProofReason = 'MISSING' | 'NONCE_MISMATCH' | 'QUESTION_MISMATCH' | 'VERDICT_MISMATCH';

/** A code that this package makes, or a reason inside a successful response. */
export type SdkCode =
  | `CERTIFICATE.${RefusalReason}`
  | `PROOF.${RefusalReason | ProofReason}`
  | 'NETWORK.UNREACHABLE'
  | 'NETWORK.TIMEOUT'
  | 'NETWORK.ABORTED'
  | 'RESPONSE.INVALID'
  | 'CONFIGURATION.INVALID'
  | 'WEBHOOK.MALFORMED'
  | 'WEBHOOK.SIGNATURE_INVALID'
  | 'WEBHOOK.TIMESTAMP_OUTSIDE_TOLERANCE'
  | 'WEBHOOK.HANDLER_FAILED'
  | 'FINGERPRINT.UNAVAILABLE'
  | 'CERTIFICATE_FILE.INVALID'
  | 'CERTIFICATE_FILE.OTHER_LICENSE'
  | 'CERTIFICATE_FILE.TOO_OLD'
  | 'CLOCK.SET_BACK'
  | 'GUARD.NOT_STARTED'
  | 'GUARD.CHECKING'
  | 'GUARD.FAILED'
  | 'GUARD.STOPPED'
  | 'LICENSE.KEY_MISSING'
  | 'STORE.IN_USE'
  | 'STORE.FOREIGN'
  | 'STORE.UNREADABLE'
  | 'STORE.FAILED'
  | 'RECORDER.FAILED'
  | 'USAGE.BUFFER_FULL'
  | 'USAGE.RECORDER_CLOSED'
  | 'USAGE.OUT_OF_WINDOW'
  | 'USAGE.TOTAL_TOO_LARGE'
  | 'ENTITLEMENT.LIMIT_REACHED'
  | 'ENTITLEMENT.EXPIRED';

/** Every code of the service and of this package. Later versions of the service add codes: accept unknown ones. */
export type LicensingCode = ErrorCode | VerdictCode | SdkCode | (string & {});
