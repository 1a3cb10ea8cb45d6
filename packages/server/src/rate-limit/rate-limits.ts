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

/** A hit on the window of a key, among those of a name. */
export interface Hit {
  readonly name: string;
  readonly key: string;
  readonly window: WindowLimit;
}

/** Counts hits per name and key in fixed windows. Exact under any concurrency. */
export interface RateLimits {
  /** Counts one hit and says whether it was within the limit. */
  consume(name: string, key: string, window: WindowLimit): MaybePromise<RateLimitWindow>;
  /**
   * Counts several hits one after the other, up to the first that is refused: those after it are not counted.
   * Answers the windows of those that were. Nodes that share their windows ask once for all of them.
   */
  consumeInTurn(hits: readonly Hit[]): MaybePromise<readonly RateLimitWindow[]>;
  /** The window that is open, or null. Counts nothing. Where nodes share their windows it is the shared one. */
  openWindow(name: string, key: string): MaybePromise<OpenWindow | null>;
  /** Takes back one hit that turned out not to count. */
  refund(name: string, key: string): MaybePromise<void>;
  /** Starts the window again with all its hits used, so that it refuses for its whole length from now on. */
  block(name: string, key: string, window: WindowLimit): MaybePromise<void>;
  /** Forgets the window: the next hit opens a new one. */
  reset(name: string, key: string): MaybePromise<void>;
}

/** A window after a hit, from how many hits it has and when it ends. */
export function windowAfter(hits: number, limit: number, resetAtMs: number, nowMs: number): RateLimitWindow {
  return {
    allowed: hits <= limit,
    limit,
    remaining: Math.max(limit - hits, 0),
    resetAtMs,
    retryAfterSeconds: Math.max(Math.ceil((resetAtMs - nowMs) / 1000), 1),
  };
}
