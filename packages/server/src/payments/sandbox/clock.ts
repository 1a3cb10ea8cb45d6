import type { Kysely } from 'kysely';
import type { PlatformTransaction } from '../../db/database.ts';
import { forUpdate } from '../../db/dialect.ts';
import type { PlatformTables } from '../../db/tables/platform-tables.ts';
import { platformSubject } from '../../jobs/job.ts';
import { enqueueJob } from '../../jobs/queries.ts';
import { type Clock, type Timestamp, toEpochMs, toTimestamp } from '../../lib/clock.ts';
import { PaymentProviderError } from '../provider.ts';
import type { SandboxContext } from './context.ts';

/** The kind of the job that performs changes that are due by the sandbox's clock. The subject is `platformSubject`. */
export const clockKind = 'sandbox-clock';

/** Two years: advancing further at once would make the caller wait for too much work. */
const advanceMaxMs = 2 * 366 * 86_400_000;
/** Periods after this time could exceed the range of timestamps. */
const latestMs = Date.UTC(2200, 0, 1);

async function readOffsetMs(db: Kysely<PlatformTables>): Promise<number> {
  const row = await db.selectFrom('sandbox_clock').select('offset_ms').where('id', '=', 1).executeTakeFirst();
  return row?.offset_ms ?? 0;
}

/** Returns the sandbox's time: the service's time plus the offset by which it was advanced, in whole milliseconds. */
export async function readNow(db: Kysely<PlatformTables>, clock: Clock): Promise<Timestamp> {
  return toTimestamp(clock.nowMs() + (await readOffsetMs(db)));
}

/** Converts a time of the sandbox to the service's clock. */
export async function toServiceTime(db: Kysely<PlatformTables>, moment: Timestamp): Promise<Timestamp> {
  return toTimestamp(Math.max(0, toEpochMs(moment) - (await readOffsetMs(db))));
}

/** Enqueues the clock job at a time of the sandbox. Has no effect for null. */
export async function planClockWork(
  tx: PlatformTransaction,
  { clock }: Pick<SandboxContext, 'clock'>,
  moment: Timestamp | null,
): Promise<void> {
  if (moment === null) return;
  const dueAt = await toServiceTime(tx, moment);
  await enqueueJob(tx, { subjectId: platformSubject, kind: clockKind, dueAt }, clock.now());
}

/** The advance of the clock: by a duration in milliseconds, or to a time. */
export type ClockAdvance = { readonly byMs: number } | { readonly to: Timestamp };

/**
 * Advances the sandbox's clock, in the caller's transaction. Returns the time before and after. Throws `refused` for a
 * past time, and for more than two years (732 days) at once.
 */
export async function advanceOffset(
  tx: PlatformTransaction,
  { clock, onClockAdvanced }: Pick<SandboxContext, 'clock' | 'onClockAdvanced'>,
  advance: ClockAdvance,
): Promise<{ readonly before: Timestamp; readonly after: Timestamp }> {
  const row = { id: 1, offset_ms: 0 };
  await tx
    .insertInto('sandbox_clock')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const query = tx.selectFrom('sandbox_clock').select('offset_ms').where('id', '=', 1);
  const { offset_ms } = await forUpdate(tx, query).executeTakeFirstOrThrow();
  const nowMs = clock.nowMs() + offset_ms;
  const byMs = 'byMs' in advance ? advance.byMs : toEpochMs(advance.to) - nowMs;
  if (byMs < 0 || byMs > advanceMaxMs || nowMs + byMs > latestMs) {
    throw new PaymentProviderError('refused', 'The clock must be advanced, by at most two years (732 days) at once.');
  }
  await tx
    .updateTable('sandbox_clock')
    .set({ offset_ms: offset_ms + byMs })
    .where('id', '=', 1)
    .execute();
  const at = clock.now();
  await enqueueJob(tx, { subjectId: platformSubject, kind: clockKind, dueAt: at }, at);
  await onClockAdvanced(tx, at);
  return { before: toTimestamp(nowMs), after: toTimestamp(nowMs + byMs) };
}
