import type { TenantTransaction } from '../../../db/database.ts';
import { findRow, insertRow, lockRow, updateRows } from '../../../db/rows.ts';
import type { LicenseBatchesTable } from '../../../db/tables/tenant/bulk.ts';
import { toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import type { FileFormat } from '../../../http/file-export.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { escapeFormula, writeCsv } from '../../../lib/csv.ts';
import { AppError, orThrow, validationError } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import type { Services } from '../../../services.ts';
import { requesterColumns } from '../../../tenancy/requester.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { auditsOf, createdFields, recordAudit } from '../../tenant-core/audit/audit.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { planLimitReached, readQuota } from '../../tenant-core/plan-limits/service.ts';
import { readMatchingPage } from '../licenses/bulk-service.ts';
import { deriveStatus } from '../licenses/license-status.ts';
import { assertIssuing, findPolicy } from '../policies/service.ts';
import { listBatches } from './queries.ts';
import type { CreateLicenseBatch, LicenseBatch, LicenseBatchesQuery } from './schemas.ts';

/** The kind of the job that issues the licenses of batches. */
export const batchJobKind = 'license-batch';

const auditOf = auditsOf('license_batch');
const auditedFields = ['name', 'policy_id', 'count', 'note'] as const;
const keysPageSize = 500;

/** Returns a batch as the API shows it. */
export function presentBatch(row: LicenseBatchesTable): LicenseBatch {
  const { id, name, policy_id, note, count, issued, state, reason, created_at, ended_at } = row;
  return { id, name, policy_id, note, count, issued, state, reason, created_at, ended_at };
}

/**
 * Creates a batch; a job issues its licenses. Throws 422 for an unknown and for an archived policy, and 403
 * `PLAN.LIMIT_REACHED` for more licenses than the plan allows.
 */
export async function createBatch(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { name, policy_id, count, note = null }: CreateLicenseBatch,
): Promise<LicenseBatchesTable> {
  const left = await readQuota(tenant.db.query, tenant, 'licenses');
  if (left !== null && left < count) throw planLimitReached('licenses', tenant.limits.licenses ?? 0);
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const policy = await findPolicy(tx, policy_id);
    if (policy === undefined) {
      throw validationError({ field: 'policy_id', message: 'Choose an existing policy.' });
    }
    await assertIssuing(tx, policy);
    const at = services.clock.now();
    const row: LicenseBatchesTable = {
      ...{ id: newId(), name, policy_id, note, count, issued: 0, state: 'running', reason: null, continues_at: at },
      ...requesterColumns(actor),
      ...{ created_at: at, ended_at: null },
    };
    await insertRow(tx, 'license_batches', row);
    const changes = createdFields(row, auditedFields);
    await recordAudit(tx, actor, { ...auditOf(row.id, 'LICENSE_BATCH.CREATED'), changes, at });
    outbox.wakeUp(batchJobKind, at);
    // If this process dies after the commit, another one continues within a minute.
    await services.wakeUps.scheduleBeforeCommit(tenant.id, batchJobKind);
    return row;
  });
}

/** Ends a running batch that the transaction has locked. The licenses that exist stay. */
export async function endBatchEarly(
  tx: TenantTransaction,
  row: LicenseBatchesTable,
  reason: string,
  at: Timestamp,
): Promise<LicenseBatchesTable> {
  const end = { state: 'failed', reason, continues_at: null, ended_at: at } as const;
  await updateRows(tx, 'license_batches', row.id, end);
  return { ...row, ...end };
}

/**
 * Ends a batch after its present step. The licenses that were issued until then are kept. A batch that has ended stays as it
 * is. Throws 404 `RESOURCE.NOT_FOUND`.
 */
export async function cancelBatch(
  { clock }: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
): Promise<LicenseBatchesTable> {
  return await tenant.db.transaction(async (tx) => {
    const before = orThrow(await lockRow(tx, 'license_batches', id), batchNotFound);
    if (before.state !== 'running') return before;
    const at = clock.now();
    const after = await endBatchEarly(tx, before, 'The batch was cancelled.', at);
    const changes = [{ field: 'state', old: before.state, new: after.state }];
    await recordAudit(tx, actor, { ...auditOf(id, 'LICENSE_BATCH.CANCELLED'), changes, at });
    return after;
  });
}

/** Returns a page of the batches, newest first. Throws 422 for an invalid cursor. */
export async function readBatches({ db }: Tenant, query: LicenseBatchesQuery): Promise<Page<LicenseBatch>> {
  const { rows, nextCursor } = toPage(await listBatches(db, query), query.limit);
  return { nextCursor, rows: rows.map(presentBatch) };
}

/** Returns a batch. Throws 404 `RESOURCE.NOT_FOUND`. */
export async function readBatch({ db }: Tenant, id: string): Promise<LicenseBatchesTable> {
  return orThrow(await findRow(db.query, 'license_batches', id), batchNotFound);
}

const batchNotFound = () =>
  new AppError('RESOURCE.NOT_FOUND', 'There is no such batch. List the license batches to find its id.');

/** Yields the text of a file with the keys of a batch that are not deleted, newest first. */
export async function* writeKeys(
  { clock }: Services,
  { db }: Tenant,
  batchId: string,
  format: FileFormat,
): AsyncGenerator<string, void> {
  if (format === 'csv') yield writeCsv([['key', 'status', 'expires_at', 'license_id']]);
  for (let cursor: string | null = null, isLast = false; !isLast; ) {
    const now = clock.now();
    const page = { batch_id: batchId, limit: keysPageSize, ...(cursor !== null && { cursor }) };
    const { rows, nextCursor } = await readMatchingPage(db, page, now);
    const lines = rows.map((row) => {
      const line = { key: row.key, status: deriveStatus(row, now), expires_at: row.expires_at, license_id: row.id };
      if (format === 'ndjson') return `${JSON.stringify(line)}\n`;
      return writeCsv([[escapeFormula(line.key), line.status, line.expires_at ?? '', line.license_id]]);
    });
    yield lines.join('');
    cursor = nextCursor;
    isLast = nextCursor === null;
    await yieldToEventLoop();
  }
}
