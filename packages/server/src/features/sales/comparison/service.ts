import type { TenantTransaction } from '../../../db/database.ts';
import { findRow, lockRow, updateRows } from '../../../db/rows.ts';
import type { ComparisonDifferencesTable, ComparisonsTable } from '../../../db/tables/tenant/sales.ts';
import { toPage } from '../../../http/cursor.ts';
import type { Page } from '../../../http/envelope.ts';
import { AppError, orThrow } from '../../../lib/error.ts';
import { newId } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import type { Actor, Tenant } from '../../../tenancy/tenant.ts';
import { auditsOf, recordAudit } from '../../tenant-core/audit/audit.ts';
import { transactWithEvents } from '../../tenant-core/events/outbox.ts';
import { noApi, openShopApi } from '../connections/api-service.ts';
import { readConnection } from '../connections/service.ts';
import { applyDifference } from './apply-difference-service.ts';
import { insertComparison, listComparisons, listDifferences } from './queries.ts';
import type { Comparison, ComparisonDifference, ComparisonsQuery, DifferencesQuery } from './schemas.ts';

/** The kind of the job that reads and compares the pages of shops. */
export const comparisonJobKind = 'sale-comparison';

const auditOf = auditsOf('comparison');

/** Returns a comparison as the API shows it. */
export function presentComparison({ applies_itself, created_at, ...row }: ComparisonsTable): Comparison {
  const { id, state, seen, total, differences, reason, continues_at, ended_at } = row;
  return {
    ...{ id, state, seen, total, differences, applies_itself: applies_itself === 1, reason },
    ...{ continues_at, started_at: created_at, ended_at },
  };
}

function presentDifference(row: ComparisonDifferencesTable): ComparisonDifference {
  const { id, sale_external_id, kind, summary, buyer_json, state, license_ids_json } = row;
  const buyer = buyer_json === null ? null : JSON.parse(buyer_json);
  return { id, external_id: sale_external_id, kind, summary, buyer, state, license_ids: JSON.parse(license_ids_json) };
}

/** Who asks for a comparison, and what it does with what it finds. */
interface NewComparison {
  readonly actor: Actor;
  readonly isNightly: boolean;
}

/**
 * Starts a comparison; a job reads the shop. Throws 404, 422 `SALES.NO_API`, 409 `SALES.COMPARISON_RUNNING`, and 409 for a
 * disabled connection.
 */
export async function startComparison(
  services: Services,
  tenant: Tenant,
  connectionId: string,
  { actor, isNightly }: NewComparison,
): Promise<ComparisonsTable> {
  const connection = await readConnection(tenant.db, connectionId);
  if (openShopApi(services, connection) === null) throw noApi();
  return await transactWithEvents(services, tenant, async (tx, outbox) => {
    const at = services.clock.now();
    const row: ComparisonsTable = {
      ...{ id: newId(), connection_id: connectionId, state: 'running', cursor: null, seen: 0, total: null },
      ...{ differences: 0, applies_itself: isNightly ? 1 : 0, reason: null, continues_at: at },
      ...{ requested_by_type: isNightly ? null : actor.type, requested_by_id: isNightly ? null : actor.id },
      ...{ created_at: at, ended_at: null },
    };
    if (!(await insertComparison(tx, row))) {
      throw new AppError(
        'SALES.COMPARISON_RUNNING',
        'A comparison of this connection is running. Wait until it has ended, or cancel it.',
      );
    }
    const changes = [{ field: 'state', old: null, new: 'running' }];
    await recordAudit(tx, actor, { ...auditOf(row.id, 'COMPARISON.STARTED'), changes, at });
    outbox.wakeUp(comparisonJobKind, at);
    // If this process dies after the commit, another one continues within a minute.
    await services.wakeUps.scheduleBeforeCommit(tenant.id, comparisonJobKind);
    return row;
  });
}

/** Returns a page of the comparisons of a connection, newest first. Throws 404, and 422 for an invalid cursor. */
export async function readComparisons(
  { db }: Tenant,
  connectionId: string,
  query: ComparisonsQuery,
): Promise<Page<Comparison>> {
  await readConnection(db, connectionId);
  const { rows, nextCursor } = toPage(await listComparisons(db, connectionId, query), query.limit);
  return { nextCursor, rows: rows.map(presentComparison) };
}

/** Returns a comparison of a connection. Throws 404. */
export async function readComparison({ db }: Tenant, connectionId: string, id: string): Promise<ComparisonsTable> {
  await readConnection(db, connectionId);
  const row = await findRow(db.query, 'comparisons', { id, connection_id: connectionId });
  if (row !== undefined) return row;
  throw new AppError(
    'RESOURCE.NOT_FOUND',
    'There is no such comparison. List the comparisons of the connection to find its id.',
  );
}

