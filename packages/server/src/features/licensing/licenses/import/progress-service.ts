import type { TenantTransaction } from '../../../../db/database.ts';
import { deleteRows, findRow, insertRow, lockRow, updateRows } from '../../../../db/rows.ts';
import type { LicenseImportsTable } from '../../../../db/tables/tenant/bulk.ts';
import type { Timestamp } from '../../../../lib/clock.ts';
import { AppError, orThrow } from '../../../../lib/error.ts';
import { newId } from '../../../../lib/ids.ts';
import type { Services } from '../../../../services.ts';
import { requesterColumns, requesterOf } from '../../../../tenancy/requester.ts';
import type { Actor, Tenant } from '../../../../tenancy/tenant.ts';
import { recordAudit } from '../../../tenant-core/audit/audit.ts';
import { transactWithEvents } from '../../../tenant-core/events/outbox.ts';
import type { LicenseCatalog } from '../license-catalog.ts';
import type { RowProblem } from './problems.ts';
import { takeWaiting } from './queries.ts';
import type { ReceivedFile } from './receive.ts';
import type { LicenseImport } from './schemas.ts';
import { batchImporter, bulkFromRows, transactAgain } from './service.ts';
import { readBatch } from './spool.ts';

/** The kind of the job that imports the rows of files. */
export const importJobKind = 'license-import';

/** Further problems are only counted. */
const storedProblemsMax = 1000;

interface ImportRequest {
  readonly services: Services;
  readonly tenant: Tenant;
  readonly actor: Actor;
  readonly file: ReceivedFile;
  readonly notifiesHolders: boolean;
}

/** Starts an import of the valid rows of a file, which it stores in the tenant's database; a job imports them. */
export async function startImport(request: ImportRequest): Promise<LicenseImportsTable> {
  const { services, tenant, actor, file, notifiesHolders } = request;
  const at = services.clock.now();
  const row: LicenseImportsTable = {
    ...{ id: newId(), state: 'running', total: file.spool.rows, done: 0, created: 0, failed: file.problems.rows },
    ...{ errors_json: firstProblems(file.problems.list()), reason: null, notifies_holders: notifiesHolders ? 1 : 0 },
    ...requesterColumns(actor),
    ...{ continues_at: at, created_at: at, updated_at: at, ended_at: null },
  };
  return await transactWithEvents(
    services,
    tenant,
    async (tx, outbox) => {
      await insertRow(tx, 'license_imports', row);
      let position = 0;
      for (const batch of file.spool.texts()) {
        await insertRow(tx, 'license_import_rows', { import_id: row.id, position, batch });
        position += 1;
      }
      outbox.wakeUp(importJobKind, at);
      // If this process dies after the commit, another one continues within a minute.
      await services.wakeUps.scheduleBeforeCommit(tenant.id, importJobKind);
      return row;
    },
    { bulk: file.spool.rows > bulkFromRows },
  );
}

function firstProblems(problems: readonly RowProblem[]): string {
  return JSON.stringify(problems.toSorted((one, other) => one.row - other.row).slice(0, storedProblemsMax));
}

/** A run of the job for a tenant. */
interface ImportRun {
  readonly services: Services;
  readonly tenant: Tenant;
  readonly catalog: LicenseCatalog;
}

/**
 * Continues an import by a batch of its rows. The transaction that creates their licenses deletes the rows, so a process
 * that dies repeats nothing. What refuses all rows ends the import; the licenses that exist stay.
 */
export async function continueImport(run: ImportRun, row: LicenseImportsTable): Promise<void> {
  const { services, tenant } = run;
  const { id } = row;
  try {
    await importNext(run, row);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await tenant.db.transaction(async (tx) => {
      const locked = await lockRow(tx, 'license_imports', id);
      if (locked?.state === 'running') await endEarly(tx, locked, error.message, services.clock.now());
    });
  }
}

/** Ends a running import that the transaction has locked. Its remaining rows are deleted. */
async function endEarly(tx: TenantTransaction, row: LicenseImportsTable, reason: string, at: Timestamp) {
  await deleteRows(tx, 'license_import_rows', { import_id: row.id });
  const end = { state: 'failed', reason, continues_at: null, updated_at: at, ended_at: at } as const;
  await updateRows(tx, 'license_imports', row.id, end);
  return { ...row, ...end };
}

/**
 * Ends an import after its present batch. The licenses that were created until then are kept. One that has ended stays as
 * it is. Throws 404 `RESOURCE.NOT_FOUND`.
 */
export async function cancelImport(
  { clock }: Services,
  tenant: Tenant,
  actor: Actor,
  id: string,
): Promise<LicenseImportsTable> {
  return await tenant.db.transaction(async (tx) => {
    const before = orThrow(await lockRow(tx, 'license_imports', id), importNotFound);
    if (before.state !== 'running') return before;
    const at = clock.now();
    const after = await endEarly(tx, before, 'The import was cancelled.', at);
    const changes = [{ field: 'state', old: before.state, new: after.state }];
    const entry = { event: 'LICENSE_IMPORT.CANCELLED', resourceType: 'license_import', resourceId: id };
    await recordAudit(tx, actor, { ...entry, changes, at });
    return after;
  });
}

async function importNext(run: ImportRun, row: LicenseImportsTable): Promise<void> {
  const { services, tenant } = run;
  const { id } = row;
  const requested = { actor: requesterOf(row), notifiesHolders: row.notifies_holders === 1 };
  const importBatch = await batchImporter({ ...run, ...requested });
  await transactAgain(services, tenant, async (tx, outbox) => {
    const locked = await lockRow(tx, 'license_imports', id);
    if (locked?.state !== 'running') return;
    const at = services.clock.now();
    const batch = await takeWaiting(tx, id);
    if (batch === undefined) {
      return await updateRows(tx, 'license_imports', id, {
        state: 'done',
        continues_at: null,
        updated_at: at,
        ended_at: at,
      });
    }
    const rows = readBatch(batch);
    const { created, found } = await importBatch(tx, outbox, rows);
    await updateRows(tx, 'license_imports', id, {
      done: locked.done + rows.length,
      created: locked.created + created,
      failed: locked.failed + found.rows,
      updated_at: at,
      ...(found.rows > 0 && { errors_json: firstProblems([...JSON.parse(locked.errors_json), ...found.list()]) }),
    });
  });
}

/** Returns an import as the API shows it. */
export function presentImport(row: LicenseImportsTable): LicenseImport {
  const { id, state, total, done, created, failed, reason, created_at, ended_at } = row;
  const errors = state === 'running' ? [] : JSON.parse(row.errors_json);
  return { id, state, total, done, created, failed, errors, reason, created_at, ended_at };
}

/** Returns an import with its progress. Throws 404 `RESOURCE.NOT_FOUND`. */
export async function readImport({ db }: Tenant, id: string): Promise<LicenseImport> {
  const row = orThrow(await findRow(db.query, 'license_imports', id), importNotFound);
  return presentImport(row);
}

function importNotFound(): AppError {
  const message = 'There is no such import. Check the id: imports are deleted with the audit records.';
  return new AppError('RESOURCE.NOT_FOUND', message);
}
