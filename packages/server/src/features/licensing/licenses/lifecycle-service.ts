import type { TenantTransaction } from '../../../db/database.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { orThrow } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { changedFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import { type Outbox, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { readSettings, readTimezone, timezoneIn } from '../../tenant-core/settings/service.ts';
import { expiredJobKind, licenseState } from './license.ts';
import { generateLicenseKey } from './license-key.ts';
import { applyTransition, type Transition, transitionInvalid } from './license-status.ts';
import { type Duration, initialTerm, renewTerm, startTerm } from './license-term.ts';
import { type CountedLicense, findLicense, lockLicense, recordValidations, updateLicenseRow } from './queries.ts';
import type { ActionInput } from './schemas.ts';
import { auditOf, changeLicense, type LicenseChange, licenseNotFound, policyOf, readPresented } from './service.ts';

/** The audit event and the webhook event of each transition. */
export const transitionEvents = {
  suspend: { event: 'LICENSE.SUSPENDED', type: 'license.suspended' },
  reinstate: { event: 'LICENSE.REINSTATED', type: 'license.reinstated' },
  revoke: { event: 'LICENSE.REVOKED', type: 'license.revoked' },
} as const satisfies Record<Transition, object>;

/** Suspends, reinstates or revokes a license. Throws 404 `LICENSE.NOT_FOUND` and 409 `LICENSE.TRANSITION_INVALID`. */
export function transitionLicense(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
  transition: Transition,
  input: ActionInput = {},
): Promise<CountedLicense> {
  return changeLicense(services, tenant, actor, id, transitionChange(transition, input));
}

/** Returns the change of a transition, for `changeLicense` and `changeLicenseIn`. */
export function transitionChange(transition: Transition, { reason, notify_holder }: ActionInput = {}): LicenseChange {
  return {
    notifyHolder: notify_holder,
    reason,
    ...transitionEvents[transition],
    apply: (before) => withStatus(before, applyTransition(before.status, transition), reason),
  };
}

/** Returns the license with another status and its reason. A repeated transition keeps the reason of the first one. */
export function withStatus(
  before: LicensesTable,
  status: LicensesTable['status'],
  reason: string | null = null,
): LicensesTable {
  return status === before.status ? before : { ...before, status, status_reason: reason };
}

/** Throws 409 `LICENSE.TRANSITION_INVALID` for a revoked license. */
export function assertNotRevoked(license: LicensesTable): void {
  if (license.status === 'revoked') {
    throw transitionInvalid('The license was revoked permanently. Create a new license instead.');
  }
}

/**
 * Extends the dates of a license by `duration`, or else by the durations of its policy. Throws 404 `LICENSE.NOT_FOUND`, and 409
 * `LICENSE.TRANSITION_INVALID` when the license is revoked or has no date to extend, and 422 `LICENSE.RENEWAL_IN_PAST`.
 */
export async function renewLicense(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
  { notifyHolder, duration }: { readonly notifyHolder?: boolean | undefined; readonly duration?: Duration | undefined },
): Promise<CountedLicense> {
  const timezone = await readTimezone(tenant.db);
  return await changeLicense(services, tenant, actor, id, {
    notifyHolder,
    event: 'LICENSE.RENEWED',
    type: 'license.renewed',
    apply: (before, policy, at) => renewed(before, policy, at, timezone, duration),
  });
}

/** Returns the license as `renewLicense` would return it now, and changes nothing. Throws the same errors. */
export async function previewRenewal(
  { clock }: Services,
  { db }: Tenant,
  id: string,
  duration: Duration | undefined,
): Promise<CountedLicense> {
  const at = clock.now();
  const license = orThrow(await findLicense(db.query, id, at), licenseNotFound);
  return renewed(license, await policyOf(db.query, license), at, await readTimezone(db), duration);
}

function renewed<License extends LicensesTable>(
  before: License,
  policy: PoliciesTable,
  at: Timestamp,
  timezone: string,
  duration: Duration | undefined,
): License {
  assertNotRevoked(before);
  return { ...before, ...renewTerm(policy, before, at, timezone, duration) };
}

