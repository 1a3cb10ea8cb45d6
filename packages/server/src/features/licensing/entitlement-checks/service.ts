import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts';
import type { ClockServices } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import {
  checkEntitlements,
  type EntitlementCheck,
  type EntitlementQuestion,
  meteredEntries,
  parseEntitlements,
  withhold,
} from '../entitlements/check.ts';
import { readByTypedKey } from '../licenses/license-key.ts';
import { type LicenseDenial, licenseDenial } from '../licenses/license-status.ts';
import { licenseNotFound } from '../licenses/service.ts';
import { readCounters } from '../usage/counters-service.ts';
import { type CheckRow, findForCheck, findForCheckById } from './queries.ts';

type Checks = EntitlementCheck<LicenseDenial>[];

/**
 * Checks entitlements of the license with this key; without codes, all entitlements of its policy and the license. An
 * unusable license gives no access. Synchronous on the embedded engine. Throws 404 `LICENSE.NOT_FOUND`.
 */
export function checkLicense(
  services: ClockServices,
  tenant: Tenant,
  actor: Actor,
  key: string,
  codes: readonly string[] | undefined,
): MaybePromise<Checks> {
  const row = readByTypedKey(key, actor, (spelling) => tenant.db.first(findForCheck, [spelling]));
  return checkRow(services, tenant, row, codes ?? 'listed');
}

/** Checks every entitlement that the license with this id or its policy lists. Throws 404 `LICENSE.NOT_FOUND`. */
export function checkLicenseById(services: ClockServices, tenant: Tenant, id: string): MaybePromise<Checks> {
  return checkRow(services, tenant, tenant.db.first(findForCheckById, [id]), 'listed');
}

function checkRow(
  { clock }: ClockServices,
  tenant: Tenant,
  read: MaybePromise<CheckRow | undefined>,
  question: EntitlementQuestion,
): MaybePromise<Checks> {
  const now = clock.now();
  return andThen(read, (row) => {
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
