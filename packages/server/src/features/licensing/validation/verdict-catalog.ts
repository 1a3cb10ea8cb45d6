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

/** A code of a verdict with its meaning. */
export interface VerdictCatalogEntry {
  readonly code: VerdictCode;
  /** Whether verdicts with this code are valid; `policy`: the policy of the license decides. */
  readonly valid: boolean | 'policy';
  /** What the code says: one sentence. */
  readonly meaning: string;
  /** What the application or the vendor does next: one sentence. */
  readonly remedy: string;
}

type Row = readonly [valid: VerdictCatalogEntry['valid'], meaning: string, remedy: string];

const rows: Readonly<Record<VerdictCode, Row>> = {
  'LICENSE.VALID': [true, 'The license is valid.', 'Unlock the product.'],
  'LICENSE.IN_GRACE': [
    true,
    'The license has expired and is in its grace period.',
    'Unlock the product, and remind the customer to renew.',
  ],
  'LICENSE.EXPIRED': [
    'policy',
    'The license has expired. The verdict is valid if the policy allows expired licenses.',
    'Renew the license.',
  ],
  'LICENSE.NOT_FOUND': [false, 'No license has this key.', 'Ask the customer to check the key.'],
  'LICENSE.REVOKED': [false, 'The license was revoked permanently.', 'Issue another license.'],
  'LICENSE.SUSPENDED': [false, 'The license is suspended.', 'The vendor can reinstate it.'],
  'LICENSE.NOT_STARTED': [false, 'The license starts later: see `starts_at`.', 'Wait until it starts.'],
  'LICENSE.PRODUCT_MISMATCH': [false, 'The license is for another product.', 'Use a license of this product.'],
  'LICENSE.MAINTENANCE_EXPIRED': [
    false,
    'This version was released after the maintenance expired: see `maintenance_expires_at`.',
    'Renew the license, or use an older version.',
  ],
  'ACTIVATION.FINGERPRINT_REQUIRED': [
    false,
    'The license must be activated per device, and the request names none.',
    'Send the fingerprint of the device.',
  ],
  'ACTIVATION.NOT_FOUND': [false, 'This fingerprint is not activated.', 'Activate the device.'],
  'ACTIVATION.LEASE_EXPIRED': [
    false,
    'The lease of the activation ended without a heartbeat.',
    'Activate the device again.',
  ],
  'ACTIVATION.LIMIT_EXCEEDED': [
    'policy',
    'More devices are activated than the license has seats. The verdict is valid if the policy allows the overage.',
    'Deactivate devices, or raise `max_activations`.',
  ],
  'ENTITLEMENT.NOT_GRANTED': [
    false,
    'The license does not grant every requested entitlement: see `entitlements`.',
    'Offer an upgrade, or grant the entitlement.',
  ],
};

/** Every code of a verdict: the source of the reference and of the guides. */
export const verdictCatalog: readonly VerdictCatalogEntry[] = (Object.keys(rows) as VerdictCode[]).map((code) => {
  const [valid, meaning, remedy] = rows[code];
  return { code, valid, meaning, remedy };
});
