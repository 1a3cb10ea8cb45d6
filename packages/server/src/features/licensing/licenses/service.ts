import type { TenantTransaction } from '../../../db/database.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../../db/errors.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError, type ErrorDetail, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { changedFields, recordAudit, recordAudits } from '../../tenant-core/audit/audit.ts';
import { createdFields } from '../../tenant-core/audit/created-fields.ts';
import { type Outbox, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import type { EventType } from '../../tenant-core/events/schemas.ts';
import { releaseQuota, reserveQuota } from '../../tenant-core/plan-limits/service.ts';
import { readSettings } from '../../tenant-core/settings/service.ts';
import { createGrantReferences, prepareGrants, replaceReferences } from '../entitlements/service.ts';
import { findPolicy } from '../policies/service.ts';
import {
  applyLicenseInput,
  auditedLicenseFields,
  expiredJobKind,
  type LicenseChangeInput,
  licenseState,
  presentLicense,
} from './license.ts';
import { generateLicenseKey, isWellFormedOwnKey } from './license-key.ts';
import { initialTerm, type TermPolicy } from './license-term.ts';
import {
  type CountedLicense,
  countDeactivationRow,
  createLicenseRows,
  findLicense,
  findLicenses,
  lockLicense,
  lockLicenses,
  updateLicenseRow,
} from './queries.ts';
import type { CreateLicense, License, UpdateLicense } from './schemas.ts';

export type LicenseServices = Pick<Services, 'clock' | 'wakeUps' | 'licenseValidations'>;

/**
 * Makes a license of a policy, under a generated key or the caller's own. Dates that are not given come from the
 * policy. Throws 422 for a policy or product that does not fit, 409 `LICENSE.KEY_TAKEN`, 403 `PLAN.LIMIT_REACHED`.
 */
export async function createLicense(
  services: LicenseServices,
  tenant: Tenant,
  actor: Actor,
  input: CreateLicense,
): Promise<CountedLicense> {
  const { policy_id, product_id, key, ...rest } = input;
  const { license_key_prefix } = await readSettings(tenant.db);
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const at = services.clock.now();
    const policy = await findPolicy(tx, policy_id);
    if (policy === undefined) throw unknownPolicy();
    if (product_id !== undefined && product_id !== policy.product_id) {
      throw validationError({ field: 'product_id', message: "must be the id of the policy's product" });
    }
    const change = await prepareChange(tx, rest);
    const row = newLicense(policy, key ?? generateLicenseKey(policy.key_prefix ?? license_key_prefix), change, at);
    await issueLicenses(services, tx, outbox, actor, [row], at);
    await reserveQuota(tx, outbox, tenant, { resource: 'licenses', count: 1, at, requestId: actor.requestId });
    return { ...row, activations_count: 0 };
  }).catch(explainConflict);
}

async function prepareChange(tx: TenantTransaction, input: UpdateLicense): Promise<LicenseChangeInput> {
  const { entitlements, ...rest } = input;
  if (entitlements === undefined) return rest;
  return { ...rest, entitlements: await prepareGrants(tx, entitlements ?? []) };
}

/**
 * Writes new licenses with everything that belongs to them: the one place through which a license comes into being.
 * The caller counts them with `reserveQuota` at the end of the transaction.
 */
export async function issueLicenses(
  { licenseValidations }: LicenseServices,
  tx: TenantTransaction,
  outbox: Outbox,
  actor: Actor,
  rows: readonly LicensesTable[],
  at: Timestamp,
): Promise<void> {
  await createLicenseRows(tx, rows);
  await createGrantReferences(tx, rows);
  const entries = rows.map((row) => {
    const changes = createdFields(licenseState(row), auditedLicenseFields);
    return { ...auditOf(row.id, 'LICENSE.CREATED'), changes, at };
  });
  await recordAudits(tx, actor, entries);
  const data = () => rows.map((row) => presentLicense({ ...row, activations_count: 0 }, at, licenseValidations));
  await outbox.recordAll({ type: 'license.created', data, requestId: actor.requestId, at });
  outbox.wakeUp(expiredJobKind, firstEnd(rows));
}

