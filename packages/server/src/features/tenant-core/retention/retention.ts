import { type Kysely, sql, type Transaction } from 'kysely';
import type { TenantDb, TenantTransaction } from '../../../db/database.ts';
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

/** Expired rows of one table. */
export interface ExpiredRows<Tables> {
  readonly table: keyof Tables & string;
  /** The columns of an index that orders the rows, the time first. If not unique, a batch may be larger. */
  readonly order: readonly [time: string, ...rest: string[]];
  /** Rows with a lesser value in the first column of `order` are expired. */
  readonly before: string;
  /** Values that columns must have for a row to be expired. */
  readonly equals?: Readonly<Record<string, string>>;
  /** A column that must be null, or not null, for a row to be expired. */
  readonly isNull?: string;
  readonly isNotNull?: string;
  /** A second column of times that must have a lesser value than `before` as well. */
  readonly alsoBefore?: string;
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

/** Deletes about `limit` rows in the order of the descriptions. Returns how many; fewer than `limit` were the last ones. */
export async function deleteAllExpired<Tables>(
  tx: Transaction<Tables>,
  all: readonly ExpiredRows<Tables>[],
  limit: number,
): Promise<number> {
  let deleted = 0;
  for (const rows of all) {
    if (deleted >= limit) break;
    deleted += await deleteExpired(tx, rows, limit - deleted);
  }
  return deleted;
}

/**
 * Deletes the `limit` oldest expired rows of a table and returns how many were deleted. It finds the first and the last
 * row of the batch and deletes that range: with a list of keys, or without the first row, PostgreSQL may scan the table.
 */
export async function deleteExpired<Tables>(
  tx: Transaction<Tables>,
  rows: ExpiredRows<Tables>,
  limit: number,
): Promise<number> {
  const { order } = rows;
  const db = tx as unknown as Kysely<{ rows: Record<string, string> }>;
  const table = rows.table as 'rows';
  const isExpired = sql<boolean>`${sql.join(conditionsOf(rows), sql` and `)}`;
  const columns = sql`${sql.join(order.map((column) => sql.ref(column)))}`;
  const nth = (offset: number) => {
    const query = db.selectFrom(table).select(order).where(isExpired).orderBy(columns);
    return query.offset(offset).limit(1).executeTakeFirst();
  };
  const first = await nth(0);
  if (first === undefined) return 0;
  const last = await nth(limit - 1);
  let deletion = db
    .deleteFrom(table)
    .where(isExpired)
    .where(order[0], '>=', first[order[0]] ?? '');
  if (last !== undefined) {
    const values = sql.join(order.map((column) => last[column]));
    // PostgreSQL estimates a range well only from plain bounds, and might read all of a small table without this one.
    deletion = deletion.where(order[0], '<=', last[order[0]] ?? '').where(sql<boolean>`(${columns}) <= (${values})`);
  }
  return Number((await deletion.executeTakeFirst()).numDeletedRows);
}

function conditionsOf<Tables>({ order, before, equals = {}, isNull, isNotNull, alsoBefore }: ExpiredRows<Tables>) {
  return [
    sql`${sql.ref(order[0])} < ${before}`,
    ...Object.entries(equals).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
    ...(isNull === undefined ? [] : [sql`${sql.ref(isNull)} is null`]),
    ...(isNotNull === undefined ? [] : [sql`${sql.ref(isNotNull)} is not null`]),
    ...(alsoBefore === undefined ? [] : [sql`${sql.ref(alsoBefore)} < ${before}`]),
  ];
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
