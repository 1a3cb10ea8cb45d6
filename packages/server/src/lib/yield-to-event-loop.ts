import { setImmediate as nextTurn } from 'node:timers/promises';

/** The maximum duration of work in one iteration of the event loop. */
const turnMaxMs = 2;

/** Undefined until the first call in an iteration. A process has one event loop, so all its work shares the iteration. */
let turnStartedAtMs: number | undefined;

function endTurn(): void {
  turnStartedAtMs = undefined;
}

/**
 * Call it between the steps of long synchronous work, and await the result: it returns a promise that resolves in the
 * next iteration of the event loop when the work of this one, by all callers together, has taken 2 ms; else undefined.
 * Promises alone do not return to the event loop. The statements of the embedded database call it themselves.
 */
export function yieldToEventLoop(): Promise<void> | undefined {
  const nowMs = performance.now();
  if (turnStartedAtMs !== undefined) return nowMs - turnStartedAtMs < turnMaxMs ? undefined : nextTurn();
  turnStartedAtMs = nowMs;
  setImmediate(endTurn);
  return undefined;
}
