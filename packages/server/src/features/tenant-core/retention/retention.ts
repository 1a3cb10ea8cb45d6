import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
import type { Timestamp } from '../../../lib/clock.ts';

// The retention contract: each feature that keeps rows for a limited time exports a `RetentionRule`.
// `src/retention-rules.ts` lists the rules.

/** The settings of a tenant that decide how long its data is kept. */
export interface RetentionSettings {
  /** IANA time zone name; usage periods end in this zone. */
  readonly timezone: string;
  /** In days, by kind of data. */
  readonly retention_days: { readonly audit: number; readonly usage: number; readonly deliveries: number };
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

/** Small enough that a transaction ends before a request that waits for it is noticeably delayed. */
const batchSize = 500;

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
