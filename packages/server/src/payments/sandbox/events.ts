import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PlatformTransaction } from '../../db/database.ts';
import { deleteAllExpired } from '../../db/expired-rows.ts';
import { insertRows } from '../../db/insert-rows.ts';
import { type PlatformJob, platformSubject } from '../../jobs/job.ts';
import { enqueueJob } from '../../jobs/queries.ts';
import { type Timestamp, toEpochMs, toTimestamp } from '../../lib/clock.ts';
import { addDays } from '../../lib/duration.ts';
import type { Keyring } from '../../lib/keyring.ts';
import { retryAt, retrySchedules } from '../../lib/retry-schedule.ts';
import type { ProviderEvent } from '../provider.ts';
import { isHashOf, newSandboxId, type SandboxContext } from './context.ts';
import type { NewEvent } from './state.ts';

const deliveryKind = 'sandbox-delivery';
const toleranceSeconds = 300;
const keptForDays = 30;
const pruneBatchSize = 500;

/**
 * Stores events for delivery, in the transaction of the changes that they report. Their bodies have ids alone: a receiver
 * reads the objects from the provider.
 */
export async function writeEvents(
  tx: PlatformTransaction,
  { clock }: Pick<SandboxContext, 'clock'>,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const at = clock.now();
  const rows = events.map(({ type, objectId, at: happenedAt, subscriptionId, reference, invoiceId }) => {
    const id = newSandboxId('evt');
    const created = Math.floor(toEpochMs(happenedAt) / 1000);
    const object = { id: objectId, subscription: subscriptionId, reference, invoice: invoiceId };
    const body = JSON.stringify({ id, object: 'event', type, created, livemode: false, data: { object } });
    return { id, body, attempts: 0, created_at: at, due_at: at };
  });
  await insertRows(tx, 'sandbox_events', rows);
  await enqueueJob(tx, { subjectId: platformSubject, kind: deliveryKind, dueAt: at }, at);
}

/** Returns the text whose keyed hash signs an event. All nodes share the application key. */
const signedText = (timestamp: string, body: string) => `licensing/sandbox-webhook/v1 ${timestamp}.${body}`;

/** Returns the headers of an event that is signed at `nowMs`: `sandbox-signature: t=<Unix seconds>,v1=<hash>`. */
export function signedHeaders(keyring: Keyring, body: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const value = `t=${timestamp},v1=${keyring.hash(signedText(timestamp, body))}`;
  return { 'content-type': 'application/json', 'sandbox-signature': value };
}

/** Implements `verifyEvent` of the provider. */
export function verifySandboxEvent(
  keyring: Keyring,
  rawBody: Buffer,
  header: string | string[] | undefined,
  nowMs: number,
): ProviderEvent | undefined {
  const [, timestamp, given] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(String(header ?? '')) ?? [];
  if (timestamp === undefined || given === undefined) return undefined;
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceSeconds) return undefined;
  const body = rawBody.toString();
  if (!isHashOf(keyring, signedText(timestamp, body), given, given.length)) return undefined;
  try {
    const { id, type, created, data } = JSON.parse(body);
    const { subscription = null, reference = null, invoice = null } = data.object;
    const ids = { subscriptionId: subscription, checkoutReference: reference, invoiceId: invoice };
    return { id, type, createdAt: toTimestamp(created * 1000), ...ids };
  } catch {
    return undefined;
  }
}

/**
 * Sends the due events and returns when the next one is due; null for never. An event that is not accepted is retried,
 * and dropped after the last attempt. Delivery is at least once: after a crash an event is sent again.
 */
export async function sendDueEvents(context: SandboxContext, signal?: AbortSignal): Promise<Timestamp | null> {
  const { platform, clock, keyring, sendEvent } = context;
  const waiting = platform.query.selectFrom('sandbox_events').selectAll().where('due_at', 'is not', null);
  for (;;) {
    const event = await waiting.orderBy('due_at').limit(1).executeTakeFirst();
    if (event === undefined || signal?.aborted || (event.due_at ?? '') > clock.now()) return event?.due_at ?? null;
    // The router and SQLite answer without the network, so nothing else would run between many events.
    await nextTurn();
    const { id, body } = event;
    const headers = signedHeaders(keyring, body, clock.nowMs());
    const status = await sendEvent({ body, headers }).catch(() => 0);
    const isAccepted = status >= 200 && status < 300;
    const attempts = event.attempts + 1;
    const due_at = isAccepted ? null : retryAt(retrySchedules.sandboxEvent, attempts, clock.nowMs());
    await platform.query.updateTable('sandbox_events').set({ attempts, due_at }).where('id', '=', id).execute();
  }
}

/** Deletes events and request keys older than 30 days. */
async function prune({ platform, clock }: SandboxContext): Promise<void> {
  const before = addDays(clock.now(), -keptForDays);
  const expired = (['sandbox_events', 'sandbox_requests'] as const).map((table) => {
    return { table, order: ['created_at'], before } as const;
  });
  while ((await platform.transaction((tx) => deleteAllExpired(tx, expired, pruneBatchSize))) >= pruneBatchSize);
}

/** Returns the job that sends the sandbox's events and deletes old ones. */
export function deliveryJob(context: SandboxContext): PlatformJob {
  return {
    kind: deliveryKind,
    daily: true,
    async runForPlatform({ signal }) {
      await prune(context);
      return await sendDueEvents(context, signal);
    },
  };
}