/** When the first of the licenses ends that are not suspended or revoked; null when none does. */
function firstEnd(rows: readonly LicensesTable[]): Timestamp | null {
  let first: Timestamp | null = null;
  for (const { status, expires_at } of rows) {
    if (status === 'active' && expires_at !== null && (first === null || expires_at < first)) first = expires_at;
  }
  return first;
}

/** A license as callers see it in a transaction, with its changes. Throws 404 when it is gone. */
export async function readPresented(
  { licenseValidations }: LicenseServices,
  tx: TenantTransaction,
  id: string,
  at: Timestamp,
): Promise<License> {
  const row = await findLicense(tx, id, at);
  if (row === undefined) throw licenseNotFound();
  return presentLicense(row, at, licenseValidations);
}

/** Several licenses as callers see them, those that are gone left out. */
export async function presentAll(
  { licenseValidations }: LicenseServices,
  tx: TenantTransaction,
  ids: readonly string[],
  at: Timestamp,
): Promise<License[]> {
  return (await findLicenses(tx, ids, at)).map((row) => presentLicense(row, at, licenseValidations));
}

/** What a policy gives to its licenses when they are made. */
export type IssuingPolicy = TermPolicy & Pick<PoliciesTable, 'id' | 'product_id'>;

/** The row of a new license. Throws 422 for dates that do not fit together. */
export function newLicense(
  policy: IssuingPolicy,
  key: string,
  input: LicenseChangeInput,
  at: Timestamp,
): LicensesTable {
  const empty: LicensesTable = {
    id: newId(),
    product_id: policy.product_id,
    policy_id: policy.id,
    key,
    status: 'active',
    holder_name: null,
    holder_email: null,
    holder_reference: null,
    starts_at: at,
    expires_at: null,
    maintenance_expires_at: null,
    max_activations: null,
    entitlements_json: '[]',
    deactivations_count: 0,
    last_validated_at: null,
    metadata_json: '{}',
    created_at: at,
    updated_at: at,
    deleted_at: null,
    expiring_noted_for: null,
    expired_noted_for: null,
  };
  const { starts_at } = applyLicenseInput(empty, input.starts_at === undefined ? {} : { starts_at: input.starts_at });
  return applyLicenseInput({ ...empty, starts_at, ...initialTerm(policy, starts_at) }, input);
}

interface LicenseChange {
  /** In the audit log. */
  readonly event: string;
  readonly type: EventType & `license.${string}`;
  /** What the caller sent, where that is more than the action itself. */
  readonly input?: UpdateLicense;
  readonly apply: (
    before: LicensesTable,
    policy: PoliciesTable,
    at: Timestamp,
    change: LicenseChangeInput,
  ) => LicensesTable;
}

/**
 * Changes a license in one transaction and answers its new state. What changes nothing is neither written nor
 * audited. Throws 404 `LICENSE.NOT_FOUND`, and what `apply` throws.
 */
export async function changeLicense(
  services: LicenseServices,
  tenant: Tenant,
  actor: Actor,
  id: string,
  { event, type, input = {}, apply }: LicenseChange,
): Promise<CountedLicense> {
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const before = await lockLicense(tx, 'id', id);
    if (before === undefined) throw licenseNotFound();
    const at = services.clock.now();
    const change = await prepareChange(tx, input);
    const after = apply(before, await policyOf(tx, before), at, change);
    if (after.policy_id !== before.policy_id) await assertSameProduct(tx, after);
    const isChanged = JSON.stringify(after) !== JSON.stringify(before);
    if (isChanged) {
      await updateLicenseRow(tx, { ...after, updated_at: at });
      if (change.entitlements !== undefined) await replaceReferences(tx, id, change.entitlements);
      const changes = changedFields(licenseState(before), licenseState(after), auditedLicenseFields);
      await recordAudit(tx, actor, { ...auditOf(id, event), changes, at });
    }
    const changed = await findLicense(tx, id, at);
    if (changed === undefined) throw licenseNotFound();
    if (isChanged) {
      const data = () => presentLicense(changed, at, services.licenseValidations);
      await outbox.record({ type, data, requestId: actor.requestId, at });
      outbox.wakeUp(expiredJobKind, firstEnd([changed]));
    }
    return changed;
  }).catch(explainConflict);
}

