import type { TenantTransaction } from '../../db/database.ts';
import type { LicensesTable, PoliciesTable } from '../../db/tables.ts';
import type { Timestamp } from '../../lib/clock.ts';
import type { Actor, Tenant } from '../../tenancy/tenant.ts';
import { changedFields, recordAudit } from '../audit/audit.ts';
import { readSettings } from '../settings/service.ts';
import { licenseState } from './license.ts';
import { generateLicenseKey } from './license-key.ts';
import { applyTransition, type Transition, transitionInvalid } from './license-status.ts';
import { renewTerm, startTerm } from './license-term.ts';
import { type CountedLicense, lockLicense, recordValidations, updateLicenseRow } from './queries.ts';
import { auditOf, changeLicense, type LicenseServices, policyOf } from './service.ts';

const transitionEvents: Record<Transition, string> = {
  suspend: 'LICENSE.SUSPENDED',
  reinstate: 'LICENSE.REINSTATED',
  revoke: 'LICENSE.REVOKED',
};

/** Suspends, reinstates or revokes a license. Throws 404, and 409 `LICENSE.TRANSITION_INVALID`. */
export function transitionLicense(
  services: LicenseServices,
  tenant: Tenant,
  actor: Actor,
  id: string,
  transition: Transition,
): Promise<CountedLicense> {
  return changeLicense(services, tenant, actor, id, {
    event: transitionEvents[transition],
    apply: (before) => ({ ...before, status: applyTransition(before.status, transition) }),
  });
}

function assertNotRevoked(license: LicensesTable): void {
  if (license.status === 'revoked') {
    throw transitionInvalid('The license was revoked for good. Create a new license instead.');
  }
}

/** Moves the end of a license by its policy. Throws 404, and 409 when it is revoked or has no end to move. */
export function renewLicense(
  services: LicenseServices,
  tenant: Tenant,
  actor: Actor,
  id: string,
): Promise<CountedLicense> {
  return changeLicense(services, tenant, actor, id, {
    event: 'LICENSE.RENEWED',
    apply(before, policy, at) {
      assertNotRevoked(before);
      return { ...before, ...renewTerm(policy, before, at) };
    },
  });
}

/** Gives a license a new generated key; the old one is unknown from then on. Throws 404, and 409 when it is revoked. */
export async function rotateLicenseKey(
  services: LicenseServices,
  tenant: Tenant,
  actor: Actor,
  id: string,
): Promise<CountedLicense> {
  const { license_key_prefix } = await readSettings(tenant.db);
  return await changeLicense(services, tenant, actor, id, {
    event: 'LICENSE.KEY_ROTATED',
    apply(before, policy) {
      assertNotRevoked(before);
      return { ...before, key: generateLicenseKey(policy.key_prefix ?? license_key_prefix) };
    },
  });
}

/** Begins the term of a license whose policy waits for this moment. Call it for the very first one only. */
export async function beginTerm(
  tx: TenantTransaction,
  actor: Actor,
  license: LicensesTable,
  policy: PoliciesTable,
  basis: 'first_validation' | 'first_activation',
  at: Timestamp,
): Promise<void> {
  const term = startTerm(policy, license, basis, at);
  if (term === null) return;
  const after = { ...license, ...term, updated_at: at };
  await updateLicenseRow(tx, after);
  const changes = changedFields(licenseState(license), licenseState(after), ['expires_at', 'maintenance_expires_at']);
  await recordAudit(tx, actor, { ...auditOf(license.id, 'LICENSE.TERM_STARTED'), changes, at });
}

/** Begins the term at the first validation. Of several at the same moment one begins it. */
export async function beginTermAtFirstValidation(
  { clock }: LicenseServices,
  tenant: Tenant,
  actor: Actor,
  licenseId: string,
): Promise<void> {
  await tenant.db.transaction(async (tx) => {
    const license = await lockLicense(tx, 'id', licenseId);
    if (license === undefined || license.last_validated_at !== null) return;
    const at = clock.now();
    await beginTerm(tx, actor, license, await policyOf(tx, license), 'first_validation', at);
    // With the term and not behind it: what follows must know that the first validation has been.
    await recordValidations(tx, new Map([[licenseId, at]]));
  });
}
