import { setTimeout as delay } from 'node:timers/promises';

/** The least rest after a batch. */
const restMinMs = 5;

/**
 * Does a batch of background work and then rests for as long as the batch took, so that the thread belongs to requests
 * for half of the time. A stop of the process ends the rest at once.
 */
export async function paced<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  const startMs = performance.now();
  const result = await work();
  const restMs = Math.max(restMinMs, performance.now() - startMs);
  await delay(restMs, undefined, { signal }).catch(() => undefined);
  return result;
}
