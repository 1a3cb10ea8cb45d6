import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { AppError, orThrow, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { auditsOf, changedFields, createdFields, recordAudit, recordAudits } from '../../tenant-core/audit/audit.ts';
import { type Outbox, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import type { EventType } from '../../tenant-core/events/schemas.ts';
import { releaseQuota, reserveQuota } from '../../tenant-core/plan-limits/service.ts';
import { readSettings } from '../../tenant-core/settings/service.ts';
import { createGrantReferences, prepareGrants, replaceReferences } from '../entitlements/service.ts';
import { assertIssuing, findPolicy } from '../policies/service.ts';
import { explainConflict, unknownPolicy } from './conflicts.ts';
import { findTypedKey } from './filter-queries.ts';
import { noticeChange, noticeIssued } from './holder-notices.ts';
import {
  applyLicenseInput,
  auditedLicenseFields,
  emptyColumns,
  expiredJobKind,
  type LicenseChangeInput,
  licenseState,
  presentLicense,
  storedGrants,
} from './license.ts';
import { generateLicenseKey, readByTypedKey } from './license-key.ts';
import { mayBeRenewed } from './license-status.ts';
import { initialTerm, type TermPolicy } from './license-term.ts';
import { holdPolicies } from './policy-change-service.ts';
import {
  type CountedLicense,
  createLicenseRows,
  findLicense,
  findLicenseByKey,
  findLicenseKey,
  findLicenses,
  lockLicense,
  updateLicenseRow,
} from './queries.ts';
import type { CreateLicense, License, UpdateLicense } from './schemas.ts';

export { countDeactivation, findLicenseRow, lockLicensesById } from './queries.ts';

/** Returns the audit fields that identify a license. */
export const auditOf = auditsOf('license');

/**
 * Creates a license of a policy, with a generated key or the caller's own. The policy sets the dates that `input` does
 * not contain. Throws 422 for an unknown policy, for another product, and for an archived policy or product, 409 for a
 * taken value, and 403 `PLAN.LIMIT_REACHED`.
 */
export async function createLicense(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  input: CreateLicense,
): Promise<CountedLicense> {
  const { policy_id, product_id, key, notify_holder, ...rest } = input;
  const { license_key_prefix, timezone } = await readSettings(tenant.db);
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const at = services.clock.now();
    const policy = orThrow(await findPolicy(tx, policy_id), unknownPolicy);
    if (product_id !== undefined && product_id !== policy.product_id) {
      throw validationError({ field: 'product_id', message: 'Use the product of the policy.' });
    }
    const change = await prepareChange(tx, rest);
    await assertIssuing(tx, policy);
    const chosenKey = key ?? generateLicenseKey(policy.key_prefix ?? license_key_prefix);
    const row = newLicense(policy, chosenKey, change, at, timezone);
    await issueLicenses(services, tx, outbox, actor, [row], at);
    await noticeIssued(services, tx, outbox, [row], notify_holder);
    await reserveQuota(tx, outbox, tenant, { resource: 'licenses', count: 1, at, requestId: actor.requestId });
    return { ...row, activations_count: 0 };
  }).catch(explainConflict);
}

/** The fields of a license in a request, without what the request says about the mail to the holder. */
type LicenseFieldsInput = Omit<UpdateLicense, 'notify_holder'>;

async function prepareChange(tx: TenantTransaction, input: LicenseFieldsInput): Promise<LicenseChangeInput> {
  const { entitlements, ...rest } = input;
  if (entitlements === undefined) return rest;
  return { ...rest, entitlements: await prepareGrants(tx, entitlements ?? []) };
}

/**
 * Inserts new licenses with their entitlement references, audit entries and, if it `publishes`, events. All licenses
 * are created by this function. The caller must call `reserveQuota` at the end of the transaction.
 */
export async function issueLicenses(
  { validationTimes }: Services,
  tx: TenantTransaction,
  outbox: Outbox,
  actor: Actor,
  rows: readonly LicensesTable[],
  at: Timestamp,
  publishes = true,
): Promise<void> {
  await createLicenseRows(tx, rows);
  await createGrantReferences(tx, rows);
  const entries = rows.map((row) => {
    const changes = createdFields(licenseState(row), auditedLicenseFields);
    return { ...auditOf(row.id, 'LICENSE.CREATED'), changes, at };
  });
  await recordAudits(tx, actor, entries);
  const data = () => rows.map((row) => presentLicense({ ...row, activations_count: 0 }, at, validationTimes));
  if (publishes) await outbox.recordAll({ type: 'license.created', data, requestId: actor.requestId, at });
  outbox.wakeUp(expiredJobKind, firstEnd(rows));
}

