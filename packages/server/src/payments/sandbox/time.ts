import type { PlatformTransaction } from '../../db/database.ts';
import type { PlatformJob } from '../../jobs/job.ts';
import type { Timestamp } from '../../lib/clock.ts';
import { expireSandboxCheckout } from './checkouts.ts';
import { advanceOffset, type ClockAdvance, clockKind, readNow, toServiceTime } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { lockAccount, writeWork } from './store.ts';
import { passTime } from './subscription.ts';

/** Audits the advance of the clock, in its transaction. */
export type RecordAdvance = (
  tx: PlatformTransaction,
  moments: { readonly before: Timestamp; readonly after: Timestamp },
) => Promise<void>;

interface Due {
  readonly at: Timestamp;
  readonly checkoutId?: string;
  readonly customerId?: string;
}

/** Returns the earliest due checkout or account, with two reads of the edge of an index. */
async function readFirstDue({ platform }: SandboxContext): Promise<Due | undefined> {
  const checkouts = platform.query.selectFrom('sandbox_checkouts').select(['id', 'due_at']);
  const accounts = platform.query.selectFrom('sandbox_accounts').select(['customer_id', 'due_at']);
  const [checkout, account] = await Promise.all([
    checkouts.where('due_at', 'is not', null).orderBy('due_at').limit(1).executeTakeFirst(),
    accounts.where('due_at', 'is not', null).orderBy('due_at').limit(1).executeTakeFirst(),
  ]);
  const dues: Due[] = [];
  if (checkout?.due_at) dues.push({ at: checkout.due_at, checkoutId: checkout.id });
  if (account?.due_at) dues.push({ at: account.due_at, customerId: account.customer_id });
  return dues.toSorted((one, other) => (one.at < other.at ? -1 : 1))[0];
}

/** Performs one due change as of its due time, in its own transaction. Has no effect when another node has done it. */
async function doDue(context: SandboxContext, { at, checkoutId, customerId }: Due): Promise<void> {
  if (checkoutId !== undefined) await expireSandboxCheckout(context, checkoutId, at);
  if (customerId === undefined) return;
  await context.platform.transaction(async (tx) => {
    const work = await lockAccount(tx, context, customerId);
    if (work !== undefined && passTime(work, at)) await writeWork(tx, context, work);
  });
}

/**
 * Performs everything that is due by the sandbox's clock (renewals, retries, expiries) in the order of the due times.
 * Returns when something is due next, by the service's clock; null when nothing will be due.
 */
export async function passDueTime(context: SandboxContext, signal?: AbortSignal): Promise<Timestamp | null> {
  for (;;) {
    const due = await readFirstDue(context);
    if (due === undefined) return null;
    const now = await readNow(context.platform.query, context.clock);
    if (due.at > now || signal?.aborted) return await toServiceTime(context.platform.query, due.at);
    await doDue(context, due);
    context.kick();
  }
}

/**
 * Advances the sandbox's clock and performs at once what becomes due. Returns the new time. `record` audits the advance
 * in the same transaction.
 */
export async function advanceSandboxClock(
  context: SandboxContext,
  advance: ClockAdvance,
  record?: RecordAdvance,
): Promise<Timestamp> {
  await context.platform.transaction(async (tx) => {
    const moments = await advanceOffset(tx, context, advance);
    await record?.(tx, moments);
  });
  await passDueTime(context);
  return await readNow(context.platform.query, context.clock);
}

/** Returns the job that performs changes that are due by the sandbox's clock. */
export function clockJob(context: SandboxContext): PlatformJob {
  return { kind: clockKind, daily: true, runForPlatform: ({ signal }) => passDueTime(context, signal) };
}
