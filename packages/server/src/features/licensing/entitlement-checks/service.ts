import type { ClockServices } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import {
  checkEntitlements,
  type EntitlementCheck,
  type EntitlementQuestion,
  meteredEntries,
  parseEntitlements,
  withhold,
} from '../entitlements/decision.ts';
import { readByTypedKey } from '../licenses/license-key.ts';
import { type LicenseDenial, licenseDenial } from '../licenses/license-status.ts';
import { licenseNotFound } from '../licenses/service.ts';
import { readCounters } from '../usage/counters-service.ts';
import { type CheckRow, findForCheck, findForCheckById } from './queries.ts';

type Checks = EntitlementCheck<LicenseDenial>[];

/**
 * Checks entitlements of the license with this key; without codes, all entitlements of its policy and the license. An
 * unusable license gives no access. Throws 404 `LICENSE.NOT_FOUND`.
 */
export async function checkLicenseEntitlements(
  services: ClockServices,
  tenant: Tenant,
  actor: Actor,
  key: string,
  codes: readonly string[] | undefined,
): Promise<Checks> {
  const row = await readByTypedKey(key, actor, (spelling) => tenant.db.first(findForCheck, [spelling]));
  return checkRow(services, tenant, row, codes ?? 'listed');
}

/** Checks every entitlement that the license with this id or its policy lists. Throws 404 `LICENSE.NOT_FOUND`. */
export async function checkLicenseEntitlementsById(
  services: ClockServices,
  tenant: Tenant,
  id: string,
): Promise<Checks> {
  return checkRow(services, tenant, await tenant.db.first(findForCheckById, [id]), 'listed');
}

async function checkRow(
  { clock }: ClockServices,
  tenant: Tenant,
  row: CheckRow | undefined,
  question: EntitlementQuestion,
): Promise<Checks> {
  if (row === undefined) throw licenseNotFound();
  const now = clock.now();
  const grants = {
    policy: parseEntitlements(row.policy_entitlements_json),
    license: parseEntitlements(row.entitlements_json),
  };
  const metered = meteredEntries(grants, question, now);
  const counters = await readCounters(tenant.db, row.id, metered, row.timezone, now);
  const checks = checkEntitlements(grants, question, now, counters);
  const denial = licenseDenial(row, row, now);
  return denial === null ? checks : withhold(checks, denial);
}
