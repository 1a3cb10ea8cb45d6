import type { ErrorCode } from '../../../lib/error-codes.ts';

/** The codes with which a file is refused. */
export const refusals = [
  'RELEASE.NOT_FOUND',
  'LICENSE.NOT_FOUND',
  'LICENSE.REVOKED',
  'LICENSE.SUSPENDED',
  'LICENSE.NOT_STARTED',
  'LICENSE.EXPIRED',
  'LICENSE.PRODUCT_MISMATCH',
  'LICENSE.MAINTENANCE_EXPIRED',
  'ENTITLEMENT.NOT_GRANTED',
] as const satisfies readonly ErrorCode[];
