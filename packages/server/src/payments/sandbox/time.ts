import type { PlatformTransaction } from '../../db/database.ts';
import type { PlatformJob } from '../../jobs/job.ts';
import type { Timestamp } from '../../lib/clock.ts';
import { expireSandboxCheckout } from './checkouts.ts';
import { advanceOffset, type ClockAdvance, clockKind, readNow, toServiceTime } from './clock.ts';
import type { SandboxContext } from './context.ts';
import { lockAccount, writeWork } from './store.ts';
import { passTime } from './subscription.ts';

/** Writes down that the clock was advanced, from a moment to another. */
export type RecordAdvance = (
  tx: PlatformTransaction,
  moments: { readonly before: Timestamp; readonly after: Timestamp },
) => Promise<void>;

interface Due {
  readonly at: Timestamp;
  readonly checkoutId?: string;
  readonly customerId?: string;
}

/** What happens by itself first: two reads of the edge of an index. */
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

/** Does one thing as of the moment it was due, in a transaction of its own. Another node may have done it already. */
async function doDue(context: SandboxContext, { at, checkoutId, customerId }: Due): Promise<void> {
  if (checkoutId !== undefined) await expireSandboxCheckout(context, checkoutId, at);
  if (customerId === undefined) return;
  await context.platform.transaction(async (tx) => {
    const work = await lockAccount(tx, { customer_id: customerId });
    if (work !== undefined && passTime(work, at)) await writeWork(tx, context, work);
  });
}

/**
 * Does everything that is due by the sandbox's clock (renewals, retries, expiries), in the order in which it was due.
 * Answers when something will be due next, by the service's own clock; null when nothing will.
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
 * Puts the sandbox's clock ahead and does at once what became due. Answers the moment it shows then. `record` writes
 * down who did it, in the same transaction.
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

/** Lets the sandbox's time pass in the background. */
export function clockJob(context: SandboxContext): PlatformJob {
  return { kind: clockKind, daily: true, runForPlatform: ({ signal }) => passDueTime(context, signal) };
}
