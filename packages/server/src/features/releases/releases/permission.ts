import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { ReleasesTable } from '../../../db/tables/tenant/releases.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { checkEntitlements, type Grants, noCounters } from '../../licensing/entitlements/decision.ts';
import { type LicenseDenial, licenseDenial } from '../../licensing/licenses/license-status.ts';

/** The data of a license that decides which releases it permits. */
export interface ReleaseSubject {
  readonly license: Pick<
    LicensesTable,
    'product_id' | 'status' | 'created_at' | 'starts_at' | 'expires_at' | 'maintenance_expires_at'
  >;
  readonly policy: Pick<PoliciesTable, 'expiry_strategy' | 'grace_days'>;
  readonly entitlements: Grants;
}

/** The data of a release that decides which licenses may have it. */
export type JudgedRelease = Pick<ReleasesTable, 'product_id' | 'status' | 'released_at' | 'minimum_entitlements_json'>;

/** Why a license does not permit a release. */
export type ReleaseDenial =
  | LicenseDenial
  | 'RELEASE.NOT_FOUND'
  | 'LICENSE.PRODUCT_MISMATCH'
  | 'LICENSE.MAINTENANCE_EXPIRED'
  | 'ENTITLEMENT.NOT_GRANTED';

/** Returns the codes of the entitlements that a license grants at `now`; one that is used up is still granted. */
export function grantedCodes({ entitlements }: Pick<ReleaseSubject, 'entitlements'>, now: Timestamp): string[] {
  return checkEntitlements(entitlements, 'granted', now, noCounters).map(({ code }) => code);
}

/** Returns the first reason why a license does not permit a release at `now`, in the order of the verdict; else null. */
export function releaseDenial(subject: ReleaseSubject, release: JudgedRelease, now: Timestamp): ReleaseDenial | null {
  if (release.status !== 'published' || release.released_at === null) return 'RELEASE.NOT_FOUND';
  const denial = licenseDenial(subject.license, subject.policy, now);
  if (denial !== null) return denial;
  if (subject.license.product_id !== release.product_id) return 'LICENSE.PRODUCT_MISMATCH';
  const { maintenance_expires_at } = subject.license;
  if (maintenance_expires_at !== null && release.released_at > maintenance_expires_at) {
    return 'LICENSE.MAINTENANCE_EXPIRED';
  }
  const needed: readonly string[] = JSON.parse(release.minimum_entitlements_json);
  if (needed.length === 0) return null;
  const granted = new Set(grantedCodes(subject, now));
  return needed.every((code) => granted.has(code)) ? null : 'ENTITLEMENT.NOT_GRANTED';
}

const stable = 'stable';

/** Returns the channels whose releases a channel sees: a less stable one sees the more stable ones. */
export function visibleChannels(channel: string): readonly string[] {
  if (channel === 'alpha') return ['alpha', 'beta', stable];
  return channel === stable ? [stable] : [channel, stable];
}
