import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Steps of `nice`. On busy processors, 10 steps reduce the time of a thread to a tenth. */
const steps = 10;
const lowest = 19;
/** On other systems a thread has no priority of its own. */
const hasThreadPriorities = process.platform === 'linux';

function lower(threadId: number): void {
  try {
    setPriority(threadId, Math.min(lowest, getPriority(threadId) + steps));
  } catch {
    // A sandbox may refuse the system call. Then background work only delays requests more.
  }
}

/** Lowers the priority of the calling thread, so that threads which answer requests get the processors first. */
export function lowerThreadPriority(): void {
  if (hasThreadPriorities) lower(0);
}

/** Lowers the priority of this process, so that a process which answers requests gets the processors first. */
export function lowerProcessPriority(): void {
  if (!hasThreadPriorities) return;
  for (const thread of readdirSync('/proc/self/task')) lower(Number(thread));
}
