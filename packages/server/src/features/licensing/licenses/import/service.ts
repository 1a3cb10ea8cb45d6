import type { Kysely } from 'kysely';
import type { TenantTransaction } from '../../../../db/database.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../../../db/errors.ts';
import type { LicensesTable } from '../../../../db/tables/tenant/licenses.ts';
import type { TenantTables } from '../../../../db/tables/tenant-tables.ts';
import type { Timestamp } from '../../../../lib/clock.ts';
import { AppError, type ErrorDetail, orThrow, validationError } from '../../../../lib/error.ts';
import { yieldToEventLoop } from '../../../../lib/yield-to-event-loop.ts';
import type { Services } from '../../../../services.ts';
import type { Actor, Tenant } from '../../../../tenancy/tenant.ts';
import { type Outbox, transactWithEvents } from '../../../tenant-core/events/outbox.ts';
import { planLimitReached, readQuota, reserveQuota } from '../../../tenant-core/plan-limits/service.ts';
import { readSettings } from '../../../tenant-core/settings/service.ts';
import { type UniqueColumn, uniqueColumns } from '../columns.ts';
import { noticeIssued } from '../holder-notices.ts';
import type { LicenseCatalog } from '../license-catalog.ts';
import { generateLicenseKey } from '../license-key.ts';
import { findTakenValues } from '../queries.ts';
import { issueLicenses, newLicense } from '../service.ts';
import { Problems } from './problems.ts';
import type { ReceivedFile } from './receive.ts';
import { problemsOfLicense, toChange, uniqueValue } from './row-check.ts';
import type { ImportResult, LicenseFields } from './schemas.ts';
import type { SpooledRow } from './spool.ts';

/** A file with no more rows needs no bulk transaction. */
export const bulkFromRows = 512;
const attempts = 5;

/** Who creates licenses, and how. */
interface ImportContext {
  readonly services: Services;
  readonly tenant: Tenant;
  readonly actor: Actor;
  readonly catalog: LicenseCatalog;
  /** True if the holders get the mail about the new license. */
  readonly notifiesHolders: boolean;
}

interface Import extends Omit<ImportContext, 'catalog'> {
  readonly file: ReceivedFile;
  /** True when the client has disconnected. */
  readonly isGone: () => boolean;
}

/**
 * Creates every license of the file in one transaction, or none. Throws 422 `IMPORT.REJECTED`, which lists every
 * invalid row and every taken value, 403 `PLAN.LIMIT_REACHED` for more licenses than the plan allows, and 400
 * `REQUEST.MALFORMED` when the client disconnects.
 */
export async function importWhole(request: Import): Promise<ImportResult> {
  const { services, tenant, actor, file } = request;
  const { clock } = services;
  if (file.problems.rows > 0) throw await rejection(request);
  const quotaLeft = await readQuota(tenant.db.query, tenant, 'licenses');
  if (quotaLeft !== null && quotaLeft < file.spool.rows)
    throw planLimitReached('licenses', tenant.limits.licenses ?? 0);
  const createRows = await rowFactory(tenant, file.catalog);
  return await retryWhenTaken(() =>
    transactWithEvents(
      services,
      tenant,
      async (tx, outbox) => {
        const at = clock.now();
        const problems = new Problems();
        for (const batch of file.spool.batches()) {
          assertConnected(request);
          const rows = await createRows(tx, batch, problems, at);
          // After the first problem nothing is written, but all further rows are checked to report every problem.
          if (problems.rows === 0) await issue(request, tx, outbox, rows, at);
          else await yieldToEventLoop();
        }
        if (problems.rows > 0) throw problems.toError();
        // Last, so that other requests can create licenses during a long import and wait only for the quota's row.
        const { requestId } = actor;
        await reserveQuota(tx, outbox, tenant, {
          resource: 'licenses',
          count: file.spool.rows,
          at: clock.now(),
          requestId,
        });
        return { created: file.spool.rows, failed: 0, errors: [] };
      },
      { bulk: file.spool.rows > bulkFromRows },
    ),
  );
}

