import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TenantTransaction } from '../../../../db/database.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../../../../db/errors.ts';
import type { LicensesTable } from '../../../../db/tables/tenant/licenses.ts';
import type { Timestamp } from '../../../../lib/clock.ts';
import { AppError } from '../../../../lib/error.ts';
import type { Actor, Tenant } from '../../../../tenancy/tenant.ts';
import { transactWithEvents } from '../../../tenant-core/events/outbox.ts';
import { planLimitReached, readQuota, reserveQuota } from '../../../tenant-core/plan-limits/service.ts';
import { readSettings } from '../../../tenant-core/settings/service.ts';
import { generateLicenseKey } from '../license-key.ts';
import { findTakenKeys } from '../queries.ts';
import { issueLicenses, type LicenseServices, newLicense } from '../service.ts';
import { Problems } from './problems.ts';
import type { ReceivedFile } from './receive.ts';
import { problemsOfLicense, toChange } from './row-check.ts';
import type { ImportResult, LicenseFields } from './schemas.ts';
import type { SpooledRow } from './spool.ts';

/** Some milliseconds of work: what others wait for a batch is nothing that they notice. */
const batchSize = 512;
const attempts = 5;

interface Import {
  readonly services: LicenseServices;
  readonly tenant: Tenant;
  readonly actor: Actor;
  readonly file: ReceivedFile;
  /** True when the caller has left: nobody waits for the rest. */
  readonly isGone: () => boolean;
}

/**
 * Makes every license of the file in one transaction, or none. Throws 422 `IMPORT.REJECTED` that names every bad row
 * and every key that is taken; 403 `PLAN.LIMIT_REACHED` for more licenses than the plan allows.
 */
export async function importWhole(given: Import): Promise<ImportResult> {
  const { services, tenant, actor, file } = given;
  const { clock } = services;
  if (file.problems.rows > 0) throw await rejection(given);
  const quotaLeft = await readQuota(tenant.db.query, tenant, 'licenses');
  if (quotaLeft !== null && quotaLeft < file.spool.rows)
    throw planLimitReached('licenses', tenant.limits.licenses ?? 0);
  const makeRows = await rowMaker(given);
  return await tryAgainWhenTaken(() =>
    transactWithEvents(
      services,
      tenant,
      async (tx, outbox) => {
        const at = clock.now();
        const problems = new Problems();
        for (const batch of file.spool.batches(batchSize)) {
          assertCallerThere(given);
          const rows = await makeRows(tx, batch, problems, at);
          // After the first bad row nothing will be kept; the rest is looked at so that all that is wrong is told at once.
          if (problems.rows === 0) await issueLicenses(services, tx, outbox, actor, rows, at);
        }
        if (problems.rows > 0) throw problems.toError();
        // At the end: others make licenses beside a long import, and wait for the count only.
        const { requestId } = actor;
        await reserveQuota(tx, outbox, tenant, {
          resource: 'licenses',
          count: file.spool.rows,
          at: clock.now(),
          requestId,
        });
        return { created: file.spool.rows, failed: 0, errors: [] };
      },
      { bulk: true },
    ),
  );
}

/** The error of a file that will not be imported, with the keys that are taken: all that is wrong is told at once. */
async function rejection(given: Import): Promise<AppError> {
  const { spool, problems } = given.file;
  for (const batch of spool.batches(batchSize)) {
    assertCallerThere(given);
    const taken = await findTakenKeys(given.tenant.db.query, keysOf(batch));
    for (const { row, fields } of batch) if (isTaken(taken, fields)) problems.add(row, [takenKey]);
    // Nothing else ends the turn of the event loop where the database answers at once.
    await nextTurn();
  }
  return problems.toError();
}

const takenKey = { field: 'key', message: 'is the key of another license' };
const planLimitProblem = { field: 'licenses', message: 'is one more than the plan allows' };

const isTaken = (taken: ReadonlySet<string>, { key }: LicenseFields) => key !== undefined && taken.has(key);

