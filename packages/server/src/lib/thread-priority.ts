import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** Nice levels. A busy thread gets a tenth of the time of one that is ten levels below. */
const levels = 10;

/**
 * Makes the calling thread yield to the other threads that want to run, without stopping it. Linux only, where the
 * system call behind `setPriority` changes one thread and `/proc/thread-self` names the calling one. Elsewhere, and if
 * `/proc` cannot be read or the system call is refused, the priority stays as it is.
 */
export function yieldToOtherThreads(): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, Math.min(getPriority(thread) + levels, constants.priority.PRIORITY_LOW));
  } catch {
    // Without the lower priority everything works, but a burst of logins slows down the event loop on few processors.
  }
}
