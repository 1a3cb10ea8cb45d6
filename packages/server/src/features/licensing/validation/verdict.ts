import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { activationCapacity } from '../activations/capacity.ts';
import {
  type Counters,
  checkEntitlements,
  type EntitlementCheck,
  type Grants,
  isGranted,
  withhold,
} from '../entitlements/check.ts';
import { licenseDenial, licenseEndState } from '../licenses/license-usability.ts';
import type { DenialCode, VerdictCode } from './verdict-codes.ts';

/** What a verdict is about: plain data, so that the same input always gives the same verdict. */
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
  /** Of the policy and of the license, which overrides it by code. */
  readonly entitlements: Grants;
  /** Of the metered entitlements that the question is about. */
  readonly counters: Counters;
  /** The activation of the fingerprint that was sent, unless it was released. */
  readonly activation: { readonly lease_expires_at: Timestamp | null } | null;
  /** Activations that count: not released, and no lease that ran out. */
  readonly activeActivations: number;
}

/** What the caller asks about, all of it optional. */
export interface VerdictQuestion {
  /** The product's id or code. */
  readonly product?: string | undefined;
  readonly fingerprint?: string | undefined;
  /** Entitlement codes that must be granted. Absent: the verdict tells of all that are. */
  readonly entitlements?: readonly string[] | undefined;
  /** In the stored form of a timestamp. */
  readonly versionReleasedAt?: Timestamp | undefined;
}

export interface Verdict {
  readonly valid: boolean;
  readonly code: VerdictCode;
  /** A sentence for the developer who reads the answer. */
  readonly detail: string;
  readonly entitlements: readonly EntitlementCheck<DenialCode>[];
}

const details: Record<VerdictCode, string> = {
  'LICENSE.NOT_FOUND': 'No license has this key.',
  'LICENSE.REVOKED': 'The license was revoked for good.',
  'LICENSE.SUSPENDED': 'The license is suspended; its vendor can reinstate it.',
  'LICENSE.NOT_STARTED': 'The license starts at a later time: see starts_at.',
  'LICENSE.EXPIRED': 'The license has expired: see expires_at.',
  'LICENSE.PRODUCT_MISMATCH': 'The license is for another product.',
  'LICENSE.MAINTENANCE_EXPIRED':
    'This release is newer than the maintenance of the license: see maintenance_expires_at.',
  'ACTIVATION.FINGERPRINT_REQUIRED': 'The license must be activated per device: send the fingerprint.',
  'ACTIVATION.NOT_FOUND': 'This fingerprint is not activated: activate it first.',
  'ACTIVATION.LEASE_EXPIRED': 'The activation was not heard from for the length of its lease: activate it again.',
  'ACTIVATION.LIMIT_EXCEEDED': 'More devices are activated than the license has seats.',
  'ENTITLEMENT.NOT_GRANTED': 'The license does not grant every requested entitlement: see entitlements.',
  'LICENSE.IN_GRACE': 'The license has expired and runs in its grace period: renew it.',
  'LICENSE.VALID': 'The license is valid.',
};

/**
 * The verdict on a license at `now`. Denials come first and the first that holds decides; without one the verdict
 * is valid and its code says what to know. `subject` is null when no license has the key.
 */
export function judge(subject: VerdictSubject | null, question: VerdictQuestion, now: Timestamp): Verdict {
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
  // What is used up for now is granted all the same: a verdict on the license does not come and go with a counter.
  if (question.entitlements !== undefined && !entitlements.every(isGranted)) {
    return verdict(false, 'ENTITLEMENT.NOT_GRANTED', entitlements);
  }
  return verdict(true, validCode(subject, now), entitlements);
}

function verdict(valid: boolean, code: VerdictCode, entitlements: Verdict['entitlements']): Verdict {
  return { valid, code, detail: details[code], entitlements };
}

function findDenial(subject: VerdictSubject, question: VerdictQuestion, now: Timestamp): DenialCode | null {
  const { license, policy, product } = subject;
  const denial = licenseDenial(license, policy, now);
  if (denial !== null) return denial;
  const asked = question.product;
  if (asked !== undefined && asked !== product.id && asked !== product.code) return 'LICENSE.PRODUCT_MISMATCH';
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
