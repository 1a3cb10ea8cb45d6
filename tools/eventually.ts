import { vi } from 'vitest';

/**
 * Repeats `check` until it does not throw, and returns its value. Rejects with its last error after a minute: the limit only
 * ends a test that hangs, because a busy machine is not a failure.
 */
export function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: 60_000, interval: 50 });
}
