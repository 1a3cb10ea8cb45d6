import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { idOrText } from '../../../lib/ids.ts';
import {
  type Counters,
  checkEntitlements,
  type EntitlementCheck,
  type Grants,
  isGranted,
  withhold,
} from '../entitlements/decision.ts';
import { activationCapacity } from '../licenses/activation-capacity.ts';
import { licenseDenial, licenseEndState } from '../licenses/license-status.ts';
import type { DenialCode, VerdictCode } from './verdict-catalog.ts';

/** The license data that a verdict depends on. Plain data, so that the same input always gives the same verdict. */
export interface VerdictSubject {
  readonly license: Pick<
    LicensesTable,
    'status' | 'created_at' | 'starts_at' | 'expires_at' | 'maintenance_expires_at' | 'max_activations'
  >;
  readonly policy: Pick<
    PoliciesTable,
    'expiry_strategy' | 'grace_days' | 'max_activations' | 'activation_overage_percent' | 'require_activation'
  >;
  readonly product: { readonly id: string; readonly code: string };
  /** The grants of the policy and of the license; the license overrides the policy by code. */
  readonly entitlements: Grants;
  /** The counters of the metered entitlements in question. */
  readonly counters: Counters;
  /** The held activation of the request's fingerprint, or null. */
  readonly activation: { readonly lease_expires_at: Timestamp | null } | null;
  /** The number of held activations without an expired lease. */
  readonly activeActivations: number;
}

/** The conditions of a request, all optional. */
export interface VerdictQuestion {
  /** The product's id or code. */
  readonly product?: string | undefined;
  readonly fingerprint?: string | undefined;
  /** Entitlement codes that must be granted. When absent, the verdict contains every granted entitlement. */
  readonly entitlements?: readonly string[] | undefined;
  /** In the stored form of a timestamp. */
  readonly versionReleasedAt?: Timestamp | undefined;
}

/** The verdict before it is presented: without the license and the activation. */
export interface Judgement {
  readonly valid: boolean;
  readonly code: VerdictCode;
  /** A sentence for the developer who reads the response. */
  readonly detail: string;
  readonly entitlements: readonly EntitlementCheck<DenialCode>[];
}

const details: Record<VerdictCode, string> = {
  'LICENSE.NOT_FOUND': 'No license has this key. Check it for typing errors.',
  'LICENSE.REVOKED': 'The license was revoked permanently. Issue another license.',
  'LICENSE.SUSPENDED': 'The license is suspended. Ask its vendor to reinstate it.',
  'LICENSE.NOT_STARTED': 'The license starts at a later time: wait until starts_at.',
  'LICENSE.EXPIRED': 'The license has expired: see expires_at. Renew it.',
  'LICENSE.PRODUCT_MISMATCH': 'The license is for another product. Use a license of this product.',
  'LICENSE.MAINTENANCE_EXPIRED':
    'This version was released after the maintenance of the license expired: see maintenance_expires_at. Renew it, or use an older version.',
  'ACTIVATION.FINGERPRINT_REQUIRED': 'The license must be activated per device: send the fingerprint.',
  'ACTIVATION.NOT_FOUND': 'This fingerprint is not activated: activate it first.',
  'ACTIVATION.LEASE_EXPIRED': 'The lease of the device expired without a heartbeat: activate the device again.',
  'ACTIVATION.LIMIT_EXCEEDED':
    'More devices are activated than the license allows. Release a device: while devices are refused, this is always possible.',
  'ENTITLEMENT.NOT_GRANTED':
    'The license does not grant every requested entitlement: see entitlements. Grant it to the license or its policy.',
  'LICENSE.IN_GRACE': 'The license has expired and is in its grace period: renew it.',
  'LICENSE.VALID': 'The license is valid.',
};

/** Returns the sentence for the developer who reads a code. */
export function verdictDetail(code: VerdictCode): string {
  return details[code];
}

/**
 * Returns the verdict on a license at `now`. The first denial that applies decides. Without a denial the verdict is
 * valid, and its code may contain a warning (`LICENSE.IN_GRACE`, for example). `subject` is null when no license has
 * the key.
 */
export function judge(subject: VerdictSubject | null, question: VerdictQuestion, now: Timestamp): Judgement {
  if (subject === null) return verdict(false, 'LICENSE.NOT_FOUND', []);
  const entitlements = checkEntitlements(
    subject.entitlements,
    question.entitlements ?? 'granted',
    now,
    subject.counters,
  );
  const denial = findDenial(subject, question, now);
  if (denial !== null) {
    return verdict(false, denial, withhold(entitlements, denial));
  }
  // An entitlement at its limit is still granted, so that the verdict does not change with a counter.
  if (question.entitlements !== undefined && !entitlements.every(isGranted)) {
    return verdict(false, 'ENTITLEMENT.NOT_GRANTED', entitlements);
  }
  return verdict(true, validCode(subject, now), entitlements);
}

function verdict(valid: boolean, code: VerdictCode, entitlements: Judgement['entitlements']): Judgement {
  return { valid, code, detail: details[code], entitlements };
}

function findDenial(subject: VerdictSubject, question: VerdictQuestion, now: Timestamp): DenialCode | null {
  const { license, policy, product } = subject;
  const denial = licenseDenial(license, policy, now);
  if (denial !== null) return denial;
  const requested = question.product;
  if (requested !== undefined && requested !== product.code && idOrText(requested) !== product.id) {
    return 'LICENSE.PRODUCT_MISMATCH';
  }
  const maintainedUntil = license.maintenance_expires_at;
  const releasedAt = question.versionReleasedAt;
  if (releasedAt !== undefined && maintainedUntil !== null && releasedAt > maintainedUntil) {
    return 'LICENSE.MAINTENANCE_EXPIRED';
  }
  return policy.require_activation === 1 ? activationDenial(subject, question, now) : null;
}

function activationDenial(subject: VerdictSubject, question: VerdictQuestion, now: Timestamp): DenialCode | null {
  if (question.fingerprint === undefined) return 'ACTIVATION.FINGERPRINT_REQUIRED';
  if (subject.activation === null) return 'ACTIVATION.NOT_FOUND';
  const leaseExpiresAt = subject.activation.lease_expires_at;
  if (leaseExpiresAt !== null && now >= leaseExpiresAt) return 'ACTIVATION.LEASE_EXPIRED';
  const { admitted } = activationCapacity(subject.license, subject.policy);
  return admitted !== null && subject.activeActivations > admitted ? 'ACTIVATION.LIMIT_EXCEEDED' : null;
}

function validCode(subject: VerdictSubject, now: Timestamp): VerdictCode {
  const end = licenseEndState(subject.license, subject.policy, now);
  if (end === 'expired') return 'LICENSE.EXPIRED';
  if (end === 'grace') return 'LICENSE.IN_GRACE';
  const { limit } = activationCapacity(subject.license, subject.policy);
  return limit !== null && subject.activeActivations > limit ? 'ACTIVATION.LIMIT_EXCEEDED' : 'LICENSE.VALID';
}