/** Returns a page of the differences of a comparison, newest first. Throws 404, and 422 for an invalid cursor. */
export async function readDifferences(
  tenant: Tenant,
  connectionId: string,
  comparisonId: string,
  query: DifferencesQuery,
): Promise<Page<ComparisonDifference>> {
  await readComparison(tenant, connectionId, comparisonId);
  const { rows, nextCursor } = toPage(await listDifferences(tenant.db, comparisonId, query), query.limit);
  return { nextCursor, rows: rows.map(presentDifference) };
}

/** The ids of a difference's path. */
interface DifferencePath {
  readonly connectionId: string;
  readonly comparisonId: string;
  readonly id: string;
}

/** Applies a difference at the request of a person. Throws 404 and what `applyDifference` throws. */
export async function applyOne(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { connectionId, comparisonId, id }: DifferencePath,
): Promise<ComparisonDifference> {
  await readComparison(tenant, connectionId, comparisonId);
  const row = await findRow(tenant.db.query, 'comparison_differences', { id, comparison_id: comparisonId });
  if (row === undefined) throw differenceNotFound();
  await applyDifference({ services, tenant, actor }, connectionId, row);
  const applied = await findRow(tenant.db.query, 'comparison_differences', { id, comparison_id: comparisonId });
  if (applied === undefined) throw differenceNotFound();
  return presentDifference(applied);
}

function differenceNotFound(): AppError {
  return new AppError(
    'RESOURCE.NOT_FOUND',
    'There is no such difference. List the differences of the comparison to find its id.',
  );
}

/** Locks a comparison that was just read. */
async function lockComparison(tx: TenantTransaction, id: string): Promise<ComparisonsTable> {
  return orThrow(await lockRow(tx, 'comparisons', id), () => new Error(`The comparison ${id} was removed.`));
}

/**
 * Lets the job apply all open differences of a comparison, and those that a running one still finds. A repetition tries again
 * those that were refused. Throws 404.
 */
export async function applyAll(
  services: Services,
  tenant: Tenant,
  actor: Actor,
  { connectionId, comparisonId }: Omit<DifferencePath, 'id'>,
): Promise<Comparison> {
  await readComparison(tenant, connectionId, comparisonId);
  const row = await transactWithEvents(services, tenant, async (tx, outbox) => {
    const before = await lockComparison(tx, comparisonId);
    const at = services.clock.now();
    // The cursor of one that has ended is the difference that was applied last.
    const restart = before.ended_at === null ? {} : { cursor: null, continues_at: at };
    const fields = { applies_itself: 1, ...restart } as const;
    await updateRows(tx, 'comparisons', comparisonId, fields);
    const changes = [{ field: 'applies_itself', old: before.applies_itself === 1, new: true }];
    await recordAudit(tx, actor, { ...auditOf(comparisonId, 'COMPARISON.APPLIED'), changes, at });
    outbox.wakeUp(comparisonJobKind, at);
    // If this process dies after the commit, another one continues within a minute.
    await services.wakeUps.scheduleBeforeCommit(tenant.id, comparisonJobKind);
    return { ...before, ...fields };
  });
  return presentComparison(row);
}

/**
 * Ends a comparison after its present page, or stops it while it applies what it has found. What it found and applied until
 * then is kept. One that does neither stays as it is. Throws 404.
 */
export async function cancelComparison(
  { clock }: Services,
  tenant: Tenant,
  actor: Actor,
  { connectionId, comparisonId }: Omit<DifferencePath, 'id'>,
): Promise<Comparison> {
  await readComparison(tenant, connectionId, comparisonId);
  const row = await tenant.db.transaction(async (tx) => {
    const before = await lockComparison(tx, comparisonId);
    if (before.continues_at === null) return before;
    const at = clock.now();
    const isReading = before.ended_at === null;
    const end = isReading
      ? ({ state: 'failed', reason: 'The comparison was cancelled.', continues_at: null, ended_at: at } as const)
      : ({ applies_itself: 0, cursor: null, continues_at: null } as const);
    await updateRows(tx, 'comparisons', comparisonId, end);
    const changes = isReading
      ? [{ field: 'state', old: before.state, new: 'failed' }]
      : [{ field: 'applies_itself', old: true, new: false }];
    await recordAudit(tx, actor, { ...auditOf(comparisonId, 'COMPARISON.CANCELLED'), changes, at });
    return { ...before, ...end };
  });
  return presentComparison(row);
}