/**
 * Gives a license another policy of its product, whose term starts now. Key, devices, status and overrides stay.
 * `choosePolicy` runs in the transaction, and refuses licenses that cannot be converted. Throws 404
 * `LICENSE.NOT_FOUND`, 409 `LICENSE.TRANSITION_INVALID` for a revoked license, and 422 for a policy of another product.
 */
export async function convertLicense(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
  choosePolicy: (tx: TenantTransaction, license: LicensesTable, at: Timestamp) => Promise<PoliciesTable>,
): Promise<CountedLicense> {
  const timezone = await readTimezone(tenant.db);
  let chosen: PoliciesTable | undefined;
  return await changeLicense(services, tenant, actor, id, {
    event: 'LICENSE.CONVERTED',
    type: 'license.converted',
    async prepare(tx, before, at) {
      assertNotRevoked(before);
      chosen = await choosePolicy(tx, before, at);
    },
    apply(before, present, at) {
      const policy = chosen ?? present;
      const term = initialTerm({ ...policy, expiry_basis: 'creation' }, at, timezone);
      return { ...before, policy_id: policy.id, ...term, term_anchor: at };
    },
  });
}

/**
 * Replaces the key of a license by a generated one. The old key is unknown immediately. Throws 404 `LICENSE.NOT_FOUND`,
 * 409 `LICENSE.TRANSITION_INVALID` when the license is revoked, and the errors of `assertMayRotate`, which sees the locked
 * license and its policy.
 */
export async function rotateLicenseKey(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
  assertMayRotate?: (license: LicensesTable, policy: PoliciesTable) => void,
  notifyHolder?: boolean,
): Promise<CountedLicense> {
  const { license_key_prefix } = await readSettings(tenant.db);
  return await changeLicense(services, tenant, actor, id, {
    notifyHolder,
    event: 'LICENSE.KEY_ROTATED',
    type: 'license.updated',
    apply(before, policy) {
      assertMayRotate?.(before, policy);
      assertNotRevoked(before);
      return { ...before, key: generateLicenseKey(policy.key_prefix ?? license_key_prefix) };
    },
  });
}

/** The transaction, author and time of a change. */
interface Change {
  readonly tx: TenantTransaction;
  readonly outbox: Outbox;
  readonly actor: Actor;
  readonly at: Timestamp;
}

/**
 * Starts the term of a license whose policy has this `expiry_basis`. The caller must hold the license's lock and call
 * it only for the first validation or activation. Does nothing when no date changes.
 */
export async function beginTerm(
  services: Services,
  { tx, outbox, actor, at }: Change,
  license: LicensesTable,
  policy: PoliciesTable,
  basis: 'first_validation' | 'first_activation',
): Promise<void> {
  if (policy.expiry_basis !== basis) return;
  const term = startTerm(policy, license, basis, at, await timezoneIn(tx));
  if (term === null) return;
  const after = { ...license, ...term, updated_at: at };
  await updateLicenseRow(tx, after);
  const changes = changedFields(licenseState(license), licenseState(after), ['expires_at', 'maintenance_expires_at']);
  await recordAudit(tx, actor, { ...auditOf(license.id, 'LICENSE.TERM_STARTED'), changes, at });
  const data = () => readPresented(services, tx, license.id, at);
  await outbox.record({ type: 'license.updated', data, requestId: actor.requestId, at });
  outbox.wakeUp(expiredJobKind, after.expires_at);
}

/** Starts the term at the first validation. Of concurrent first validations exactly one starts it. */
export async function beginTermAtFirstValidation(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  licenseId: string,
): Promise<void> {
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    const license = await lockLicense(tx, 'id', licenseId);
    if (license === undefined || license.last_validated_at !== null) return;
    const at = services.clock.now();
    const policy = await policyOf(tx, license);
    await beginTerm(services, { tx, outbox, actor, at }, license, policy, 'first_validation');
    // Written in the same transaction instead of buffered: the next validation must not start the term again.
    await recordValidations(tx, new Map([[licenseId, at]]));
  });
}
