import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../../db/errors.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import { AppError, orThrow, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { ClockServices, Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { auditsOf, changedFields, createdFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { createGrantReferences, prepareGrants, replaceReferences } from '../entitlements/service.ts';
import {
  applyPolicyInput,
  auditedPolicyFields,
  type PolicyChange,
  policyRowDefaults,
  presentPolicy,
} from './policy.ts';
import {
  createPolicyRow,
  deletePolicyRow,
  findPolicyRows,
  hasLicenses,
  isOfArchivedProduct,
  isTrialPolicy,
  listPolicyRows,
  lockPolicy,
  updatePolicyRow,
} from './queries.ts';
import type { CreatePolicy, UpdatePolicy } from './schemas.ts';

export { findPolicy, findPolicyByCode, holdPolicy, listAllPolicies } from './queries.ts';

const auditOf = auditsOf('policy');

/**
 * Creates a policy of a product. Throws 422 for an unknown product and for grants that do not fit their entitlements,
 * and 409 `POLICY.CODE_TAKEN`.
 */
export async function createPolicy(
  { clock }: ClockServices,
  tenant: Tenant,
  actor: Actor,
  input: CreatePolicy,
): Promise<PoliciesTable> {
  const { product_id, code, name, ...rest } = input;
  return await tenant.db
    .transaction(async (tx) => {
      const at = clock.now();
      const empty = { id: newId(), product_id, code, name, ...policyRowDefaults, created_at: at, updated_at: at };
      const change = await prepareChange(tx, rest);
      const row = applyPolicyInput(empty, change);
      assertOneDuration(row);
      await createPolicyRow(tx, row);
      if (change.entitlements !== undefined) await replaceReferences(tx, row.id, change.entitlements);
      const changes = createdFields(presentPolicy(row), auditedPolicyFields);
      await recordAudit(tx, actor, { ...auditOf(row.id, 'POLICY.CREATED'), changes, at });
      return row;
    })
    .catch((error: unknown) => {
      if (isForeignKeyViolation(error)) {
        throw validationError({ field: 'product_id', message: 'Choose an existing product.' });
      }
      return explainConflict(error);
    });
}

/**
 * Changes the fields that `input` contains. Verdicts use them immediately; the dates of existing licenses do not
 * change. Another lease starts at once for the active devices of its licenses. Throws 404 `RESOURCE.NOT_FOUND`, 409
 * `POLICY.CODE_TAKEN`, and 422 for grants that do not fit.
 */
export async function updatePolicy(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
  input: UpdatePolicy,
): Promise<PoliciesTable> {
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const before = orThrow(await lockPolicy(tx, id), policyNotFound);
    const at = services.clock.now();
    const change = await prepareChange(tx, input);
    const after = { ...applyPolicyInput(before, change), updated_at: at };
    assertOneDuration(after);
    const changes = changedFields(presentPolicy(before), presentPolicy(after), auditedPolicyFields);
    if (changes.length === 0) return before;
    await updatePolicyRow(tx, after);
    if (change.entitlements !== undefined) await replaceReferences(tx, id, change.entitlements);
    await services.licenseDependents.changeLease(tx, outbox, { from: before, to: after, at });
    await recordAudit(tx, actor, { ...auditOf(id, 'POLICY.UPDATED'), changes, at });
    return after;
  }).catch(explainConflict);
}

/** Returns true if `deletePolicy` would delete the policy now. */
export async function isDeletable({ db }: Tenant, row: PoliciesTable): Promise<boolean> {
  return !(await isTrialPolicy(db.query, row)) && !(await hasLicenses(db, row.id));
}

/** Deletes a policy that no license ever used and that is not the trial of its product. Throws 404 `RESOURCE.NOT_FOUND` and 409 `POLICY.IN_USE`. */
export async function deletePolicy({ clock }: ClockServices, tenant: Tenant, actor: Actor, id: string): Promise<void> {
  await tenant.db
    .transaction(async (tx) => {
      const row = orThrow(await lockPolicy(tx, id), policyNotFound);
      if (await isTrialPolicy(tx, row)) throw policyInUse();
      await deletePolicyRow(tx, row);
      await replaceReferences(tx, id, []);
      await recordAudit(tx, actor, { ...auditOf(id, 'POLICY.DELETED'), at: clock.now() });
    })
    .catch(explainConflict);
}

/** Throws 422 `POLICY.ARCHIVED` or `PRODUCT.ARCHIVED` if no licenses are issued under a policy. */
export async function assertIssuing(
  tx: TenantTransaction,
  policy: Pick<PoliciesTable, 'product_id' | 'archived_at'>,
): Promise<void> {
  if (policy.archived_at !== null) throw policyArchived();
  if (await isOfArchivedProduct(tx, policy)) {
    const message =
      'The product of the policy is archived. Unarchive the product, or choose a policy of another product.';
    throw new AppError('PRODUCT.ARCHIVED', message, { details: [{ field: 'policy_id', message }] });
  }
}

function policyArchived(): AppError {
  const message = 'The policy is archived. Unarchive it, or choose another policy.';
  return new AppError('POLICY.ARCHIVED', message, { details: [{ field: 'policy_id', message }] });
}

/** Returns the policies with these ids, by id. */
export async function findPoliciesById(
  db: TenantDb,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PoliciesTable>> {
  return new Map((await findPolicyRows(db, ids)).map((row) => [row.id, row]));
}

/** Copies every policy into the database of a new tenant, which must have the products and entitlements. */
export async function copyPolicies(from: TenantDb, tx: TenantTransaction): Promise<void> {
  const rows = await listPolicyRows(from);
  for (const row of rows) await createPolicyRow(tx, row);
  await createGrantReferences(tx, rows);
}

/**
 * Returns the same error for an unknown policy and for another tenant's, so that ids of other tenants cannot be probed.
 */
export function policyNotFound(): AppError {
  return new AppError('RESOURCE.NOT_FOUND', 'The policy does not exist. List the policies to find its id.');
}

async function prepareChange(tx: TenantTransaction, input: UpdatePolicy): Promise<PolicyChange> {
  const { entitlements, ...rest } = input;
  if (entitlements === undefined) return rest;
  return { ...rest, entitlements: await prepareGrants(tx, entitlements ?? []) };
}

function assertOneDuration({ duration_days, duration_months }: PoliciesTable): void {
  if (duration_days === null || duration_months === null) return;
  throw validationError({ field: 'duration_months', message: 'Choose a length in days or in months, not both.' });
}

function explainConflict(cause: unknown): never {
  if (isUniqueViolation(cause)) {
    const details = [{ field: 'code', message: 'Another policy of the product has this code. Choose another one.' }];
    throw new AppError('POLICY.CODE_TAKEN', 'Another policy of this product has this code. Choose another code.', {
      details,
      cause,
    });
  }
  if (isForeignKeyViolation(cause)) throw policyInUse(cause);
  throw cause;
}

function policyInUse(cause?: unknown): AppError {
  const message =
    'The policy cannot be deleted because licenses were issued under it, or because it is the trial of its product. ' +
    'Archive it instead: no licenses are issued under it then, and its licenses stay as they are.';
  return new AppError('POLICY.IN_USE', message, { cause });
}
