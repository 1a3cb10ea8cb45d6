import type { TenantDb } from '../../../../db/database.ts';
import type { LicenseImportsTable } from '../../../../db/tables/tenant/bulk.ts';
import type { Timestamp } from '../../../../lib/clock.ts';
import { addSeconds } from '../../../../lib/duration.ts';
import { AppError } from '../../../../lib/error.ts';
import { newId } from '../../../../lib/ids.ts';
import type { Services } from '../../../../services.ts';
import type { Actor, Tenant } from '../../../../tenancy/tenant.ts';
import { findImport, insertImport, updateImport } from './queries.ts';
import type { ReceivedFile } from './receive.ts';
import type { LicenseImport } from './schemas.ts';
import { importPartially } from './service.ts';

/** An import that has written nothing for so long has died with its process. */
const silenceMaxSeconds = 120;
/** Further problems are only counted. */
const storedProblemsMax = 1000;

/** Stores the progress of an import of this file, before its first row is imported. */
export async function insertProgress(
  { clock }: Services,
  { db }: Tenant,
  file: ReceivedFile,
): Promise<LicenseImportsTable> {
  const at = clock.now();
  const row: LicenseImportsTable = {
    ...{ id: newId(), state: 'running', total: file.spool.rows, done: 0, created: 0, failed: file.problems.rows },
    ...{ errors_json: '[]', reason: null, created_at: at, updated_at: at, ended_at: null },
  };
  return await db.transaction(async (tx) => {
    await insertImport(tx, row);
    return row;
  });
}

interface BackgroundImport {
  readonly services: Services;
  readonly tenant: Tenant;
  readonly actor: Actor;
  readonly file: ReceivedFile;
  readonly notifiesHolders: boolean;
}

/**
 * Imports the valid rows of a file while no request waits, and records the progress with every batch of them. Never
 * throws: what ends the import early is recorded as its reason.
 */
export async function runInBackground({ services, tenant, ...request }: BackgroundImport, id: string): Promise<void> {
  const { clock, logger, tenants } = services;
  const end = async (db: TenantDb, fields: Partial<LicenseImportsTable>) => {
    const at = clock.now();
    await updateImport(db.query, id, { ...fields, updated_at: at, ended_at: at });
  };
  const run = async (db: TenantDb) => {
    const { created, failed, errors } = await importPartially({
      ...{ ...request, services, tenant: { ...tenant, db } },
      isGone: () => false,
      recordBatch: async (tx, progress) => await updateImport(tx, id, { ...progress, updated_at: clock.now() }),
    });
    await end(db, { state: 'done', created, failed, errors_json: JSON.stringify(errors.slice(0, storedProblemsMax)) });
  };
  try {
    await tenants.withTenantDb(tenant.id, run);
  } catch (error) {
    logger.warn({ err: error, tenantId: tenant.id, importId: id }, 'import ended early; its licenses are kept');
    const reason = error instanceof AppError ? error.message : interrupted;
    await tenants.withTenantDb(tenant.id, (db) => end(db, { state: 'failed', reason })).catch(() => undefined);
  }
}

const interrupted =
  'The service was interrupted during the import. The licenses that were created until then are kept. Remove their ' +
  'rows from the file and import the others.';

/** Returns an import as the API shows it. */
export function presentImport(row: LicenseImportsTable, now: Timestamp): LicenseImport {
  const { id, total, done, created, failed, created_at, ended_at } = row;
  const isDead = row.state === 'running' && addSeconds(row.updated_at, silenceMaxSeconds) < now;
  return {
    id,
    state: isDead ? 'failed' : row.state,
    ...{ total, done, created, failed },
    errors: JSON.parse(row.errors_json),
    reason: isDead ? interrupted : row.reason,
    ...{ created_at, ended_at },
  };
}

/** Returns an import with its progress. Throws 404 `RESOURCE.NOT_FOUND`. */
export async function readImport({ clock }: Services, { db }: Tenant, id: string): Promise<LicenseImport> {
  const row = await findImport(db.query, id);
  if (row !== undefined) return presentImport(row, clock.now());
  throw new AppError(
    'RESOURCE.NOT_FOUND',
    'There is no such import. Check the id: imports are deleted with the audit records.',
  );
}
