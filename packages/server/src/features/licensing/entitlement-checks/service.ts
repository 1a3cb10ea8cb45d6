import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import {
  checkEntitlements,
  type EntitlementCheck,
  type EntitlementQuestion,
  meteredEntries,
  parseEntitlements,
  withhold,
} from '../entitlements/check.ts';
import { isWellFormedOwnKey } from '../licenses/license-key.ts';
import { type LicenseDenial, licenseDenial } from '../licenses/license-usability.ts';
import { licenseNotFound } from '../licenses/service.ts';
import { readCounters } from '../usage/counters-service.ts';
import { type CheckRow, findForCheck } from './queries.ts';

/**
 * Checks entitlements of the license with this key; without codes, every one that its policy or the license lists. An
 * unusable license gives no access. Synchronous on the embedded engine. Throws 404 `LICENSE.NOT_FOUND`.
 */
export function checkLicense(
  { clock }: Pick<Services, 'clock'>,
  tenant: Tenant,
  key: string,
  codes: readonly string[] | undefined,
): MaybePromise<EntitlementCheck<LicenseDenial>[]> {
  const now = clock.now();
  const question: EntitlementQuestion = codes ?? 'listed';
  return andThen(findLicense(tenant, key), (row) => {
    if (row === undefined) throw licenseNotFound();
    const grants = {
      policy: parseEntitlements(row.policy_entitlements_json),
      license: parseEntitlements(row.entitlements_json),
    };
    const metered = meteredEntries(grants, question, now);
    return andThen(readCounters(tenant.db, row.id, metered, row.timezone, now), (counters) => {
      const checks = checkEntitlements(grants, question, now, counters);
      const denial = licenseDenial(row, row, now);
      return denial === null ? checks : withhold(checks, denial);
    });
  });
}

function findLicense(tenant: Tenant, key: string): MaybePromise<CheckRow | undefined> {
  return isWellFormedOwnKey(key) ? tenant.db.first(findForCheck, [key]) : undefined;
}
