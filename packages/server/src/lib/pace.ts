import { setTimeout as delay } from 'node:timers/promises';

/** The least rest after a batch. */
const restMinMs = 5;

/**
 * Does a batch of long work and then rests, by default for as long as the batch took, so that the thread and the tenant's
 * database belong to other requests for half of the time. `signal` ends the rest at once, when the process stops.
 */
export async function paced<Result>(
  signal: AbortSignal | null,
  work: () => Promise<Result>,
  restMs = (tookMs: number) => Math.max(restMinMs, tookMs),
): Promise<Result> {
  const startMs = performance.now();
  const result = await work();
  const rest = restMs(performance.now() - startMs);
  await delay(rest, undefined, signal === null ? {} : { signal }).catch(() => undefined);
  return result;
}