/** Returns the earliest end of the active licenses; null without one. */
function firstEnd(rows: readonly LicensesTable[]): Timestamp | null {
  let first: Timestamp | null = null;
  for (const { status, expires_at } of rows) {
    if (status === 'active' && expires_at !== null && (first === null || expires_at < first)) first = expires_at;
  }
  return first;
}

/**
 * Returns the API representation of a license, including the changes of the transaction. Throws 404
 * `LICENSE.NOT_FOUND`.
 */
export async function readPresented(
  { validationTimes }: Services,
  tx: TenantTransaction,
  id: string,
  at: Timestamp,
): Promise<License> {
  const row = orThrow(await findLicense(tx, id, at), licenseNotFound);
  return presentLicense(row, at, validationTimes);
}

/** Returns the API representation of several licenses, in no particular order. Deleted licenses are omitted. */
export async function presentAll(
  { validationTimes }: Services,
  tx: TenantTransaction,
  ids: readonly string[],
  at: Timestamp,
): Promise<License[]> {
  return (await findLicenses(tx, ids, at)).map((row) => presentLicense(row, at, validationTimes));
}

/** Returns the key of a license. Throws 404 `LICENSE.NOT_FOUND`. */
export async function readLicenseKey(db: TenantDb, id: string): Promise<string> {
  const key = orThrow(await findLicenseKey(db.query, id), licenseNotFound);
  return key;
}

/** The columns of a policy that a new license needs. */
export type IssuingPolicy = TermPolicy & Pick<PoliciesTable, 'id' | 'product_id'>;

/**
 * Returns the row of a new license. `timezone` is the tenant's. Throws 422 when the license would not end after it
 * starts. The caller must have called `assertIssuing`.
 */
export function newLicense(
  policy: IssuingPolicy,
  key: string,
  input: LicenseChangeInput,
  at: Timestamp,
  timezone: string,
): LicensesTable {
  const empty: LicensesTable = {
    id: newId(),
    product_id: policy.product_id,
    policy_id: policy.id,
    key,
    status: 'active',
    status_reason: null,
    batch_id: null,
    ...emptyColumns,
    starts_at: at,
    entitlements_json: '[]',
    deactivations_count: 0,
    last_validated_at: null,
    metadata_json: '{}',
    created_at: at,
    updated_at: at,
    deleted_at: null,
    expiring_noted_for: null,
    expired_noted_for: null,
    term_anchor: null,
  };
  const { starts_at } = applyLicenseInput(empty, input.starts_at === undefined ? {} : { starts_at: input.starts_at });
  return applyLicenseInput({ ...empty, starts_at, ...initialTerm(policy, starts_at, timezone) }, input);
}

/** A change of one license. */
export interface LicenseChange {
  /** The event name in the audit log. */
  readonly event: string;
  readonly type: EventType & `license.${string}`;
  /** The request body, for actions that have one. */
  readonly input?: LicenseFieldsInput;
  /** Checks the locked license in the transaction, and writes what belongs to the change in other tables. */
  readonly prepare?: (tx: TenantTransaction, before: LicensesTable, at: Timestamp) => Promise<void>;
  /** Why, for the audit record. */
  readonly reason?: string | null | undefined;
  /** The operation that changes this license among others, for the audit record. */
  readonly bulkOperationId?: string;
  /** Whether the holder gets a mail about the change; undefined: the tenant's switches decide. */
  readonly notifyHolder?: boolean | undefined;
  readonly apply: (
    before: LicensesTable,
    policy: PoliciesTable,
    at: Timestamp,
    change: LicenseChangeInput,
  ) => LicensesTable;
}

/** The transaction and the author of a change. */
export interface LicenseTransaction {
  readonly tx: TenantTransaction;
  readonly outbox: Outbox;
  readonly actor: Actor;
}

/**
 * Changes a license in one transaction and returns its new state. When nothing changes, it writes no row, no audit
 * entry and no event. Throws 404 `LICENSE.NOT_FOUND`, and the errors of `apply`.
 */
export async function changeLicense(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
  change: LicenseChange,
): Promise<CountedLicense> {
  const work = (tx: TenantTransaction, outbox: Outbox) => changeLicenseIn(services, { tx, outbox, actor }, id, change);
  return await transactWithEvents(services, tenant, work).catch(explainConflict);
}

