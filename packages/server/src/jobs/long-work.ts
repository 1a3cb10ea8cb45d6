import type { Kysely } from 'kysely';
import type { PlatformDb, TenantDb } from '../db/database.ts';
import type { TenantTables } from '../db/tables/tenant-tables.ts';
import type { Clock, Timestamp } from '../lib/clock.ts';
import { paced } from '../lib/pace.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { findTenantRecord, tenantOf } from '../tenancy/tenant-record.ts';
import type { Job } from './job.ts';

// The engine of work that outlives its request. A row in the tenant's database holds the request and its progress, and
// `continues_at` is the time of the next step. A feature supplies the step.
//
// Exports are not work of this kind. Files of licenses, keys, changes and audit records are streams of a response, which end
// with their request. An export of personal data is one row of the platform database with one job (`account-export`): each of
// its steps opens another tenant, so it has neither a tenant's table nor a tenant's run.

/** The maximum duration of a run, so that one tenant does not delay the others. */
const runMaxMs = 5000;

/** A row that describes work. */
interface WorkRow {
  readonly id: string;
  /** Null: the work has ended. */
  readonly continues_at: Timestamp | null;
}

/** A table of such rows, with an index of those whose work has not ended. */
type WorkTable = {
  [Table in keyof TenantTables]: TenantTables[Table] extends WorkRow ? Table : never;
}[keyof TenantTables];

/**
 * Makes one step: some milliseconds of the thread that also answers validations. It must store what it did together with how
 * far the row is, in a transaction that has locked the row and checked that no other run has made the step.
 */
type Step<Table extends WorkTable> = (row: TenantTables[Table]) => Promise<void>;

/** Work of one kind. */
export interface LongWork<Table extends WorkTable> {
  readonly kind: string;
  readonly table: Table;
  /** The maximum number of concurrent runs in one process. */
  readonly slots: number;
  /** Begins a run for a tenant, which may find nothing to do, and returns the function that makes its steps. */
  readonly begin: (tenant: Tenant, signal: AbortSignal) => Promise<Step<Table>> | Step<Table>;
  /** How long the job rests after a step that took so long. Absent: as long as the step took. */
  readonly restMs?: (tookMs: number) => number;
}

/**
 * Creates the job that makes the steps of work of one kind, one row after the other. A process that dies repeats at most the
 * step that it had not stored.
 */
export function longWorkJob<Table extends WorkTable>(
  { platform, clock }: { readonly platform: PlatformDb; readonly clock: Clock },
  work: LongWork<Table>,
): Job {
  const { kind, table, slots, restMs } = work;
  return {
    ...{ kind, slots, daily: true, outlastsCrashes: true, outlastsFailures: true },
    async run({ tenantId, db, signal }) {
      const record = await findTenantRecord(platform, tenantId);
      if (record === undefined) return null;
      const tenant = tenantOf(record, db);
      const step = await work.begin(tenant, signal);
      for (const endMs = performance.now() + runMaxMs; ; ) {
        const row = await findNext(db, table);
        const continuesAt = row?.continues_at ?? null;
        const isDue = continuesAt !== null && continuesAt <= clock.now();
        if (row === undefined || !isDue || signal.aborted || performance.now() >= endMs) return continuesAt;
        await paced(signal, () => step(row), restMs);
      }
    },
  };
}

/** Returns the row of a table whose next step is due first, or undefined. */
function findNext<Table extends WorkTable>(
  { query }: TenantDb,
  table: Table,
): Promise<TenantTables[Table] | undefined> {
  // Every table of work has the columns of `WorkRow`. Kysely cannot find those of a table that is a type parameter.
  const rows = (query as unknown as Kysely<{ work: WorkRow }>).selectFrom(table as unknown as 'work');
  const first = rows.selectAll().where('continues_at', 'is not', null).orderBy('continues_at').orderBy('id').limit(1);
  return first.executeTakeFirst() as Promise<TenantTables[Table] | undefined>;
}
