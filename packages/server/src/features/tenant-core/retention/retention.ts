import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import { deleteAllExpired, type ExpiredRows } from '../../../db/expired-rows.ts';
import type { PlatformTables } from '../../../db/tables/platform-tables.ts';
import type { TenantTables } from '../../../db/tables/tenant-tables.ts';
import type { Clock, Timestamp } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';

// The retention contract: each feature that keeps rows for a limited time exports a `RetentionRule` for the database of a
// tenant, or a `PlatformRetention`. `src/retention-rules.ts` lists both.

/** The settings of a tenant that decide how long its data is kept. */
export interface RetentionSettings {
  /** IANA time zone name; usage periods end in this zone. */
  readonly timezone: string;
  /** In days, by kind of data. */
  readonly retention_days: {
    readonly audit: number;
    readonly usage: number;
    readonly deliveries: number;
    readonly mails: number;
    readonly sale_messages: number;
    readonly checks: number;
  };
}

/** The input of every rule during one run of the retention job. */
export interface RetentionContext {
  /** The start of the run. Rows exactly as old as a setting allows are kept. */
  readonly now: Timestamp;
  readonly settings: RetentionSettings;
}

/** Deletes one batch of rows per call. Resolves to true while more rows may remain. */
export type TrimBatch = (db: TenantDb) => Promise<boolean>;

/** Deletes the expired rows of one feature from a tenant's database. */
export interface RetentionRule {
  /** Starts one pass over the feature's rows; the pass may keep a position between batches. */
  startTrim(context: RetentionContext): TrimBatch;
}

/** Describes the rows of one feature in the platform database that are expired at a time, in the order of their deletion. */
export type PlatformRetention = (now: Timestamp) => readonly ExpiredRows<PlatformTables>[];

/** Rows per transaction: few enough that a waiting request is not noticeably delayed. */
export const batchSize = 500;

/**
 * Creates a rule from a function that deletes at most about `limit` rows, oldest first, and resolves to the number of
 * rows deleted. Each batch is one transaction; the pass ends with the first batch that deletes fewer than `limit` rows.
 */
export function batchedRule(
  trimRows: (tx: TenantTransaction, context: RetentionContext, limit: number) => Promise<number>,
): RetentionRule {
  return {
    startTrim: (context) => async (db) => (await db.transaction((tx) => trimRows(tx, context, batchSize))) >= batchSize,
  };
}

/** Creates a rule from descriptions of the rows that are expired, which are deleted in the order of the descriptions. */
export function expiryRule(
  expiredRows: (context: RetentionContext) => readonly ExpiredRows<TenantTables>[],
): RetentionRule {
  return batchedRule((tx, context, limit) => deleteAllExpired(tx, expiredRows(context), limit));
}

interface BatchesOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly signal: AbortSignal;
  /** After this many batches the run ends, so that other jobs can run before it continues. */
  readonly batchesMax: number;
}

/**
 * Makes passes in turn. Each call of a pass deletes one batch and resolves to true while more rows may remain. Returns
 * when to continue, or null after the last pass.
 */
export async function runPasses(
  passes: readonly (() => Promise<boolean>)[],
  { clock, signal, batchesMax }: BatchesOptions,
): Promise<Timestamp | null> {
  const left = [...passes];
  for (let batch = 0; left[0] !== undefined; batch += 1) {
    if (signal.aborted || batch >= batchesMax) return addSeconds(clock.now(), 1);
    if (!(await left[0]())) left.shift();
  }
  return null;
}
