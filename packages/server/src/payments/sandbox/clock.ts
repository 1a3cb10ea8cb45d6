import type { Kysely } from 'kysely';
import type { PlatformTransaction } from '../../db/database.ts';
import { forUpdate } from '../../db/dialect.ts';
import type { PlatformTables } from '../../db/tables/platform-tables.ts';
import { platformSubject } from '../../jobs/job.ts';
import { enqueueJob } from '../../jobs/queries.ts';
import { type Clock, type Timestamp, toEpochMs, toTimestamp } from '../../lib/clock.ts';
import { PaymentProviderError } from '../provider.ts';
import type { SandboxContext } from './context.ts';

/** The kind of background work that lets the sandbox's time pass. */
export const clockKind = 'sandbox-clock';

/** Two years at once: the work of a longer time would keep its caller waiting for very long. */
const advanceMaxMs = 2 * 366 * 86_400_000;
/** What comes after it would soon be past what a timestamp can hold. */
const latestMs = Date.UTC(2200, 0, 1);

async function readOffsetMs(db: Kysely<PlatformTables>): Promise<number> {
  const row = await db.selectFrom('sandbox_clock').select('offset_ms').where('id', '=', 1).executeTakeFirst();
  return row?.offset_ms ?? 0;
}

/** The moment that the sandbox lives in: the service's own, as far ahead as it was advanced. Whole milliseconds. */
export async function readNow(db: Kysely<PlatformTables>, clock: Clock): Promise<Timestamp> {
  return toTimestamp(clock.nowMs() + (await readOffsetMs(db)));
}

/** When a moment of the sandbox comes by the service's own clock. */
export async function toServiceTime(db: Kysely<PlatformTables>, moment: Timestamp): Promise<Timestamp> {
  return toTimestamp(Math.max(0, toEpochMs(moment) - (await readOffsetMs(db))));
}

/** Has time-driven work looked for at a moment of the sandbox. */
export async function planClockWork(
  tx: PlatformTransaction,
  { clock }: Pick<SandboxContext, 'clock'>,
  moment: Timestamp | null,
): Promise<void> {
  if (moment === null) return;
  const dueAt = await toServiceTime(tx, moment);
  await enqueueJob(tx, { subjectId: platformSubject, kind: clockKind, dueAt }, clock.now());
}

/** How far the clock goes: by a time, or to a moment. */
export type ClockAdvance = { readonly byMs: number } | { readonly to: Timestamp };

/**
 * Puts the sandbox's clock ahead, in the caller's transaction. Answers the moment before and after. Throws `refused`
 * for a moment that is over, and for more than two years at once.
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
    throw new PaymentProviderError('refused', 'The clock goes forward only, at most two years at once.');
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
