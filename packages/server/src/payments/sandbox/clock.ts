import type { Kysely } from 'kysely';
import type { PlatformTransaction } from '../../db/database.ts';
import type { PlatformTables } from '../../db/tables/platform-tables.ts';
import { platformSubject } from '../../jobs/job.ts';
import { enqueueJob } from '../../jobs/queries.ts';
import { type Clock, type Timestamp, toEpochMs, toTimestamp } from '../../lib/clock.ts';
import type { SandboxContext } from './context.ts';

/** The kind of the job that performs changes that are due by the sandbox's clock. The subject is `platformSubject`. */
export const clockKind = 'sandbox-clock';

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