/** The policy of a license that exists: the foreign key promises it. */
export async function policyOf(tx: TenantTransaction, license: LicensesTable): Promise<PoliciesTable> {
  const policy = await findPolicy(tx, license.policy_id);
  if (policy === undefined)
    throw new Error(`License ${license.id} refers to policy ${license.policy_id}, which is gone.`);
  return policy;
}

async function assertSameProduct(tx: TenantTransaction, license: LicensesTable): Promise<void> {
  const policy = await findPolicy(tx, license.policy_id);
  if (policy?.product_id !== license.product_id)
    throw unknownPolicy("must be the id of a policy of the license's product");
}

/** Changes the fields that are present. A status is never among them: what was revoked stays revoked. */
export function updateLicense(
  services: LicenseServices,
  tenant: Tenant,
  actor: Actor,
  id: string,
  input: UpdateLicense,
): Promise<CountedLicense> {
  return changeLicense(services, tenant, actor, id, {
    event: 'LICENSE.UPDATED',
    type: 'license.updated',
    input,
    apply: (before, _policy, _at, change) => ({
      ...applyLicenseInput(before, change),
      policy_id: input.policy_id ?? before.policy_id,
    }),
  });
}

/** Hides a license, frees its activations and its key, and keeps its history. Throws 404 `LICENSE.NOT_FOUND`. */
export async function deleteLicense(
  services: LicenseServices & Pick<Services, 'licenseDependents'>,
  tenant: Tenant,
  actor: Actor,
  id: string,
): Promise<void> {
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    const row = await lockLicense(tx, 'id', id);
    if (row === undefined) throw licenseNotFound();
    const at = services.clock.now();
    // As it was: afterwards nobody can see it any more.
    const data = () => readPresented(services, tx, id, at);
    await outbox.record({ type: 'license.deleted', data, requestId: actor.requestId, at });
    await updateLicenseRow(tx, { ...row, deleted_at: at, updated_at: at });
    const released = await services.licenseDependents.releaseActivations(tx, id, at);
    await replaceReferences(tx, id, []);
    await recordAudit(tx, actor, { ...auditOf(id, 'LICENSE.DELETED'), at });
    await releaseQuota(tx, 'activations', released);
    await releaseQuota(tx, 'licenses', 1);
  });
}

/**
 * Reads the license with this key and keeps others from changing or activating it until the transaction ends.
 * Throws 404 `LICENSE.NOT_FOUND`, also for a text that no key can be.
 */
export async function lockLicenseByKey(tx: TenantTransaction, key: string): Promise<LicensesTable> {
  const license = isWellFormedOwnKey(key) ? await lockLicense(tx, 'key', key) : undefined;
  if (license === undefined) throw licenseNotFound();
  return license;
}

/** Keeps others from changing or activating a license until the transaction ends; a deleted one nobody changes. */
export async function lockLicenseById(tx: TenantTransaction, id: string): Promise<void> {
  await lockLicense(tx, 'id', id);
}

/** The same for several, deleted ones too, in the order of their ids: two that do so never wait for each other. */
export async function lockLicensesById(tx: TenantTransaction, ids: readonly string[]): Promise<void> {
  await lockLicenses(tx, ids);
}

/**
 * Counts a self-service deactivation in `deactivations_count`, which the policy's `max_deactivations` limits. The
 * caller has locked the license.
 */
export async function countDeactivation(tx: TenantTransaction, licenseId: string): Promise<void> {
  await countDeactivationRow(tx, licenseId);
}

/** The one answer for a license that does not exist, was deleted, or is another tenant's. */
export function licenseNotFound(): AppError {
  return new AppError('LICENSE.NOT_FOUND', 'There is no such license. Check its id or its key.');
}

export function auditOf(id: string, event: string) {
  return { event, resourceType: 'license', resourceId: id };
}

function unknownPolicy(message = 'must be the id of an existing policy'): AppError {
  return validationError({ field: 'policy_id', message } satisfies ErrorDetail);
}

function explainConflict(cause: unknown): never {
  if (isUniqueViolation(cause)) {
    const details = [{ field: 'key', message: 'is the key of another license' }];
    throw new AppError('LICENSE.KEY_TAKEN', 'Another license has this key. Choose another key.', { details, cause });
  }
  if (isForeignKeyViolation(cause)) throw unknownPolicy();
  throw cause;
}
