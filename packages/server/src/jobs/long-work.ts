import type { PlatformDb, TenantDb } from '../db/database.ts';
import type { Clock, Timestamp } from '../lib/clock.ts';
import { paced } from '../lib/pace.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { findTenantRecord, tenantOf } from '../tenancy/tenant-record.ts';
import type { Job } from './job.ts';

// The engine of work that outlives its request: a row in the tenant's database says what was asked for and how far it is,
// and `continues_at` says when the next step is due. A feature supplies the step.

/** The maximum duration of a run, so that one tenant does not delay the others. */
const runMaxMs = 5000;

/** A row that describes work. */
interface WorkRow {
  /** Null: the work has ended. */
  readonly continues_at: Timestamp | null;
}

/**
 * Makes one step: some milliseconds of the thread that also answers validations. It must store what it did together with how
 * far the row is, in a transaction that has locked the row and checked that no other run has made the step.
 */
type Step<Row extends WorkRow> = (row: Row) => Promise<void>;

/** Work of one kind. */
export interface LongWork<Row extends WorkRow> {
  readonly kind: string;
  /** The maximum number of concurrent runs in one process. */
  readonly slots: number;
  /** Returns the row whose next step is due first, or undefined. */
  readonly findNext: (query: TenantDb['query']) => Promise<Row | undefined>;
  /** Begins a run for a tenant, which may find nothing to do, and returns the function that makes its steps. */
  readonly begin: (tenant: Tenant, signal: AbortSignal) => Promise<Step<Row>> | Step<Row>;
  /** How long the job rests after a step that took so long. Absent: as long as the step took. */
  readonly restMs?: (tookMs: number) => number;
}

/**
 * Creates the job that makes the steps of work of one kind, one row after the other. A process that dies repeats at most the
 * step that it had not stored.
 */
export function longWorkJob<Row extends WorkRow>(
  { platform, clock }: { readonly platform: PlatformDb; readonly clock: Clock },
  work: LongWork<Row>,
): Job {
  const { kind, slots, restMs } = work;
  return {
    ...{ kind, slots, daily: true, outlastsCrashes: true, outlastsFailures: true },
    async run({ tenantId, db, signal }) {
      const record = await findTenantRecord(platform, tenantId);
      if (record === undefined) return null;
      const tenant = tenantOf(record, db);
      const step = await work.begin(tenant, signal);
      for (const endMs = performance.now() + runMaxMs; ; ) {
        const row = await work.findNext(db.query);
        const continuesAt = row?.continues_at ?? null;
        const isDue = continuesAt !== null && continuesAt <= clock.now();
        if (row === undefined || !isDue || signal.aborted || performance.now() >= endMs) return continuesAt;
        await paced(signal, () => step(row), restMs);
      }
    },
  };
}
