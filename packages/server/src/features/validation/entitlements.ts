import type { Timestamp } from '../../lib/clock.ts';
import type { VerdictCode } from './verdict-codes.ts';

/** An entitlement that a policy grants, or that a license overrides (then with an end of its own). */
export interface Entitlement {
  readonly code: string;
  /** `false` withholds the entitlement: how an override takes away what the policy grants. */
  readonly value?: string | number | boolean | null;
  readonly limit?: number | null;
  /** Overrides of a license only, in the stored form of a timestamp. */
  readonly expires_at?: Timestamp | null;
}

/** What a license says about one entitlement. */
export interface EntitlementCheck {
  readonly code: string;
  readonly has_access: boolean;
  readonly value: string | number | boolean | null;
  readonly limit: number | null;
  readonly expires_at: Timestamp | null;
  /** Where the grant comes from; null when there is none. */
  readonly source: 'license' | 'policy' | null;
  /** Null with access; else why not. */
  readonly reason: 'ENTITLEMENT.NOT_GRANTED' | 'ENTITLEMENT.EXPIRED' | VerdictCode | null;
}

interface Grants {
  readonly policy: readonly Entitlement[];
  readonly license: readonly Entitlement[];
}

/**
 * The requested entitlements in the order asked, once each; without a request, all that are granted. An override of
 * the license goes before the policy's grant until it expires; then the policy's holds again.
 */
export function checkEntitlements(
  grants: Grants,
  requested: readonly string[] | undefined,
  now: Timestamp,
): EntitlementCheck[] {
  if (requested !== undefined) return [...new Set(requested)].map((code) => checkEntitlement(grants, code, now));
  if (grants.license.length === 0 && grants.policy.length === 0) return [];
  const codes = new Set([...grants.policy, ...grants.license].map((entitlement) => entitlement.code));
  return [...codes].map((code) => checkEntitlement(grants, code, now)).filter((check) => check.has_access);
}

function checkEntitlement(grants: Grants, code: string, now: Timestamp): EntitlementCheck {
  const override = grants.license.find((entitlement) => entitlement.code === code);
  if (override !== undefined && !hasExpired(override, now)) return answer(override, 'license');
  const granted = grants.policy.find((entitlement) => entitlement.code === code);
  if (granted !== undefined) return answer(granted, 'policy');
  if (override !== undefined) {
    return { ...answer(override, 'license'), has_access: false, reason: 'ENTITLEMENT.EXPIRED' };
  }
  return {
    code,
    has_access: false,
    value: null,
    limit: null,
    expires_at: null,
    source: null,
    reason: 'ENTITLEMENT.NOT_GRANTED',
  };
}

function hasExpired(override: Entitlement, now: Timestamp): boolean {
  return override.expires_at != null && now >= override.expires_at;
}

function answer(entitlement: Entitlement, source: 'license' | 'policy'): EntitlementCheck {
  const granted = entitlement.value !== false;
  return {
    code: entitlement.code,
    has_access: granted,
    value: entitlement.value ?? null,
    limit: entitlement.limit ?? null,
    expires_at: entitlement.expires_at ?? null,
    source,
    reason: granted ? null : 'ENTITLEMENT.NOT_GRANTED',
  };
}