function keysOf(batch: readonly SpooledRow[]): string[] {
  return batch.flatMap(({ fields }) => (fields.key === undefined ? [] : [fields.key]));
}

/**
 * Makes the licenses of the good rows, batch by batch, as long as the plan allows them, and answers what is wrong with
 * the others.
 */
export async function importPartially(given: Import): Promise<ImportResult> {
  const { services, tenant, actor, file } = given;
  const { problems } = file;
  const makeRows = await rowMaker(given);
  let created = 0;
  for (const batch of file.spool.batches(batchSize)) {
    assertCallerThere(given);
    const importBatch = () =>
      transactWithEvents(services, tenant, async (tx, outbox) => {
        const at = services.clock.now();
        const found = new Problems();
        const quotaLeft = await readQuota(tx, tenant, 'licenses');
        const rows = await makeRows(tx, batch, found, at, quotaLeft ?? undefined);
        await issueLicenses(services, tx, outbox, actor, rows, at);
        const { requestId } = actor;
        await reserveQuota(tx, outbox, tenant, { resource: 'licenses', count: rows.length, at, requestId });
        return { created: rows.length, found };
      });
    const done = await tryAgainWhenFull(() => tryAgainWhenTaken(importBatch));
    created += done.created;
    problems.addAll(done.found);
  }
  return { created, failed: problems.rows, errors: problems.list() };
}

type MakeRows = (
  tx: TenantTransaction,
  batch: readonly SpooledRow[],
  problems: Problems,
  at: Timestamp,
  /** How many rows it may make; any number when absent. */
  quotaLeft?: number,
) => Promise<LicensesTable[]>;

/**
 * Answers a function that makes rows of a batch, and notes those whose key is taken, whose time has passed, or for
 * which the plan leaves no quota.
 */
async function rowMaker({ tenant, file }: Import): Promise<MakeRows> {
  const { license_key_prefix } = await readSettings(tenant.db);

  function makeRow({ policyId, status, fields }: SpooledRow, at: Timestamp): LicensesTable {
    const policy = file.catalog.byId(policyId);
    if (policy === undefined) throw new Error('A row that was checked names a policy that was not read.');
    const key = fields.key ?? generateLicenseKey(policy.key_prefix ?? license_key_prefix);
    return { ...newLicense(policy, key, toChange(file.catalog, fields).change, at), status };
  }

  return async (tx, batch, problems, at, quotaLeft = Number.POSITIVE_INFINITY) => {
    const taken = await findTakenKeys(tx, keysOf(batch));
    const rows: LicensesTable[] = [];
    for (const spooled of batch) {
      const refusal = isTaken(taken, spooled.fields) ? takenKey : rows.length >= quotaLeft ? planLimitProblem : null;
      const found = refusal === null ? problemsOfLicense(() => rows.push(makeRow(spooled, at))) : [refusal];
      if (found.length > 0) problems.add(spooled.row, found);
    }
    return rows;
  };
}

/** Another request may take the quota that the plan has left between the look and the end; the next look sees it. */
async function tryAgainWhenFull<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (cause) {
      const isFull = cause instanceof AppError && cause.code === 'PLAN.LIMIT_REACHED';
      if (!isFull || attempt === attempts) throw cause;
    }
  }
}

/** Another request may take a key between the look and the insertion; the next look sees it. */
async function tryAgainWhenTaken<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (cause) {
      if (isForeignKeyViolation(cause)) throw changedMeanwhile('A policy of the file was deleted', cause);
      if (!isUniqueViolation(cause)) throw cause;
      if (attempt === attempts) throw changedMeanwhile('Keys of the file were given to other licenses', cause);
    }
  }
}

function changedMeanwhile(what: string, cause: unknown): AppError {
  return new AppError('IMPORT.REJECTED', `${what} while it was imported. Send the file again.`, { cause });
}

function assertCallerThere({ isGone }: Import): void {
  if (isGone()) throw new AppError('REQUEST.MALFORMED', 'The caller left before the import was done. Send it again.');
}