/** Does what `changeLicense` does, in the caller's transaction. */
export async function changeLicenseIn(
  services: Services,
  { tx, outbox, actor }: LicenseTransaction,
  id: string,
  { event, type, input = {}, reason, bulkOperationId, notifyHolder, prepare, apply }: LicenseChange,
): Promise<CountedLicense> {
  const before = orThrow(await lockLicense(tx, 'id', id), licenseNotFound);
  const at = services.clock.now();
  await prepare?.(tx, before, at);
  const change = await prepareChange(tx, input);
  const after = apply(before, await policyOf(tx, before), at, change);
  const policies = await holdPolicies(tx, before, after);
  const isChanged = JSON.stringify(after) !== JSON.stringify(before);
  if (isChanged) {
    await updateLicenseRow(tx, { ...after, updated_at: at });
    if (after.entitlements_json !== before.entitlements_json) {
      await replaceReferences(tx, id, storedGrants(after));
    }
    if (policies !== null) await services.licenseDependents.changeLease(tx, outbox, { ...policies, licenseId: id, at });
    const changes = [
      ...changedFields(licenseState(before), licenseState(after), auditedLicenseFields),
      ...createdFields({ reason, bulk_operation_id: bulkOperationId }, ['reason', 'bulk_operation_id']),
    ];
    await recordAudit(tx, actor, { ...auditOf(id, event), changes, at });
  }
  const changed = orThrow(await findLicense(tx, id, at), licenseNotFound);
  if (isChanged) {
    const data = () => presentLicense(changed, at, services.validationTimes);
    const told = type === 'license.renewed' && !mayBeRenewed(after, at) ? 'license.updated' : type;
    await outbox.record({ type: told, data, requestId: actor.requestId, at });
    const isBulk = bulkOperationId !== undefined;
    await noticeChange(services, tx, outbox, { before, after, at, isBulk }, notifyHolder);
    outbox.wakeUp(expiredJobKind, firstEnd([changed]));
  }
  return changed;
}

/** Returns the policy of an existing license. A foreign key guarantees that it exists. */
export async function policyOf(query: TenantDb['query'], license: LicensesTable): Promise<PoliciesTable> {
  const policy = await findPolicy(query, license.policy_id);
  if (policy === undefined)
    throw new Error(`License ${license.id} refers to policy ${license.policy_id}, which does not exist.`);
  return policy;
}

/**
 * Changes the fields that `input` contains. The status cannot be among them, so a revoked license stays revoked. Throws
 * 404 `LICENSE.NOT_FOUND`, and 422 for a policy of another product and for dates that do not fit together.
 */
export function updateLicense(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
  { notify_holder, ...input }: UpdateLicense,
): Promise<CountedLicense> {
  return changeLicense(services, tenant, actor, id, {
    event: 'LICENSE.UPDATED',
    type: 'license.updated',
    input,
    notifyHolder: notify_holder,
    apply: (before, _policy, _at, change) => ({
      ...applyLicenseInput(before, change),
      policy_id: input.policy_id ?? before.policy_id,
    }),
  });
}

/**
 * Marks a license as deleted and keeps its row as history. Releases its activations, and its key can be used again.
 * Throws 404 `LICENSE.NOT_FOUND`.
 */
export async function deleteLicense(services: Services, tenant: Tenant, actor: Actor, id: string): Promise<void> {
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    const row = orThrow(await lockLicense(tx, 'id', id), licenseNotFound);
    const at = services.clock.now();
    // The event contains the license before its deletion, because a deleted license cannot be read.
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
 * Reads the license with this key and locks its row until the transaction ends. The lock serializes changes,
 * activations and usage reports. Throws 404 `LICENSE.NOT_FOUND`, also for a malformed key.
 */
export async function lockLicenseByKey(tx: TenantTransaction, key: string, actor: Actor): Promise<LicensesTable> {
  const license = await readByTypedKey(key, actor, (spelling) => lockLicense(tx, 'key', spelling));
  if (license === undefined) throw licenseNotFound();
  return license;
}

/** Returns the id of the license with this key, as a person typed or pasted it. Throws 404 `LICENSE.NOT_FOUND`. */
export async function findLicenseId({ query }: TenantDb, key: string, actor: Actor): Promise<string> {
  const found = await readByTypedKey(key, actor, (spelling) => findLicenseByKey(query, spelling));
  if (found === undefined) throw licenseNotFound();
  return found.id;
}

/** Returns the stored key for a search text that is a key as a person typed or pasted it, or else the text. */
export function toStoredKey(db: TenantDb, text: string): Promise<string> {
  return findTypedKey(db.query, text);
}

/** Locks the row of a license until the transaction ends. Does nothing for a deleted license, which never changes. */
export async function lockLicenseById(tx: TenantTransaction, id: string): Promise<void> {
  await lockLicense(tx, 'id', id);
}

/** Does what `findLicenseRow` does, and locks the row until the transaction ends. */
export function lockLicenseRow(tx: TenantTransaction, id: string): Promise<LicensesTable | undefined> {
  return lockLicense(tx, 'id', id);
}

/**
 * Returns the same error for an unknown or deleted license and for another tenant's, so that ids cannot be probed.
 */
export function licenseNotFound(): AppError {
  return new AppError('LICENSE.NOT_FOUND', 'The license does not exist. Check its id or its key.');
}
