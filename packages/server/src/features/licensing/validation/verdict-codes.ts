import type { LicenseDenial } from '../licenses/license-usability.ts';

/** Why a verdict is not valid. */
export type DenialCode =
  | 'LICENSE.NOT_FOUND'
  | LicenseDenial
  | 'LICENSE.PRODUCT_MISMATCH'
  | 'LICENSE.MAINTENANCE_EXPIRED'
  | 'ACTIVATION.FINGERPRINT_REQUIRED'
  | 'ACTIVATION.NOT_FOUND'
  | 'ACTIVATION.LEASE_EXPIRED'
  | 'ACTIVATION.LIMIT_EXCEEDED'
  | 'ENTITLEMENT.NOT_GRANTED';

/** Every code of a verdict. `LICENSE.EXPIRED` and `ACTIVATION.LIMIT_EXCEEDED` also occur on valid verdicts. */
export type VerdictCode = DenialCode | 'LICENSE.IN_GRACE' | 'LICENSE.VALID';
