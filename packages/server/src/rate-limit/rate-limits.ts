import type { MaybePromise } from '../lib/maybe-promise.ts';

/** The limit of a fixed window. The first hit opens the window; later hits do not extend it. */
export interface WindowLimit {
  readonly limit: number;
  readonly windowSeconds: number;
}

/** The state of a window after a hit. */
export interface RateLimitWindow {
  /** False when this hit exceeded the limit. */
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds since the Unix epoch. */
  readonly resetAtMs: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly retryAfterSeconds: number;
}

/** A window that has not ended. */
export interface OpenWindow {
  /** Includes the refused hits. */
  readonly hits: number;
  /** Milliseconds since the Unix epoch. */
  readonly resetAtMs: number;
}

/** One hit to count: on the window of `key` among the windows of `name`. */
export interface Hit {
  readonly name: string;
  readonly key: string;
  readonly window: WindowLimit;
}

/** Counts hits per name and key in fixed windows. Exact under any concurrency. */
export interface RateLimits {
  /** Counts one hit and returns the state of its window. */
  consume(name: string, key: string, window: WindowLimit): MaybePromise<RateLimitWindow>;
  /**
   * Counts several hits in order and stops after the first refused one. Returns the windows of the counted hits, which
   * include the refused one. With Valkey, all of them take one round trip.
   */
  consumeInTurn(hits: readonly Hit[]): MaybePromise<readonly RateLimitWindow[]>;
  /** Returns the open window, or null, without counting a hit. With Valkey, it is the window of all nodes. */
  openWindow(name: string, key: string): MaybePromise<OpenWindow | null>;
  /** Takes back one hit. */
  refund(name: string, key: string): MaybePromise<void>;
  /** Restarts the window with all hits used, so that it refuses every hit for its whole length from now on. */
  block(name: string, key: string, window: WindowLimit): MaybePromise<void>;
  /** Removes the window; the next hit opens a new one. */
  reset(name: string, key: string): MaybePromise<void>;
}

/** Returns the state of a window after a hit. `hits` includes this hit. */
export function windowAfter(hits: number, limit: number, resetAtMs: number, nowMs: number): RateLimitWindow {
  return {
    allowed: hits <= limit,
    limit,
    remaining: Math.max(limit - hits, 0),
    resetAtMs,
    retryAfterSeconds: Math.max(Math.ceil((resetAtMs - nowMs) / 1000), 1),
  };
}

/** The window name that counts all Integration requests of a tenant; the key is the tenant's id. */
export const integrationTenantWindow = 'integration-tenant';
/** The window name that counts the requests of an API key with its own limit; the key is the API key's id. */
export const integrationKeyWindow = 'integration-key';
/**
 * The window name that counts the requests of an API key with a limit per client address; the key is the API key's id
 * and the client's network (`clientNetwork`).
 */
export const integrationAddressWindow = 'integration-address';