/** Returns the error of a file with invalid rows. Adds the taken values of its valid rows, to report every problem. */
async function rejection(request: Import): Promise<AppError> {
  await addTakenValues(request);
  return request.file.problems.toError();
}

/** Adds the taken values of the valid rows to the problems of the file. Returns the number of the other rows. */
async function addTakenValues(request: Import): Promise<number> {
  const { spool, problems } = request.file;
  let free = 0;
  for (const batch of spool.batches()) {
    assertConnected(request);
    const takenIn = await findTaken(request.tenant.db.query, batch);
    for (const { row, fields } of batch) {
      const taken = takenIn(fields);
      if (taken.length > 0) problems.add(row, taken);
      else free += 1;
    }
    await yieldToEventLoop();
  }
  return free;
}

/**
 * Returns what a partial import of the file would do at present, and writes nothing. Throws 400 `REQUEST.MALFORMED`
 * when the client disconnects.
 */
export async function previewImport(request: Import): Promise<ImportResult> {
  const { tenant, file } = request;
  const free = await addTakenValues(request);
  const quotaLeft = (await readQuota(tenant.db.query, tenant, 'licenses')) ?? free;
  const created = Math.min(free, Math.max(0, quotaLeft));
  if (created < free) file.problems.addWhole(free - created, planLimitProblem);
  return { created, failed: file.problems.rows, errors: file.problems.list(), ...file.preview };
}

const planLimitProblem = { field: 'licenses', message: 'Upgrade the plan, because it allows no more licenses.' };

/** Returns a function that reports unique values of a row that other licenses already have. */
async function findTaken(
  db: Kysely<TenantTables>,
  batch: readonly SpooledRow[],
): Promise<(fields: LicenseFields) => readonly ErrorDetail[]> {
  const taken: { readonly column: UniqueColumn; readonly values: ReadonlySet<unknown> }[] = [];
  for (const column of uniqueColumns) {
    const values = batch.flatMap(({ fields }) => uniqueValue(fields, column) ?? []);
    taken.push({ column, values: await findTakenValues(db, column, values) });
  }
  return (fields) =>
    taken.flatMap(({ column, values }) =>
      values.has(fields[column.name])
        ? [{ field: column.name, message: `Another license has this ${column.label}.` }]
        : [],
    );
}

/**
 * Creates the licenses of the valid rows in one transaction per batch, until the plan's limit is reached. Returns the
 * problems of the other rows. Throws 400 `REQUEST.MALFORMED` when the client disconnects; committed batches are kept.
 */
export async function importPartially(request: Import): Promise<ImportResult> {
  const { services, tenant, file } = request;
  const { problems } = file;
  const importBatch = await batchImporter({ ...request, catalog: file.catalog });
  let created = 0;
  for (const batch of file.spool.batches()) {
    assertConnected(request);
    const result = await transactAgain(services, tenant, (tx, outbox) => importBatch(tx, outbox, batch));
    created += result.created;
    problems.addAll(result.found);
  }
  return { created, failed: problems.rows, errors: problems.list() };
}

/** The number of rows of a batch that became licenses, and the problems of the others. */
interface BatchResult {
  readonly created: number;
  readonly found: Problems;
}

type ImportBatch = (tx: TenantTransaction, outbox: Outbox, batch: readonly SpooledRow[]) => Promise<BatchResult>;

/**
 * Returns a function that creates the licenses of the valid rows of a batch, until the plan's limit is reached. Its
 * transaction must be one of `transactAgain`.
 */
export async function batchImporter(context: ImportContext): Promise<ImportBatch> {
  const { services, tenant, actor, catalog } = context;
  const createRows = await rowFactory(tenant, catalog);
  return async (tx, outbox, batch) => {
    const at = services.clock.now();
    const found = new Problems();
    const quotaLeft = await readQuota(tx, tenant, 'licenses');
    const rows = await createRows(tx, batch, found, at, quotaLeft ?? undefined);
    await issue(context, tx, outbox, rows, at);
    const { requestId } = actor;
    await reserveQuota(tx, outbox, tenant, { resource: 'licenses', count: rows.length, at, requestId });
    return { created: rows.length, found };
  };
}

