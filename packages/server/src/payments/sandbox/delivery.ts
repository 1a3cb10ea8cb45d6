import { deleteAllExpired } from '../../db/expired-rows.ts';
import { earlierOf, type PlatformJob } from '../../jobs/job.ts';
import type { Timestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/duration.ts';
import { retryAt, retrySchedules } from '../../lib/retry-schedule.ts';
import type { SandboxContext } from './context.ts';
import { deliveryKind, signedHeaders } from './events.ts';

const batchSize = 20;
const keptForDays = 30;
const pruneBatchSize = 500;

interface DueEvent {
  readonly id: string;
  readonly body: string;
  readonly attempts: number;
}

/** Sends one event. Returns the time of the next attempt; null when the event was accepted or is dropped. */
async function attempt(context: SandboxContext, event: DueEvent): Promise<Timestamp | null> {
  const { clock, keyring, sendEvent } = context;
  const headers = signedHeaders(keyring, event.body, clock.nowMs());
  const status = await sendEvent({ body: event.body, headers }).catch(() => 0);
  if (status >= 200 && status < 300) return null;
  return retryAt(retrySchedules.sandboxEvent, event.attempts + 1, clock.nowMs());
}

/**
 * Sends the due events and returns when the next one is due. Delivery is at least once: after a crash an event is sent
 * again.
 */
export async function sendDueEvents(context: SandboxContext, signal?: AbortSignal): Promise<Timestamp | null> {
  const { platform, clock } = context;
  for (;;) {
    const events = await platform.query
      .selectFrom('sandbox_events')
      .select(['id', 'body', 'attempts'])
      .where('due_at', '<=', clock.now())
      .orderBy('due_at')
      .limit(batchSize)
      .execute();
    if (events.length === 0 || signal?.aborted) return await readNextDue(context);
    for (const event of events) {
      const due_at = await attempt(context, event);
      const changes = { attempts: event.attempts + 1, due_at };
      await platform.query.updateTable('sandbox_events').set(changes).where('id', '=', event.id).execute();
    }
  }
}

async function readNextDue({ platform }: SandboxContext): Promise<Timestamp | null> {
  const query = platform.query.selectFrom('sandbox_events').select('due_at').where('due_at', 'is not', null);
  const row = await query.orderBy('due_at').limit(1).executeTakeFirst();
  return row?.due_at ?? null;
}

/** Deletes one batch of events and of request keys older than 30 days. Returns whether there may be more. */
async function prune({ platform, clock }: SandboxContext): Promise<boolean> {
  const before = addDays(clock.now(), -keptForDays);
  const deleted = await platform.transaction((tx) =>
    deleteAllExpired(
      tx,
      [
        { table: 'sandbox_events', order: ['created_at'], before },
        { table: 'sandbox_requests', order: ['created_at'], before },
      ],
      pruneBatchSize,
    ),
  );
  return deleted >= pruneBatchSize;
}

/** Returns the job that sends the sandbox's events and deletes old ones. */
export function deliveryJob(context: SandboxContext): PlatformJob {
  return {
    kind: deliveryKind,
    daily: true,
    async runForPlatform({ signal }) {
      const hasMore = await prune(context);
      const nextDueAt = await sendDueEvents(context, signal);
      return hasMore ? earlierOf(nextDueAt, context.clock.now()) : nextDueAt;
    },
  };
}
