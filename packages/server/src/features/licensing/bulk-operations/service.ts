import type { TenantTransaction } from '../../../db/database.ts';
import { findRow, insertRow, lockRow, updateRows } from '../../../db/rows.ts';
import type { BulkOperationsTable } from '../../../db/tables/tenant/bulk.ts';
import { toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import { AppError, orThrow, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import { requesterColumns } from '../../../tenancy/requester.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { auditsOf, createdFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import { type Outbox, transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { countMatching, type LicenseFilters } from '../licenses/bulk-service.ts';
import { findPolicy } from '../policies/service.ts';
import { assertComplete } from './action.ts';
import { listOperations } from './queries.ts';
import { readContext } from './run-service.ts';
import type { BulkAction, BulkOperation, BulkOperationsQuery, CreateBulkOperation } from './schemas.ts';

const auditOf = auditsOf('bulk_operation');

/** The kind of the job that changes the licenses of operations. */
export const bulkJobKind = 'bulk-operation';

/** More licenses than that are not counted before an operation. */
const countedMax = 100_000;

/** Returns an operation as the API shows it. */
export function presentOperation(row: BulkOperationsTable): BulkOperation {
  const { id, reason, state, total, changed, unchanged, refused, created_at, ended_at } = row;
  return {
    id,
    action: JSON.parse(row.action_json),
    filter: row.filter_json === null ? null : JSON.parse(row.filter_json),
    reason,
    notify_holder: row.notifies_holders === 1,
    ...{ state, total, changed, unchanged, refused },
    refusals: JSON.parse(row.refusals_json),
    undoes: row.undoes_id,
    undone_by: row.undone_by_id,
    ...{ created_at, ended_at },
  };
}

/** Throws 422 unless a request names its licenses in one way, and what happens to them completely. */
export function assertWellFormed({ filter, ids, action }: CreateBulkOperation): void {
  if ((filter === undefined) === (ids === undefined)) {
    throw validationError({ field: 'filter', message: 'Send either a filter or ids.' });
  }
  if (filter?.metadata_value !== undefined && filter.metadata_key === undefined) {
    throw validationError({ field: 'filter.metadata_key', message: 'Enter the key that the value belongs to.' });
  }
  assertComplete(action);
}

/** Throws 422 if the action refers to something that does not exist or does not fit. */
export async function assertReferences(tx: TenantTransaction, action: BulkAction): Promise<void> {
  if (action.policy_id !== undefined && (await findPolicy(tx, action.policy_id)) === undefined) {
    throw validationError({ field: 'action.policy_id', message: 'Choose an existing policy.' });
  }
  const context = await readContext(tx, action, null);
  if (context instanceof AppError) {
    const message = 'Choose an existing entitlement, with fields that fit its type.';
    throw validationError({ field: 'action.entitlement', message });
  }
}

/** Starts an operation; a job changes the licenses. Throws 422 for an incomplete action and for unknown references. */
export async function startOperation(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  input: CreateBulkOperation,
): Promise<BulkOperationsTable> {
  assertWellFormed(input);
  const { filter, ids, action, reason = null, notify_holder = false } = input;
  const filters: LicenseFilters = filter ?? {};
  const total = ids?.length ?? (await countMatching(tenant.db, filters, services.clock.now(), countedMax));
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    await assertReferences(tx, action);
    return await insert({ services, tenant, tx, outbox, actor }, 'BULK_OPERATION.STARTED', {
      action_json: JSON.stringify(action),
      filter_json: ids === undefined ? JSON.stringify(filters) : null,
      license_ids_json: ids === undefined ? null : JSON.stringify(ids.toSorted()),
      undoes_id: null,
      ...{ reason, total, notifies_holders: notify_holder ? 1 : 0 },
    });
  });
}

type Requested = Pick<
  BulkOperationsTable,
  'action_json' | 'filter_json' | 'license_ids_json' | 'undoes_id' | 'reason' | 'total' | 'notifies_holders'
>;

interface Start {
  readonly services: Services;
  readonly tenant: Tenant;
  readonly tx: TenantTransaction;
  readonly outbox: Outbox;
  readonly actor: Actor;
}

