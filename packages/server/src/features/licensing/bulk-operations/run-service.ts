import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { lockRow, updateRows } from '../../../db/rows.ts';
import type { BulkChangesTable, BulkOperationsTable } from '../../../db/tables/tenant/bulk.ts';
import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import { encodeCursor } from '../../../http/cursor.ts';
import { toStoredTimestamp } from '../../../http/timestamp.ts';
import { AppError } from '../../../lib/error.ts';
import type { Services } from '../../../services.ts';
import { requesterOf } from '../../../tenancy/requester.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import type { FieldChange } from '../../tenant-core/audit/audit.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { timezoneIn } from '../../tenant-core/settings/service.ts';
import type { StoredGrant } from '../entitlements/grants.ts';
import { prepareGrants } from '../entitlements/service.ts';
import { readMatchingPage } from '../licenses/bulk-service.ts';
import type { Override } from '../licenses/license.ts';
import { transitionInvalid } from '../licenses/license-status.ts';
import { transitionEvents } from '../licenses/lifecycle-service.ts';
import { changeLicenseIn, type LicenseChange, type LicenseTransaction, lockLicensesById } from '../licenses/service.ts';
import { findPolicy } from '../policies/service.ts';
import { type ActionContext, applyAction, applyUndo, changesBetween, referencesOf } from './action.ts';
import { insertChanges, listChanges } from './queries.ts';
import type { BulkAction, Refusal } from './schemas.ts';

/** Licenses per transaction: a few milliseconds of the thread that also answers validations. */
const batchSize = 10;
const refusalsMax = 20;

interface Target {
  readonly id: string;
  /** Where the operation continues after this license. */
  readonly position: string;
  /** What the operation to undo did to the license. */
  readonly undone?: readonly FieldChange[];
}

/**
 * Continues an operation by the next licenses. It changes them, records what it did and stores its position in one
 * transaction, so a process that dies repeats nothing. After the last license the operation ends.
 */
export async function continueOperation(
  services: Services,
  tenant: Tenant,
  operation: BulkOperationsTable,
): Promise<void> {
  const targets = await readTargets(tenant.db, operation);
  await transactWithEvents(services, tenant, async (tx, outbox) => {
    const locked = await lockRow(tx, 'bulk_operations', operation.id);
    // It was cancelled, or another run has changed the same licenses meanwhile.
    if (locked?.state !== 'running' || locked.cursor !== operation.cursor) return;
    const last = targets.at(-1);
    if (last === undefined) {
      await updateRows(tx, 'bulk_operations', locked.id, {
        state: 'done',
        ended_at: services.clock.now(),
        continues_at: null,
      });
    } else {
      const counts = await changeLicenses(services, { tx, outbox, actor: requesterOf(locked) }, locked, targets);
      await updateRows(tx, 'bulk_operations', locked.id, { cursor: last.position, ...counts });
    }
  });
}

/** Returns the next licenses of an operation. Licenses that were issued after it began are left out. */
async function readTargets(db: TenantDb, operation: BulkOperationsTable): Promise<Target[]> {
  const { cursor, license_ids_json, filter_json, undoes_id, created_at } = operation;
  if (undoes_id !== null) {
    const page = { operationId: undoes_id, after: cursor ?? '', limit: batchSize, withRefusals: false };
    const rows = await listChanges(db.query, page);
    return rows.map(({ license_id: id, changes_json }) => ({ id, position: id, undone: JSON.parse(changes_json) }));
  }
  if (license_ids_json !== null) {
    const ids: string[] = JSON.parse(license_ids_json);
    const rest = ids.filter((id) => cursor === null || id > cursor);
    return rest.slice(0, batchSize).map((id) => ({ id, position: id }));
  }
  return await readMatching(db, JSON.parse(filter_json ?? '{}'), { cursor, created_at });
}

async function readMatching(
  db: TenantDb,
  filter: object,
  { cursor, created_at }: Pick<BulkOperationsTable, 'cursor' | 'created_at'>,
): Promise<Target[]> {
  for (let from = cursor; ; ) {
    const page = { ...filter, limit: batchSize, ...(from !== null && { cursor: from }) };
    const { rows, nextCursor } = await readMatchingPage(db, page, created_at);
    const older = rows.filter((row) => row.created_at <= created_at);
    if (older.length > 0) return older.map((row) => ({ id: row.id, position: encodeCursor([row.created_at, row.id]) }));
    if (nextCursor === null) return [];
    from = nextCursor;
  }
}

/** What happened to a license. */
interface Outcome {
  readonly changes: readonly FieldChange[];
  readonly refusal: AppError | null;
}

type Counts = Pick<BulkOperationsTable, 'changed' | 'unchanged' | 'refused' | 'refusals_json'>;

