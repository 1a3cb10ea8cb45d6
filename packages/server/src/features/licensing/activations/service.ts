import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { firstIn } from '../../../db/prepared-queries.ts';
import type { ActivationsTable, LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import { type PageRequest, toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import type { Clock, Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import { storedFingerprint } from '../../../lib/fingerprint.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import { type Actor, systemActor, type Tenant } from '../../../tenancy/tenant.ts';
import { createdFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import { type Outbox, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { reserveQuota } from '../../tenant-core/plan-limits/service.ts';
import { noteSeatTaken } from '../device-history/service.ts';
import { activationCapacity } from '../licenses/activation-capacity.ts';
import type { LicenseDependents } from '../licenses/license-dependents.ts';
import { licenseDenial } from '../licenses/license-status.ts';
import { beginTerm } from '../licenses/lifecycle-service.ts';
import { findLicenseId, licenseNotFound, lockLicenseByKey, lockLicenseRow } from '../licenses/service.ts';
import { holdPolicy } from '../policies/service.ts';
import {
  activationStatus,
  auditOf,
  leaseEnd,
  leaseJobKind,
  presentActivation,
  presentLicensedDevice,
} from './activation.ts';
import { mergeComponents, withFingerprint } from './components.ts';
import { findSimilar, recogniser, storeDevice } from './device-service.ts';
import { noticeActivated, noticeRefused } from './holder-notices.ts';
import {
  countActive,
  createActivationRow,
  extendRunningLeases,
  findHeldActivation,
  hasEverBeenActivated,
  listHeldSeats,
  listHeldSeatsOf,
  releaseActivationRows,
  renewLease,
  setActiveLeases,
  updateActivationRow,
} from './queries.ts';
import type { LicensedDevices, ListLicensedDevices, NewActivation } from './schemas.ts';

/** The result of an activation. */
export interface ActivationResult {
  readonly row: ActivationsTable;
  /** False when the device was already active; `row` is then its activation, of which only components change. */
  readonly created: boolean;
}

/**
 * Activates a fingerprint. Locks the license's row first, so that concurrent requests cannot exceed the limit. Throws
 * 404 `LICENSE.NOT_FOUND`, 422 with the verdict's code for an unusable license, 422 `ACTIVATION.LIMIT_REACHED` when
 * limit and overage are used up, and 403 `PLAN.LIMIT_REACHED` when the vendor's plan allows no more activations.
 */
export async function activate(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  key: string,
  input: NewActivation,
): Promise<ActivationResult> {
  let licenseId: string | undefined;
  const record = (code: string, isAllowed: boolean) => {
    if (licenseId !== undefined) recordActivation(services, tenant, { licenseId, actor, input, code, isAllowed });
  };
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const license = await lockLicenseByKey(tx, key, actor);
    licenseId = license.id;
    return await activateLocked(services, tenant, { tx, outbox, actor }, license, input);
  }).then(
    (result) => {
      record('ACTIVATION.CREATED', true);
      return result;
    },
    async (error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      record(error.code, false);
      if (error.code === 'ACTIVATION.LIMIT_REACHED') await noticeRefused(services, tenant.id, key, { actor, input });
      throw error;
    },
  );
}

interface AskedActivation {
  readonly licenseId: string;
  readonly actor: Actor;
  readonly input: NewActivation;
  readonly code: string;
  readonly isAllowed: boolean;
}

/** Records what a device was told. A device that is active already was allowed again. */
function recordActivation(
  { clock, deviceHistory }: Services,
  tenant: Tenant,
  { licenseId, actor, input, ...result }: AskedActivation,
): void {
  const { fingerprint, app_version: appVersion } = input;
  const asked = { kind: 'activation', fingerprint, appVersion, address: actor.ip, at: clock.now() } as const;
  deviceHistory.record(tenant, licenseId, { ...asked, ...result });
}

/**
 * Activates a device for the vendor, for example to issue a certificate to a device without a network. Throws the errors
 * of `activate`, without a mail or an event about a refusal, which the vendor sees.
 */
export async function activateByVendor(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  licenseId: string,
  input: NewActivation,
): Promise<ActivationResult> {
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const license = await lockLicenseRow(tx, licenseId);
    if (license === undefined) throw licenseNotFound();
    return await activateLocked(services, tenant, { tx, outbox, actor }, license, input);
  });
}

interface Transacting {
  readonly tx: TenantTransaction;
  readonly outbox: Outbox;
  readonly actor: Actor;
}

/**
 * Activates a fingerprint of a license that the transaction has locked. It reserves the quota of activations, so only
 * other reservations may follow. Throws the errors of `activate`.
 */
export async function activateLocked(
  services: Services,
  tenant: Tenant,
  { tx, outbox, actor }: Transacting,
  license: LicensesTable,
  asked: NewActivation,
): Promise<ActivationResult> {
  const input = { ...asked, fingerprint: storedFingerprint(asked.fingerprint) };
  const { policy, at } = await holdPolicyOf(services, tx, license);
  assertUsable(license, policy, at);
  const held = await findHeldActivation(tx, license.id, input.fingerprint);
  const known = held ?? (await findSimilar(tx, license.id, policy.fingerprint_matching, input.components, at));
  if (known !== undefined) {
    if (activationStatus(known, at) === 'active') {
      return { row: await storeDevice(tx, actor, known, input, at), created: false };
    }
    await expireActivation(tx, outbox, known, at);
  }
  await assertSeatFree(tx, license, policy, at);
  if (policy.expiry_basis === 'first_activation' && !(await hasEverBeenActivated(tx, license.id))) {
    await beginTerm(services, { tx, outbox, actor, at }, license, policy, 'first_activation');
  }
  const row = newActivation(license, policy, actor, input, at);
  await createActivationRow(tx, row);
  await noteSeatTaken(tx, license.id);
  const changes = createdFields(row, ['license_id', 'fingerprint', 'name', 'hostname', 'platform']);
  await recordAudit(tx, actor, { ...auditOf(row.id, 'ACTIVATION.CREATED'), changes, at });
  const data = () => presentActivation(row, at);
  const { requestId } = actor;
  await outbox.record({ type: 'activation.created', data, requestId, at });
  await noticeActivated(services, tx, outbox, license, row);
  const taken = { resource: 'activations', count: 1, freed: held === undefined ? 0 : 1, at, requestId } as const;
  await reserveQuota(tx, outbox, tenant, taken);
  outbox.wakeUp(leaseJobKind, row.lease_expires_at);
  return { row, created: true };
}

/** Returns the active activation of a fingerprint, or undefined. */
export async function findActive(
  db: TenantDb['query'],
  licenseId: string,
  fingerprint: string,
  at: Timestamp,
): Promise<ActivationsTable | undefined> {
  const held = await findHeldActivation(db, licenseId, storedFingerprint(fingerprint));
  return held !== undefined && activationStatus(held, at) === 'active' ? held : undefined;
}

/** Schedules the lease job for the end of the lease. Buffered in memory, so it costs no I/O here. */
function scheduleLeaseEnd({ wakeUps }: Services, tenant: Tenant, row: ActivationsTable): void {
  if (row.lease_expires_at !== null) wakeUps.scheduleAfterCommit(tenant.id, leaseJobKind, row.lease_expires_at);
}

function assertUsable(license: LicensesTable, policy: PoliciesTable, at: Timestamp): void {
  const denial = licenseDenial(license, policy, at);
  if (denial !== null) throw new AppError(denial, 'The license is not usable now. Validate it to see the reason.');
}

async function assertSeatFree(
  tx: TenantTransaction,
  license: LicensesTable,
  policy: PoliciesTable,
  at: Timestamp,
): Promise<void> {
  const { admitted } = activationCapacity(license, policy);
  if (admitted === null || (await countActive(tx, license.id, at)) < admitted) return;
  const message =
    `All ${admitted} devices of the license are in use. Release another device first: ` +
    '`POST /integration/licenses/{key}/activations/list` lists the devices.';
  throw new AppError('ACTIVATION.LIMIT_REACHED', message);
}

function newActivation(
  license: LicensesTable,
  policy: PoliciesTable,
  actor: Actor,
  input: NewActivation,
  at: Timestamp,
): ActivationsTable {
  const { components } = input;
  return {
    id: newId(),
    license_id: license.id,
    fingerprint: input.fingerprint,
    name: input.name ?? null,
    hostname: input.hostname ?? null,
    platform: input.platform ?? null,
    // The address of the vendor's people says nothing about the device.
    ip: actor.type === 'user' || actor.type === 'admin' ? null : actor.ip,
    components_json: components === undefined ? null : JSON.stringify(mergeComponents(null, components)),
    last_heartbeat_at: at,
    lease_expires_at: leaseEnd(policy, at),
    metadata_json: JSON.stringify(input.metadata ?? {}),
    created_at: at,
    released_at: null,
    release_reason: null,
  };
}

/**
 * Records a heartbeat and renews the lease. The state of the license does not matter: the device keeps its seat, and
 * the verdict reports whether the license is usable. Throws 404 `LICENSE.NOT_FOUND`, and 404 `ACTIVATION.NOT_FOUND`
 * when the activation was released or its lease has expired.
 */
export async function heartbeat(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  key: string,
  activationId: string,
): Promise<ActivationsTable> {
  const renew = async (tx: TenantTransaction) => {
    // Lock the license, as activating does: an expired lease must not be renewed after another device took its seat.
    const license = await lockLicenseByKey(tx, key, actor);
    const { policy, at } = await holdPolicyOf(services, tx, license);
    return await firstIn(tx, renewLease, [at, leaseEnd(policy, at), activationId, license.id]);
  };
  // A machine without power misses heartbeats anyway: losing those of its last seconds only makes the outage longer.
  const renewed = await tenant.db.transaction(renew, { mayLoseChanges: true });
  if (renewed === undefined) throw activationNotFound();
  scheduleLeaseEnd(services, tenant, renewed);
  return renewed;
}

/**
 * Returns one page of the devices that hold a seat, with masked names. The state of the license does not matter: who may
 * release a device must be able to see it. Throws 404 `LICENSE.NOT_FOUND`.
 */
export async function listLicensedDevices(
  { clock }: Pick<Services, 'clock'>,
  { db }: Tenant,
  actor: Actor,
  key: string,
  { fingerprint, components, ...page }: ListLicensedDevices,
): Promise<LicensedDevices> {
  const licenseId = await findLicenseId(db, key, actor);
  const at = clock.now();
  const { rows, nextCursor } = await listSeats(db, licenseId, page, at);
  const isAsking = await recogniser(db.query, licenseId, withFingerprint({ fingerprint, components }), at);
  return { activations: rows.map((row) => presentLicensedDevice(row, isAsking(row))), next_cursor: nextCursor };
}

/** Returns one page of the activations of a license that hold a seat at `now`, newest first. */
export async function listSeats(
  db: TenantDb,
  licenseId: string,
  page: PageRequest,
  now: Timestamp,
): Promise<Page<ActivationsTable>> {
  return toPage(await listHeldSeats(db, licenseId, page, now), page.limit);
}

/** Returns the newest `limit` activations that hold a seat of one of these licenses at `now`. */
export async function listSeatsOf(
  db: TenantDb,
  licenseIds: readonly string[],
  limit: number,
  now: Timestamp,
): Promise<ActivationsTable[]> {
  return licenseIds.length === 0 ? [] : await listHeldSeatsOf(db, licenseIds, limit, now);
}

/**
 * Returns the same error for an unknown or released activation and for another tenant's, so that ids cannot be probed.
 */
export function activationNotFound(): AppError {
  return new AppError(
    'ACTIVATION.NOT_FOUND',
    'The device is not activated or was released. Activate the device again.',
  );
}

/**
 * How much longer than its copy a move can refuse heartbeats: half a minute until the lease of a mover that crashed ends,
 * a minute until the sweep that undoes its move, and the wait of the clients before they repeat a heartbeat.
 */
const keptSeconds = 120;

/**
 * Keeps every running lease alive for the expected seconds of a pause and two minutes, because heartbeats are about to be
 * refused. Call it right before the pause. The new ends are ordinary changes: reads during the pause see them, and they
 * stay if the pause is abandoned.
 */
export async function keepLeasesDuringPause(
  tx: TenantTransaction,
  clock: Pick<Clock, 'now'>,
  pauseSeconds: number,
): Promise<void> {
  const now = clock.now();
  await extendRunningLeases(tx, now, addSeconds(now, keptSeconds + pauseSeconds));
}

/**
 * Releases the activations of a deleted license and changes leases, without an event or an audit entry for each
 * activation. A lease of another length starts at the change, because a device cannot have known it before; an activation
 * whose lease has ended stays expired.
 */
export const licenseDependents: LicenseDependents = {
  releaseActivations: (tx, licenseId, at) => releaseActivationRows(tx, licenseId, 'license_deleted', at),
  async changeLease(tx, outbox, { from, to, licenseId, at }) {
    if (from.lease_seconds === to.lease_seconds) return;
    const end = leaseEnd(to, at);
    await setActiveLeases(tx, licenseId === undefined ? { policyId: to.id } : { licenseId }, end, at);
    outbox.wakeUp(leaseJobKind, end);
  },
};

/**
 * Holds the policy of a locked license, and then reads the clock: an earlier time could count a lease that ended while this
 * request waited.
 */
async function holdPolicyOf({ clock }: Pick<Services, 'clock'>, tx: TenantTransaction, license: LicensesTable) {
  const policy = await holdPolicy(tx, license.policy_id);
  if (policy === undefined) throw new Error(`License ${license.id} has no policy ${license.policy_id}.`);
  return { policy, at: clock.now() };
}

/**
 * Closes an activation whose lease has expired; `released_at` is the end of the lease. The caller must have locked the
 * license's row, so that the activation is closed and audited once, by the lease job or by a new activation. The
 * caller must also call `releaseQuota`.
 */
export async function expireActivation(
  tx: TenantTransaction,
  outbox: Outbox,
  row: ActivationsTable,
  at: Timestamp,
): Promise<void> {
  const release = { released_at: row.lease_expires_at, release_reason: 'lease_expired' } as const;
  await updateActivationRow(tx, row.id, release);
  const changes = [{ field: 'status', old: 'active', new: 'expired' }];
  await recordAudit(tx, systemActor, { ...auditOf(row.id, 'ACTIVATION.EXPIRED'), changes, at });
  const data = () => presentActivation({ ...row, ...release }, at);
  await outbox.record({ type: 'activation.expired', data, requestId: null, at });
}
