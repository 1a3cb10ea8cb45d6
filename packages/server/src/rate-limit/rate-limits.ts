import type { Clock } from '../lib/clock.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';

/** How many hits a window allows. The first hit opens it; it ends after its length, however many follow. */
export interface WindowLimit {
  readonly limit: number;
  readonly windowSeconds: number;
}

/** A window after a hit. */
export interface RateLimitWindow {
  /** False when this hit was one too many. */
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds since the Unix epoch. */
  readonly resetAtMs: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly retryAfterSeconds: number;
}

/** A window that is not over. */
export interface OpenWindow {
  /** Those that it refused included. */
  readonly hits: number;
  /** Milliseconds since the Unix epoch. */
  readonly resetAtMs: number;
}

/** Counts hits per name and key in fixed windows. Exact under any concurrency. */
export interface RateLimits {
  /** Counts one hit and says whether it was within the limit. */
  consume(name: string, key: string, window: WindowLimit): MaybePromise<RateLimitWindow>;
  /** The window that is open, or null. Counts nothing. Where nodes share their windows it is the shared one. */
  openWindow(name: string, key: string): MaybePromise<OpenWindow | null>;
  /** Takes back one hit that turned out not to count. */
  refund(name: string, key: string): MaybePromise<void>;
  /** Starts the window again with all its hits used, so that it refuses for its whole length from now on. */
  block(name: string, key: string, window: WindowLimit): MaybePromise<void>;
  /** Forgets the window: the next hit opens a new one. */
  reset(name: string, key: string): MaybePromise<void>;
}

interface Window {
  hits: number;
  resetAtMs: number;
}

/** At about 200 bytes each, what one name may hold at most: 20 MB. */
const defaultMaxWindows = 100_000;

/**
 * Rate limits of one process. Answers at once (about 70 ns a hit), because the hot path asks on every request.
 *
 * Memory is bounded against callers with very many addresses: the windows of one name stand in the order in which
 * they end, so each new one drops those that are over, and at the bound the one that would end next. Windows of
 * another name are never touched. All windows of a name must have one length.
 */
export function createMemoryRateLimits(clock: Pick<Clock, 'nowMs'>, maxWindowsPerName = defaultMaxWindows): RateLimits {
  const windowsByName = new Map<string, Map<string, Window>>();

  function windowsOf(name: string): Map<string, Window> {
    let windows = windowsByName.get(name);
    if (windows === undefined) {
      windows = new Map();
      windowsByName.set(name, windows);
    }
    return windows;
  }

  return {
    consume(name, key, { limit, windowSeconds }) {
      const nowMs = clock.nowMs();
      const windows = windowsOf(name);
      let window = windows.get(key);
      if (window === undefined || window.resetAtMs <= nowMs) {
        window = { hits: 0, resetAtMs: nowMs + windowSeconds * 1000 };
        open(windows, key, window, nowMs, maxWindowsPerName);
      }
      window.hits += 1;
      return stateOf(window, limit, nowMs);
    },
    openWindow(name, key) {
      const window = windowsByName.get(name)?.get(key);
      if (window === undefined || window.resetAtMs <= clock.nowMs()) return null;
      return { hits: window.hits, resetAtMs: window.resetAtMs };
    },
    refund(name, key) {
      const window = windowsByName.get(name)?.get(key);
      if (window !== undefined) window.hits = Math.max(window.hits - 1, 0);
    },
    block(name, key, { limit, windowSeconds }) {
      const nowMs = clock.nowMs();
      open(windowsOf(name), key, { hits: limit, resetAtMs: nowMs + windowSeconds * 1000 }, nowMs, maxWindowsPerName);
    },
    reset(name, key) {
      windowsByName.get(name)?.delete(key);
    },
  };
}

/** Puts a window at the end of the order, and makes room before it. */
function open(windows: Map<string, Window>, key: string, window: Window, nowMs: number, maxWindows: number): void {
  windows.delete(key);
  for (const [oldKey, oldWindow] of windows) {
    if (oldWindow.resetAtMs > nowMs && windows.size < maxWindows) break;
    windows.delete(oldKey);
  }
  windows.set(key, window);
}

function stateOf(window: Window, limit: number, nowMs: number): RateLimitWindow {
  return {
    allowed: window.hits <= limit,
    limit,
    remaining: Math.max(limit - window.hits, 0),
    resetAtMs: window.resetAtMs,
    retryAfterSeconds: Math.max(Math.ceil((window.resetAtMs - nowMs) / 1000), 1),
  };
}
