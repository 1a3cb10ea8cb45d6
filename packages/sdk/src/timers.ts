/** The timers of a guard or a recorder; a test passes its own. */
export interface Timers {
  setTimeout(task: () => void, delayMs: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** The timers of the runtime. They do not keep a process alive, where the runtime (Node, Bun, Deno) can say so. */
export const runtimeTimers: Timers = {
  setTimeout(task, delayMs) {
    const timer: unknown = setTimeout(task, delayMs);
    if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') {
      timer.unref();
    }
    return timer;
  },
  clearTimeout: (timer) => clearTimeout(timer as number),
};