async function insert(
  { services, tenant, tx, outbox, actor }: Start,
  event: string,
  requested: Requested,
): Promise<BulkOperationsTable> {
  const at = services.clock.now();
  const row: BulkOperationsTable = {
    id: newId(),
    ...requested,
    undone_by_id: null,
    state: 'running',
    ...{ changed: 0, unchanged: 0, refused: 0, refusals_json: '[]', cursor: null, continues_at: at },
    ...requesterColumns(actor),
    ...{ created_at: at, ended_at: null },
  };
  await insertRow(tx, 'bulk_operations', row);
  const { action, total, reason, undoes } = presentOperation(row);
  const changes = createdFields({ action, total, reason, undoes }, ['action', 'total', 'reason', 'undoes']);
  await recordAudit(tx, actor, { ...auditOf(row.id, event), changes, at });
  outbox.wakeUp(bulkJobKind, at);
  // If this process dies after the commit, another one continues within a minute.
  await services.wakeUps.scheduleBeforeCommit(tenant.id, bulkJobKind);
  return row;
}

/** Returns a page of the operations, newest first. Throws 422 for an invalid cursor. */
export async function readOperations({ db }: Tenant, query: BulkOperationsQuery): Promise<Page<BulkOperation>> {
  const { rows, nextCursor } = toPage(await listOperations(db, query), query.limit);
  return { nextCursor, rows: rows.map(presentOperation) };
}

/** Returns an operation. Throws 404 `RESOURCE.NOT_FOUND`. */
export async function readOperation({ db }: Tenant, id: string): Promise<BulkOperationsTable> {
  const row = orThrow(await findRow(db.query, 'bulk_operations', id), operationNotFound);
  return row;
}

/**
 * Ends a running operation after its present batch. What it changed stays. A repeated request changes nothing. Throws
 * 404, and 409 `BULK_OPERATION.TRANSITION_INVALID` for an operation that is done.
 */
export async function cancelOperation(
  { clock }: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
): Promise<BulkOperationsTable> {
  return await tenant.db.transaction(async (tx) => {
    const before = orThrow(await lockRow(tx, 'bulk_operations', id), operationNotFound);
    if (before.state === 'cancelled') return before;
    if (before.state === 'done') throw transitionInvalid('The operation has ended. Start an undo to take it back.');
    const at = clock.now();
    const fields = { state: 'cancelled', ended_at: at, continues_at: null } as const;
    await updateRows(tx, 'bulk_operations', id, fields);
    const changes = [{ field: 'state', old: before.state, new: fields.state }];
    await recordAudit(tx, actor, { ...auditOf(id, 'BULK_OPERATION.CANCELLED'), changes, at });
    return { ...before, ...fields };
  });
}

/**
 * Starts an operation that takes an ended one back: each field gets its former value if nobody has changed it since.
 * Throws 404, and 409 `BULK_OPERATION.TRANSITION_INVALID` for a running operation and for one that is already undone.
 */
export async function undoOperation(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
): Promise<BulkOperationsTable> {
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const undone = orThrow(await lockRow(tx, 'bulk_operations', id), operationNotFound);
    if (undone.state === 'running') throw transitionInvalid('The operation is running. Cancel it first.');
    if (
      undone.undone_by_id !== null &&
      (await lockRow(tx, 'bulk_operations', undone.undone_by_id))?.state !== 'cancelled'
    ) {
      throw transitionInvalid('The operation was undone before. Start a new operation instead.');
    }
    const row = await insert({ services, tenant, tx, outbox, actor }, 'BULK_OPERATION.UNDONE', {
      action_json: JSON.stringify({ type: 'undo' }),
      filter_json: null,
      license_ids_json: null,
      undoes_id: id,
      reason: undone.reason,
      total: undone.changed,
      notifies_holders: undone.notifies_holders,
    });
    await updateRows(tx, 'bulk_operations', id, { undone_by_id: row.id });
    return row;
  });
}

function operationNotFound(): AppError {
  const message = 'There is no such operation. List the bulk operations to find its id.';
  return new AppError('RESOURCE.NOT_FOUND', message);
}

function transitionInvalid(message: string): AppError {
  return new AppError('BULK_OPERATION.TRANSITION_INVALID', message);
}
