import { setTimeout as delay } from 'node:timers/promises';
import { assertDuration, configurationError, given } from '../error.ts';

/** A guard or a recorder. */
export type Closable = { stop(): Promise<unknown> } | { close(): Promise<unknown> };

function isClosable(one: unknown): one is Closable {
  const { stop, close } = Object(one);
  return typeof (stop ?? close) === 'function';
}

/** How `closeOnExit` ends. */
export interface CloseOnExitOptions {
  /** The longest time that the end of the process waits, in milliseconds. Default: 5000. */
  readonly timeoutMs?: number;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Stops guards (which releases floating seats) and closes recorders (which sends what they hold) before the process
 * ends: at its natural end, and at SIGINT, SIGTERM and SIGHUP. After a signal the process ends with that signal, unless
 * the application listens to it too and so decides itself. `process.exit()` waits for nothing: call and await `stop()`
 * and `close()` before it. Returns the function that removes the listeners. Throws `CONFIGURATION.INVALID` for a value
 * that is neither a guard nor a recorder.
 */
export function closeOnExit(closables: readonly Closable[], options: CloseOnExitOptions = {}): () => void {
  const use = 'closeOnExit([guard])';
  const { timeoutMs = 5000 } = given(options, use);
  assertDuration('timeoutMs', timeoutMs);
  if (!Array.isArray(closables) || !closables.every(isClosable)) {
    throw configurationError(`Pass a list of guards and recorders: ${use}.`);
  }
  let closing: Promise<void> | undefined;
  let isSignalled = false;

  const closeAll = () => {
    closing ??= Promise.race([
      Promise.allSettled(closables.map((one) => ('stop' in one ? one.stop() : one.close()))).then(() => undefined),
      delay(timeoutMs, undefined, { ref: false }),
    ]);
    return closing;
  };
  const atEnd = () => void closeAll();
  const atSignal = (signal: NodeJS.Signals) => {
    // A second signal of an impatient user ends the process at once.
    const isRepeated = isSignalled;
    isSignalled = true;
    const finish = () => {
      remove();
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    };
    if (isRepeated) finish();
    else void closeAll().then(finish, finish);
  };
  const remove = () => {
    process.removeListener('beforeExit', atEnd);
    for (const signal of signals) process.removeListener(signal, atSignal);
  };

  process.once('beforeExit', atEnd);
  for (const signal of signals) process.on(signal, atSignal);
  return remove;
}