/** Changes licenses, records what it did, and returns the counts of the operation with them. */
async function changeLicenses(
  services: Services,
  work: LicenseTransaction,
  operation: BulkOperationsTable,
  targets: readonly Target[],
): Promise<Counts> {
  await lockLicensesById(
    work.tx,
    targets.map(({ id }) => id),
  );
  const at = services.clock.now();
  const changeOne = await changerOf(services, work, operation);
  const rows: BulkChangesTable[] = [];
  const refusals: AppError[] = [];
  for (const target of targets) {
    const { changes, refusal } = await changeOne(target);
    if (refusal !== null) refusals.push(refusal);
    if (refusal === null && changes.length === 0) continue;
    const row = { operation_id: operation.id, license_id: target.id, created_at: at };
    rows.push({ ...row, changes_json: JSON.stringify(changes), refusal: refusal?.message ?? null });
  }
  await insertChanges(work.tx, rows);
  return {
    changed: operation.changed + rows.length - refusals.length,
    unchanged: operation.unchanged + targets.length - rows.length,
    refused: operation.refused + refusals.length,
    refusals_json: JSON.stringify(addRefusals(JSON.parse(operation.refusals_json), refusals)),
  };
}

/** Adds refusals to the numbers of their reasons. */
export function addRefusals(counted: readonly Refusal[], errors: readonly AppError[]): Refusal[] {
  const all = counted.map((refusal) => ({ ...refusal }));
  for (const { code, message } of errors) {
    const known = all.find((refusal) => refusal.message === message);
    if (known !== undefined) known.count += 1;
    else if (all.length < refusalsMax) all.push({ code, message, count: 1 });
  }
  return all;
}

type ChangeOne = (target: Target) => Promise<Outcome>;

/** Returns the function that changes one license of an operation, in the transaction of its batch. */
async function changerOf(
  services: Services,
  work: LicenseTransaction,
  operation: BulkOperationsTable,
): Promise<ChangeOne> {
  const common = {
    reason: operation.reason,
    bulkOperationId: operation.id,
    notifyHolder: operation.notifies_holders === 1,
  };
  if (operation.undoes_id !== null) {
    return ({ id, undone = [] }) => record(services, work, id, { ...common, ...undoOf(undone) });
  }
  const action: BulkAction = JSON.parse(operation.action_json);
  const context = await readContext(work.tx, action, operation.reason);
  if (context instanceof AppError) return async () => ({ changes: [], refusal: context });
  const event = eventOf(action.type);
  return ({ id }) =>
    record(services, work, id, {
      ...common,
      ...event,
      apply: (before, policy, at) => applyAction(action, before, policy, context, at),
    });
}

/** Changes a license like a single change does, and returns what it changed. Nothing is written before a refusal. */
async function record(
  services: Services,
  work: LicenseTransaction,
  id: string,
  change: LicenseChange,
): Promise<Outcome> {
  let changes: readonly FieldChange[] = [];
  const apply: LicenseChange['apply'] = (before, ...rest) => {
    const after = change.apply(before, ...rest);
    changes = changesBetween(before, after);
    return after;
  };
  try {
    await changeLicenseIn(services, work, id, { ...change, apply });
    return { changes, refusal: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { changes: [], refusal: error };
  }
}

const updated = { event: 'LICENSE.UPDATED', type: 'license.updated' } as const;

function eventOf(type: BulkAction['type']) {
  return type === 'suspend' || type === 'reinstate' || type === 'revoke' ? transitionEvents[type] : updated;
}

/** Reads and locks what an action refers to. Returns why no license can be changed if it was deleted meanwhile. */
export async function readContext(
  tx: TenantTransaction,
  action: BulkAction,
  reason: string | null,
): Promise<ActionContext | AppError> {
  const timezone = await timezoneIn(tx);
  if (action.policy_id !== undefined) {
    const policy = await findPolicy(tx, action.policy_id);
    if (policy === undefined) return transitionInvalid('The policy was deleted. Choose another policy.');
    return { reason, timezone, policy };
  }
  if (action.entitlement === undefined) return { reason, timezone };
  try {
    const [grant] = await prepareGrants(tx, [action.entitlement]);
    return { reason, timezone, ...(grant !== undefined && { grant: stored(grant) }) };
  } catch (error) {
    if (error instanceof AppError)
      return transitionInvalid('The entitlement was deleted, or does not fit. Choose another one.');
    throw error;
  }
}

function stored(grant: StoredGrant<Override>): StoredGrant<Override> {
  return grant.expires_at == null ? grant : { ...grant, expires_at: toStoredTimestamp(grant.expires_at) };
}

function refuseOverride(error: unknown): never {
  if (error instanceof AppError)
    throw transitionInvalid('The former entitlement was deleted. Change the license alone.');
  throw error;
}

/** Returns the change that takes these changes back. */
function undoOf(undone: readonly FieldChange[]): Omit<LicenseChange, 'reason' | 'bulkOperationId' | 'notifyHolder'> {
  const status = undone.find(({ field }) => field === 'status')?.old as LicensesTable['status'] | undefined;
  const transition = status === 'active' ? 'reinstate' : status === 'suspended' ? 'suspend' : 'revoke';
  return {
    ...(status === undefined ? updated : transitionEvents[transition]),
    async prepare(tx) {
      const { policyId, overrides } = referencesOf(undone);
      if (policyId !== undefined && (await findPolicy(tx, policyId)) === undefined) {
        throw transitionInvalid('The former policy was deleted. Change the license alone.');
      }
      if (overrides.length > 0) await prepareGrants(tx, overrides).catch(refuseOverride);
    },
    apply(before) {
      const after = applyUndo(undone, before);
      if (after !== before) return after;
      throw transitionInvalid('The license was changed since. Compare it with the file of changes.');
    },
  };
}
