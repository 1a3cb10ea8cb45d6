import type { PlatformTransaction } from '../../db/database.ts';
import { forUpdate } from '../../db/dialect.ts';
import { earlierOf, type PlatformJob } from '../../jobs/job.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../lib/clock.ts';
import { expireSandboxCheckout } from './checkouts.ts';
import { clockKind, planClockWork, readNow, toServiceTime } from './clock.ts';
import { refusal, type SandboxContext } from './context.ts';
import { changeAccount } from './store.ts';

/** Two years: advancing further at once would make the caller wait for too much work. */
const advanceMaxMs = 2 * 366 * 86_400_000;
/** Periods after this time could exceed the range of timestamps. */
const latestMs = Date.UTC(2200, 0, 1);

/**
 * Performs everything that is due by the sandbox's clock (renewals, retries, expiries): that of each customer in the
 * order of the due times. Returns when something is due next, by the service's clock; null when nothing will be due.
 */
export async function passDueTime(context: SandboxContext, signal?: AbortSignal): Promise<Timestamp | null> {
  const { query } = context.platform;
  const checkouts = query.selectFrom('sandbox_checkouts').select(['id', 'due_at']).where('due_at', 'is not', null);
  const accounts = query
    .selectFrom('sandbox_accounts')
    .select(['customer_id', 'due_at'])
    .where('due_at', 'is not', null);
  for (;;) {
    const now = await readNow(query, context.clock);
    const checkout = await checkouts.orderBy('due_at').limit(1).executeTakeFirst();
    const account = await accounts.orderBy('due_at').limit(1).executeTakeFirst();
    const nextDueAt = earlierOf(checkout?.due_at ?? null, account?.due_at ?? null);
    if (nextDueAt === null) return null;
    if (nextDueAt > now || signal?.aborted) return await toServiceTime(query, nextDueAt);
    if (checkout?.due_at === nextDueAt) await expireSandboxCheckout(context, checkout.id);
    else if (account !== undefined) await changeAccount(context, account.customer_id, () => undefined);
  }
}

/** The advance of the clock: by a duration in milliseconds, or to a time. */
export type ClockAdvance = { readonly byMs: number } | { readonly to: Timestamp };

/** Audits the advance of the clock, in its transaction. */
export type RecordAdvance = (tx: PlatformTransaction, before: Timestamp, after: Timestamp) => Promise<void>;

/**
 * Advances the sandbox's clock and performs at once what becomes due. Returns the new time. `record` audits the advance
 * in the same transaction. Throws `refused` for a past time, and for more than two years (732 days) at once.
 */
export async function advanceSandboxClock(
  context: SandboxContext,
  advance: ClockAdvance,
  record: RecordAdvance = async () => undefined,
): Promise<Timestamp> {
  const { platform, clock, onClockAdvanced } = context;
  await platform.transaction(async (tx) => {
    const insert = tx.insertInto('sandbox_clock').values({ id: 1, offset_ms: 0 });
    await insert.onConflict((conflict) => conflict.doNothing()).execute();
    const query = tx.selectFrom('sandbox_clock').select('offset_ms').where('id', '=', 1);
    const { offset_ms } = await forUpdate(tx, query).executeTakeFirstOrThrow();
    const nowMs = clock.nowMs() + offset_ms;
    const byMs = 'byMs' in advance ? advance.byMs : toEpochMs(advance.to) - nowMs;
    if (byMs < 0 || byMs > advanceMaxMs || nowMs + byMs > latestMs) {
      throw refusal('The clock must be advanced, by at most two years (732 days) at once.');
    }
    const changes = { offset_ms: offset_ms + byMs };
    await tx.updateTable('sandbox_clock').set(changes).where('id', '=', 1).execute();
    const after = toTimestamp(nowMs + byMs);
    await planClockWork(tx, context, after);
    await onClockAdvanced(tx, clock.now());
    await record(tx, toTimestamp(nowMs), after);
  });
  await passDueTime(context);
  return await readNow(platform.query, clock);
}

/** Returns the job that performs changes that are due by the sandbox's clock. */
export function clockJob(context: SandboxContext): PlatformJob {
  return { kind: clockKind, daily: true, runForPlatform: ({ signal }) => passDueTime(context, signal) };
}
