import { type Static, Type } from 'typebox';
import { Nullable } from '../../../http/schema.ts';
import type { LicenseDenial } from '../licenses/license-status.ts';

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
interface VerdictCatalogEntry {
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
  'LICENSE.SUSPENDED': [false, 'The license is suspended.', 'Ask the vendor to reinstate it.'],
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
    'The lease of the device ended without a heartbeat.',
    'Activate the device again.',
  ],
  'ACTIVATION.LIMIT_EXCEEDED': [
    'policy',
    'More devices are activated than the license allows. The verdict is valid if the policy allows the overage.',
    'Release devices, which is always possible while they are refused, or raise `max_activations`.',
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

/** The code of a verdict. */
export const VerdictCodeName = Type.Unsafe<VerdictCode>({
  type: 'string',
  title: 'VerdictCode',
  enum: verdictCatalog.map(({ code }) => code),
  description:
    'The reason for a verdict. `LICENSE.VALID`: valid without restrictions. Later versions add codes: accept unknown ' +
    'ones, and let `valid` decide.',
});

/** The claims of a signed verdict, the JWS in `proof`. */
export const VerdictClaims = Type.Object(
  {
    iss: Type.String({ description: 'The `PUBLIC_URL` of the service.' }),
    aud: Type.String({ description: 'The id of the tenant.' }),
    sub: Nullable(Type.String({ description: 'The id of the license; null when no license has the key.' })),
    iat: Type.Integer({ description: 'When the verdict was signed, in seconds since 1970.' }),
    exp: Type.Integer({ description: 'Refuse the proof after this time, in seconds since 1970.' }),
    nonce: Nullable(Type.String({ description: 'The nonce of the question. Compare it with yours.' })),
    valid: Type.Boolean(),
    code: VerdictCodeName,
    key_hint: Type.String({ description: 'The masked key of the question.' }),
    product: Nullable(Type.String({ description: "The code of the license's product." })),
    fingerprint: Nullable(Type.String({ description: 'The fingerprint of the question.' })),
    entitlements: Type.Optional(
      Type.Array(Type.String(), { description: 'The entitlements of the question; absent if it had none.' }),
    ),
    version_released_at: Type.Optional(
      Type.String({ description: 'The release time of the question; absent if it had none.' }),
    ),
  },
  { title: 'VerdictClaims', description: 'The claims of a signed verdict: a JWS of type `verdict+jwt`.' },
);
export type VerdictClaims = Static<typeof VerdictClaims>;