/** Runs `work` in a transaction, and again if a concurrent request took a unique value or the last licenses of the plan. */
export async function transactAgain<Result>(
  services: Services,
  tenant: Tenant,
  work: (tx: TenantTransaction, outbox: Outbox) => Promise<Result>,
): Promise<Result> {
  return await retryIf(isQuotaTaken, () => retryWhenTaken(() => transactWithEvents(services, tenant, work)));
}

type CreateRows = (
  tx: TenantTransaction,
  batch: readonly SpooledRow[],
  problems: Problems,
  at: Timestamp,
  /** The maximum number of rows to create; unlimited when absent. */
  quotaLeft?: number,
) => Promise<LicensesTable[]>;

/**
 * Returns a function that creates the license rows of a batch. It adds a problem for a taken value, for dates that no
 * longer fit together, and for a row that exceeds the plan's limit.
 */
async function rowFactory(tenant: Tenant, catalog: LicenseCatalog): Promise<CreateRows> {
  const { license_key_prefix } = await readSettings(tenant.db);

  function createRow({ policyId, status, fields }: SpooledRow, at: Timestamp): LicensesTable {
    const policy = orThrow(catalog.byId(policyId), () => changedMeanwhile('A policy of the file was deleted'));
    const { change, problems } = toChange(catalog, fields);
    if (problems.length > 0) throw validationError(...problems);
    const key = fields.key ?? generateLicenseKey(policy.key_prefix ?? license_key_prefix);
    return { ...newLicense(policy, key, change, at, catalog.timezone), status };
  }

  return async (tx, batch, problems, at, quotaLeft = Number.POSITIVE_INFINITY) => {
    const takenIn = await findTaken(tx, batch);
    const rows: LicensesTable[] = [];
    for (const spooled of batch) {
      let found = takenIn(spooled.fields);
      if (found.length === 0 && rows.length >= quotaLeft) found = [planLimitProblem];
      if (found.length === 0) found = problemsOfLicense(() => rows.push(createRow(spooled, at)));
      if (found.length > 0) problems.add(spooled.row, found);
    }
    return rows;
  };
}

/** Repeats `work` while it fails because of a concurrent request; the next attempt reads what that request wrote. */
async function retryIf<Result>(
  isConcurrent: (cause: unknown) => boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (cause) {
      if (!isConcurrent(cause) || attempt === attempts) throw cause;
    }
  }
}

function isQuotaTaken(cause: unknown): boolean {
  return cause instanceof AppError && cause.code === 'PLAN.LIMIT_REACHED';
}

/** Repeats `work` when another request took a unique value; the next attempt reports it as a problem of its row. */
async function retryWhenTaken<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await retryIf((cause) => isUniqueViolation(cause), work);
  } catch (cause) {
    if (isForeignKeyViolation(cause)) throw changedMeanwhile('A policy of the file was deleted', cause);
    if (!isUniqueViolation(cause)) throw cause;
    throw changedMeanwhile('Keys or other unique values of the file were assigned to other licenses', cause);
  }
}

function changedMeanwhile(what: string, cause?: unknown): AppError {
  return new AppError('IMPORT.REJECTED', `${what} during the import. Send the file again.`, { cause });
}

function assertConnected({ isGone }: Import): void {
  if (isGone()) throw new AppError('REQUEST.MALFORMED', 'The client disconnected during the import. Send it again.');
}

/** Inserts the licenses of a batch, with mails to their holders if the request asks for them. */
async function issue(
  { services, actor, notifiesHolders }: Pick<ImportContext, 'services' | 'actor' | 'notifiesHolders'>,
  tx: TenantTransaction,
  outbox: Outbox,
  rows: readonly LicensesTable[],
  at: Timestamp,
): Promise<void> {
  await issueLicenses(services, tx, outbox, actor, rows, at);
  if (notifiesHolders) await noticeIssued(services, tx, outbox, rows, true);
}
